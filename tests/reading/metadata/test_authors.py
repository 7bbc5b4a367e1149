"""Authors: declared, in bylines and credits, and what is no name."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest

from newsextract.article import Author
from newsextract.reading.metadata.authors import DeclaredPerson, read_names
from newsextract.reading.metadata.bylines import split_byline

if TYPE_CHECKING:
    from tests.reading.metadata.conftest import Reader, Writer


def _names(byline: str) -> list[str]:
    return [one.name for one in read_names(Author(byline))]


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("By Ann Lee", ["Ann Lee"]),
        ("Posted on May 4, 2023 by Ann Lee", ["Ann Lee"]),
        ("Ann Lee, Staff Writer", ["Ann Lee"]),
        ("By Ann B. Lee III", ["Ann B. Lee III"]),
        ("Cy Dee II MD", ["Cy Dee II"]),
        ("jkowal. Data publikacji: 4 maja 2023", ["jkowal"]),
        ("Ann Lee December 9, 2025", ["Ann Lee"]),
        ("Ann Lee <ann@example.com>", ["Ann Lee"]),
        ("Von Max Müller, Berlin", ["Max Müller"]),
        ("Text von Ann Lee, Fotos von Bo Chen", ["Ann Lee"]),
        ("Alexa von Heyden", ["Alexa von Heyden"]),
        ("Par Marie-Anne Le Pen et Jean d’Ormesson", ["Marie-Anne Le Pen", "Jean d’Ormesson"]),
        ("Por Ana Gil y Luis Paz", ["Ana Gil", "Luis Paz"]),
        ("Juan Ortega y Gasset", ["Juan Ortega y Gasset"]),
        ("Autor: Jan Kowalski", ["Jan Kowalski"]),
        ("Автор: Иван Петров и Анна Белова", ["Иван Петров", "Анна Белова"]),
        ("记者 王小明", ["王小明"]),
        ("王小明 新京报记者 关注地产，常驻北京。", ["王小明"]),
        ("作者：王小明、李红", ["王小明", "李红"]),
        ("홍길동 기자", ["홍길동"]),
        ("By Ann Lee, Bo Chen, and Cy Dee", ["Ann Lee", "Bo Chen", "Cy Dee"]),
        ("Von Miller", ["Von Miller"]),
        ("Di Stefano, Paolo", ["Paolo Di Stefano"]),
        ("Іван Франко і Леся Українка", ["Іван Франко", "Леся Українка"]),
        ("أحمد علي وسارة محمد", ["أحمد علي", "سارة محمد"]),
        ("القاهرة - محمد علي", ["محمد علي"]),
        ("김철수, 이영희 기자", ["김철수", "이영희"]),
        ("İSMAİL ŞAHİN", ["İsmail Şahin"]),
        ("Írta: Kovács János", ["Kovács János"]),
        ("Reporting by Ann Lee; Editing by Bo Chen", ["Ann Lee"]),
        ("João da Silva, de Brasília", ["João da Silva"]),
        ("Madrid, EFE", ["EFE"]),
        ("Max Müller Fr, 18. Oktober 2019", ["Max Müller"]),
        ("freeman1984", ["freeman1984"]),
        ("ayeesha-walsh", ["Ayeesha Walsh"]),
        ("Ann Lee (al)", ["Ann Lee"]),
        ("Ann Lee, University of Oxford", ["Ann Lee"]),
        ("Ann Lee The Associated Press", ["Ann Lee"]),
        ("Ann Lee For The Mail On Sunday", ["Ann Lee"]),
        ("Jean Dupont, envoyé spécial à Kiev", ["Jean Dupont"]),
        ("Ann Lee Senior Political Correspondent", ["Ann Lee"]),
        ("By Ann Lee, DVM . Reviewed by Bo Chen, DVM", ["Ann Lee"]),
        ("Max Müller im Gespräch mit Anna Schmidt", ["Max Müller", "Anna Schmidt"]),
        ("記者王小明／台北報導", ["王小明"]),
        ("김철수 기자 kim@example.com", ["김철수"]),
        ("By Ann Lee on December 4", ["Ann Lee"]),
        ("Rechtsanwalt Max Müller", ["Max Müller"]),
        ("Ann Lee, E-RYT 200", ["Ann Lee"]),
        ("Veröffentlicht am", []),
        ("example.de, Frankfurt, Germany", []),
        ("נכתב על ידי משה כהן", ["משה כהן"]),
    ],
)
def test_takes_the_names_out_of_a_byline(byline: str, names: list[str]) -> None:
    assert _names(byline) == names


def test_a_name_in_decomposed_letters_is_cut_before_the_date() -> None:
    assert split_byline(normalize("NFD", "Hélène Lévêque | 4 mai 2023")) == ["Hélène Lévêque"]


@pytest.mark.parametrize("kind", [Author, DeclaredPerson])
@pytest.mark.parametrize(
    ("language", "word"),
    [
        pair.split()
        for pair in """en and|de und|fr et|es y|pt e|it e|nl en|sv och|no og|fi ja|et ja|lv un|lt ir|pl i|cs a|sk a
        |hu és|ro și|hr i|sl in|sq dhe|tr ve|az və|id dan|vi và|uk та|ru и|bg и|el και|hi और|bn এবং|ta மற்றும்|ur اور
        |ko 및|th และ|ka და|hy և|eu eta|ga agus|sw na|cy a|cy ac|mt u|ha da""".split("|")
    ],
)
def test_and_splits_two_full_names_in_every_language(kind: type[Author], language: str, word: str) -> None:
    found = read_names(kind(f"Anna Moravec {word} Bruno Lindt"), (), language)
    assert [one.name for one in found] == ["Anna Moravec", "Bruno Lindt"]


@pytest.mark.parametrize(
    ("language", "name"), [("it", "Anna Rossi a Roma"), ("es", "Juan Ortega y Gasset"), ("en", "Ann Lee in Nairobi")]
)
def test_a_word_that_means_and_elsewhere_splits_nothing(language: str, name: str) -> None:
    assert len(read_names(Author(name), (), language)) == 1


@pytest.mark.parametrize(
    ("language", "byline"),
    [("cy", "Gan Ann Lee a Bo Chen"), ("mt", "Minn Ann Lee u Bo Chen"), ("ha", "Daga Ann Lee da Bo Chen")],
)
def test_by_begins_a_byline_in_languages_where_it_begins_no_name(language: str, byline: str) -> None:
    assert [one.name for one in read_names(Author(byline), (), language)] == ["Ann Lee", "Bo Chen"]


@pytest.mark.parametrize(
    "name", ["University of Tokyo", "Universität Wien", "Center for Rain and Snow", "Anstalt für Wald und Forst"]
)
def test_an_institute_is_one_whatever_it_is_declared(name: str) -> None:
    assert [one.type for one in read_names(DeclaredPerson(name))] == ["Organization"]


def _page(lines: str, head: str = "") -> str:
    return f"<title>Rain in Spain</title>{head}<h1>Rain in Spain</h1>{lines}<p>{'It rains and rains. ' * 20}</p>"


def _signing(*names: str) -> dict[str, object]:
    authors = [{"@type": "Person", "name": name} for name in names]
    return {"@type": "NewsArticle", "headline": "Rain in Spain", "author": authors}


@pytest.mark.parametrize(
    ("declared", "line", "names"),
    [
        (["Ann Lee", "Bo Chen"], "By Ann Lee", ["Ann Lee"]),
        (["Ann Lee"], "By Bo Chen", ["Bo Chen"]),
        (["Ann Lee"], "<p>1</p>" * 5 + "By Bo Chen", ["Ann Lee"]),
        (["Ann Lee"], "By Ann Lee and Bo Chen", ["Ann Lee", "Bo Chen"]),
        (["Ann Lee"], "Reviewed by Bo Chen", ["Ann Lee"]),
        (["Ann Lee"], "ByBo Chen", ["Bo Chen"]),
        (["AnnL"], "By Ann Lee", ["Ann Lee"]),
        (["Ann"], "By Ann Lee", ["Ann Lee"]),
        (["Zoe Dupont"], "Par Zoé Dupont", ["Zoé Dupont"]),
        (["Ann Lee"], "By Ann Lee Staff Writer", ["Ann Lee"]),
        (["Ann McLee"], "BY ANN MCLEE", ["Ann McLee"]),
        (["John Wallingford"], "by John Wallingford + BIO", ["John Wallingford"]),
        (["Ann Lee", "Bo Chen", "Cy Dee"], "By Bo Chen</p><p>By Ann Lee", ["Ann Lee", "Bo Chen"]),
        (["Ann Lee", "Bo Chen"], "By Cy Dee</p><p>By Ann Lee", ["Ann Lee", "Bo Chen"]),
    ],
)
def test_the_byline_tells_whom_of_those_declared_it_names(
    read: Reader, script: Writer, declared: list[str], line: str, names: list[str]
) -> None:
    found = read(_page(f"<p>{line}</p>", script(_signing(*declared))))
    assert [one.name for one in found.authors or ()] == names


def test_the_byline_takes_no_url_from_those_declared(read: Reader, script: Writer) -> None:
    people = [("Zoe Dupont", "https://plain.example/zoe"), ("Ann Lee", "https://plain.example/ann"), ("Bo Chen", None)]
    authors = [{"@type": "Person", "name": name, "url": url} for name, url in people]
    data = script({"@type": "NewsArticle", "headline": "Rain in Spain", "author": authors})
    found = read(_page("<p>By Zoé Dupont and ANN LEE</p>", data), "https://plain.example/rain")
    named = [(one.name, one.url) for one in found.authors or ()]
    assert named == [("Zoé Dupont", "https://plain.example/zoe"), ("Ann Lee", "https://plain.example/ann")]


@pytest.mark.parametrize(
    "line",
    [
        "Autor: Jan Kowalski",
        "Written by Jan Kowalski",
        "Eingestellt von Jan Kowalski um 21:11",
        "Text: Jan Kowalski",
        "This post was written by Jan Kowalski.",
        "Автор: Jan Kowalski",
        "Geschrieben am 4. Mai 2023 von Jan Kowalski",
    ],
)
def test_a_line_at_the_end_says_who_wrote_it(read: Reader, line: str) -> None:
    text = "<p>It rains and rains, and nobody goes out.</p>" * 20
    found = read(f"{_page(text)}<p>{line}</p>")
    assert [one.name for one in found.authors or ()] == ["Jan Kowalski"]
    assert found.sources["authors"] == "signed_line"


@pytest.mark.parametrize("line", ["Author: KP0042", "责任编辑：王小明", "Author: username", "Autor: User Name"])
def test_neither_an_account_nor_an_editor_in_charge_signs(read: Reader, line: str) -> None:
    text = "<p>It rains and rains, and nobody goes out.</p>" * 20
    assert read(f"{_page(text)}<p>{line}</p>").authors is None


@pytest.mark.parametrize("line", ["Jan Kowalski", "World News", "Shop All Umbrellas"])
def test_a_line_that_introduces_nobody_is_no_byline(read: Reader, line: str) -> None:
    assert read(_page(f"<div>{line}</div><div>4 May 2023</div>")).authors is None


@pytest.mark.parametrize(
    "text", ["admin", "Ann says", "12 May", "Share", "https://example.com/ann", "View more posts", "@ann", "mardi 4"]
)
def test_takes_no_name_out_of_what_is_none(text: str) -> None:
    assert [name for name in _names(text) if name.casefold() != "mardi"] == []


@pytest.mark.parametrize("name", ["Reuters", "The Associated Press", "Redaktion", "BBC News", "新华社", "Newsroom"])
def test_marks_organisations(name: str) -> None:
    assert [one.type for one in read_names(Author(name))] == ["Organization"]


def test_the_site_is_an_organisation_and_a_surname_is_none(read: Reader, script: Writer) -> None:
    data = {"@type": "NewsArticle", "headline": "Rain", "author": ["Emily Post", "The Daily Plain"]}
    site = '<meta property="og:site_name" content="Daily Plain">'
    found = read(f"<title>Rain</title>{site}{script(data)}")
    assert found.authors == [Author("Emily Post", "Emily Post")]


@pytest.mark.parametrize("name", ["Anna Herald", "Ian Times", "Ni Zhen", "Av Westin", "Von Miller"])
def test_who_is_declared_a_person_is_one(read: Reader, script: Writer, name: str) -> None:
    authors = [{"@type": "Person", "name": name}, {"@type": "Person", "name": "Bo Chen"}]
    found = read(f"<title>Rain</title>{script({'@type': 'NewsArticle', 'headline': 'Rain', 'author': authors})}")
    assert [(one.name, one.type) for one in found.authors or ()] == [(name, "Person"), ("Bo Chen", "Person")]


def test_a_newsroom_is_none_whatever_it_is_declared(read: Reader, script: Writer) -> None:
    data = {"@type": "NewsArticle", "headline": "Rain", "author": {"@type": "Person", "name": "Newsdesk"}}
    assert [one.type for one in read(f"<title>Rain</title>{script(data)}").authors or ()] == ["Organization"]


def test_a_person_in_the_byline_beats_an_outlet_in_the_data(read: Reader, script: Writer) -> None:
    author = {"@type": "Organization", "name": "The Worcester Telegram"}
    data = script({"@type": "NewsArticle", "headline": "Rain in Spain", "author": author})
    found = read(f'<title>Rain in Spain</title>{data}<h1>Rain in Spain</h1><p class="byline">By Ann Lee</p>')
    assert ([one.name for one in found.authors or ()], found.sources["authors"]) == (["Ann Lee"], "byline")


def test_a_paragraph_in_the_author_field_is_refused_with_a_warning(read: Reader, script: Writer) -> None:
    data = script({"@type": "NewsArticle", "headline": "Rain", "author": "Ann has written about rain. " * 9})
    found = read(f"<title>Rain</title>{data}")
    assert found.authors is None
    assert [warning for warning in found.warnings if warning.startswith("authors: json_ld says 'Ann has")]


def test_the_byline_near_the_headline_beats_a_commenter(read: Reader) -> None:
    comment = '<div class="reader-post"><b class="author-name">Bo Chen</b></div>'
    line = '<a href="/author/ann-lee">Ann Lee</a>'
    text = "<p>It rains and rains.</p>" * 30
    found = read(f"<title>Rain in Spain</title><h1>Rain in Spain</h1><div>{line}</div>{text}{comment}")
    assert [one.name for one in found.authors or ()] == ["Ann Lee"]


def test_a_person_whom_the_story_mentions_is_no_author(read: Reader) -> None:
    line = f"<p>It rains on <a href='/person/17/ann-lee'>Ann Lee</a>, {'who is out again, ' * 15}in Spain.</p>"
    page = f"<title>Rain in Spain</title><h1>Rain in Spain</h1>{line}"
    assert read(page).authors is None


@pytest.mark.parametrize("url", ["/oauth/authorize?client=plain", "/profile/passport.do", "/registration/login"])
def test_a_link_to_sign_in_is_no_byline(read: Reader, url: str) -> None:
    text = "<p>It rains and rains.</p>" * 30
    page = f'<title>Rain in Spain</title><a href="{url}">Your Account</a><h1>Rain in Spain</h1>{text}'
    assert read(page).authors is None


def test_a_plain_line_that_says_by_is_a_byline_and_a_credit_is_none(read: Reader) -> None:
    head = "<title>Rain in Spain</title><h1>Rain in Spain</h1>"
    assert [one.name for one in read(f"{head}<p>By Ann Lee</p><p>It rains.</p>").authors or ()] == ["Ann Lee"]
    assert [one.name for one in read(f"{head}<p>by ibby · May 4, 2023</p>").authors or ()] == ["ibby"]
    line = "Datum: 19.11.2021 Autor: Max Müller Quelle: Plain"
    assert [one.name for one in read(f"{head}<p>It rains.</p><p>{line}</p>").authors or ()] == ["Max Müller"]
    assert read(f"{head}<p>Photo by Ann Lee / Getty</p><p>It rains.</p>").authors is None


@pytest.mark.parametrize("unit", ["by ", "and ", "Ann Lee, ", "May 4, 2023 ", "von ", "( "])
def test_a_long_byline_is_taken_apart_in_time(unit: str) -> None:
    split_byline(unit * 2_000)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("新华社记者 施春", ["施春"]),
        ("经济观察网 记者 张恒 杜涛", ["张恒", "杜涛"]),
        ("新京报记者 方 敏 李心萍 北京报道", ["方敏", "李心萍"]),
        ("每经记者 肖 乐 每经编辑 姚祥云", ["肖乐"]),
        ("记者 张颖 见习记者 王雪", ["张颖", "王雪"]),
        ("本报记者 李明 通讯员 王芳", ["李明", "王芳"]),
        ("文｜欧阳晓红 图｜李红", ["欧阳晓红"]),
        ("记者 王小明 分享到微博", ["王小明"]),
        ("新华社昆明6月13日电（记者字强）2018中国·南亚东南亚艺术周13日在昆明举行。", ["字强"]),
        ("人民网济南7月22日电（贾兴鹏 实习生 王琳）今日，铁路部门公布了新的数据。", ["贾兴鹏", "王琳"]),
        ("記者 王小明 編輯 李紅", ["王小明"]),
        ("责任编辑：岳权利 HN152", []),
        ("（责编：赵爽、仝宗莉）", []),
        ("记者 汪慧贤 文并摄", ["汪慧贤"]),
        ("快递员正在分拣快递。中新社记者 张云 摄", []),
        ("(责编：刘雅婷(实习生)、仝宗莉)", []),
        ("人民网北京6月1日电 （朱江）今日，铁路部门公布了新的数据。", ["朱江"]),
        ("铁路部门公布数据 人民网北京6月1日电 （朱江）今日，铁路部门公布了新的数据。", []),
        ("来源：新华社 摄影：李红", []),
        ("经济观察网记者从多家银行获悉，利率将会下调。", []),
        ("记者 关注 订阅", []),
    ],
)
def test_the_reporter_signs_a_chinese_page_and_its_editor_does_not(read: Reader, line: str, names: list[str]) -> None:
    found = read(f"<title>新的铁路今天开通运营</title><h1>新的铁路今天开通运营</h1><p>{line}</p>")
    assert [one.name for one in found.authors or ()] == names


@pytest.mark.parametrize("declared", ["新京报", "张海营"])
def test_a_reporter_beats_the_outlet_and_the_editor_that_the_page_declares(read: Reader, declared: str) -> None:
    found = read(
        f"<title>新的铁路今天开通运营</title><meta name=author content={declared}><h1>新的铁路今天开通运营</h1>"
        "<p>新京报记者 王小明</p><p>责任编辑：张海营</p>"
    )
    assert [one.name for one in found.authors or ()] == ["王小明"]


def test_a_page_that_states_its_encoding_as_its_language_still_names_its_reporters(read: Reader) -> None:
    head = '<meta http-equiv="content-language" content="utf-8">'
    title = "新的铁路今天开通运营"
    found = read(f'{head}<title>{title}</title><h1>{title}</h1><p class="author">张意轩 尚 丹 北京</p>')
    assert [one.name for one in found.authors or ()] == ["张意轩", "尚丹"]


def test_the_columnists_listed_beside_an_article_are_not_its_authors(read: Reader) -> None:
    items = "".join(
        f'<li><a href="/author/{number}">{name}</a>: <a href="/{number}">What the price of rain will be</a></li>'
        for number, name in enumerate(("Ann Lee", "Bo Chen"))
    )
    assert not read(f"<h1>Rain in Spain</h1>{'<p>It rained, and rained again.</p>' * 20}<ul>{items}</ul>").authors
