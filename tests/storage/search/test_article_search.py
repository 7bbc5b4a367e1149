"""Articles found by their words: the same ones in every database."""

from __future__ import annotations

import random
import time
import unicodedata
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from newsextract.article import Article, Author
from newsextract.newsroom.watch import Rule, RuleIndex
from newsextract.page.word_folding import words
from newsextract.storage.search.article_search import search
from newsextract.storage.search.matching import Matcher, Part, snippet
from newsextract.storage.search.queries import MAX_DEPTH, MAX_TERMS, QueryError, parse_query
from newsextract.storage.word_index import KnownEntries, text_entries
from tests.article_store import ArticleStore
from tests.conftest import DATABASES, own_database
from tests.storage.search.reference import fits

if TYPE_CHECKING:
    from collections.abc import Iterator


TEXTS = {
    "fr": ("L'Élysée annonce", "Le Premier ministre a parlé d’un pont à Besançon. Il est content."),
    "en": ("The new bridge", "The prime minister opened it. I am 42, he said: e=mc2 & co."),
    "zh": ("桥梁开放", "市长今天开放了桥梁，人们等待了很多年。iPhone发布会也在那里。"),
    "ja": ("新しい橋が開通", "東京都の新聞によると、橋は来年までに完成する。Ｔｏｋｙｏタワーとｶﾞｽ。"),
    "th": ("เปิดสะพานใหม่", "นายกเทศมนตรีเปิดสะพานใหม่ในวันนี้"),
    "de": ("Straße gesperrt", "Die Brücke ist zu, der Bürgermeister schweigt."),
    "el": ("Νέα γέφυρα", "Ο ΔΗΜΑΡΧΟΣ άνοιξε τη γέφυρα. Τῷ λαῷ."),
    "hi": ("नया पुल", "महापौर ने पुल खोला।"),
    "ru": ("Новый мост", "Пётр Иванов открыл мой за́мок. Щёлково, ПЁТР!"),
    "ar": ("جسر جديد", "افتتح مُحَمَّد الجسر، قال أحمد."),
    "he": ("גשר חדש", "רֹאשׁ הָעִיר פתח את הגשר."),
    "vi": ("Cầu mới", "Thị trưởng Đà Nẵng khánh thành cầu."),
    "tr": ("Yeni köprü", "İstanbul ve ISPARTA için açıldı, Diyarbakır'da ışık."),
    "pl": ("Łódź", "Ørsted i Ærø, þing, œuvre."),
    "rare": ("Ménage-à-trois", "foo.bar@example.com http://example.com/path don't 𠀀𠀁 字"),
}


@pytest.fixture(scope="module", params=DATABASES)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArticleStore]:
    """A filled database that tests only read."""
    with own_database(request.param, tmp_path_factory.mktemp("library")) as url:
        store = ArticleStore.open(url)
        yield fill(store)
        store.close()


@pytest.fixture
def filled(store: ArticleStore) -> ArticleStore:
    return fill(store)


def fill(store: ArticleStore) -> ArticleStore:
    for number, (name, (headline, body)) in enumerate(TEXTS.items()):
        url = f"https://news.{name}.example/{number}"
        store.put(
            Article(
                url=url,
                headline=headline,
                articleBody=body,
                datePublished=f"2026-05-{number + 10}",
                description="Of the bridge, the prime" if name == "en" else None,
                authors=[Author("Anna Bérn"), Author("Paul Zimmer")] if name in ("de", "fr") else None,
                keywords=["bridges", "travaux publics"] if name in ("fr", "el") else None,
                section="City news" if name == "en" else None,
                publisher="The Daily-Plain" if name == "en" else None,
                inLanguage={"en": "en-GB", "rare": None}.get(name, name),
            )  # fmt: skip
        )
    return store


def found_in(library: ArticleStore, query: str) -> str:
    hits = search(library.engine, query, 100)
    assert hits == sorted(hits, key=lambda hit: hit.date_published or "", reverse=True)
    return " ".join(sorted(hit.site.split(".")[-2] for hit in hits))


def fits_in(library: ArticleStore, query: str) -> str:
    """What the slow and plain definition of a query says."""
    parsed = parse_query(query)
    return " ".join(sorted(row["site"].split(".")[-2] for row in library.rows() if fits(parsed, row)))


FOUND = [
    ("elysee", "fr"), ("ÉLYSÉE Annonce", "fr"), ("l'elysee", "fr"), ("Besancon", "fr"), ("prime", "en"),
    ("prime minister", "en"), ('"prime minister"', "en"), ('"minister prime"', ""), ('"bridge the"', "en"),
    ('"prime the"', ""), ("a", "fr rare"), ("am 42", "en"), ("min*", "en fr"), ("MINIST* pa*", "fr"),
    ('"prime min"*', "en"), ('"the prime min"*', "en"), ("mc2", "en"), ("the of", "en"), ("the", "en"),
    ("桥梁", "zh"), ("开放了桥梁", "zh"), ("梁桥", ""), ("桥", "zh"), ("iphone", "zh"), ("发布", "zh"),
    ("新聞", "ja"), ("東京* 橋", "ja"), ("tokyo", "ja"), ("ガス", "ja"),
    ("สะพาน", "th"), ("पुल", "hi"), ("महापौर", "hi"),
    ("straße", "de"), ("STRASSE", "de"), ("strass*", "de"), ("brucke", "de"),
    ("δημαρχος", "el"), ("Δήμαρχος", "el"), ("γέφυρα", "el"), ("ΓΕΦΥΡΑ", "el"),
    ("νεα γεφυρ*", "el"), ("τω λαω", "el"),
    ("петр", "ru"), ("ПЕТР", "ru"), ("замок", "ru"), ("щелково", "ru"), ("мои", ""), ("мой", "ru"),
    ("محمد", "ar"), ("احمد", "ar"), ("الجسر", "ar"), ("ראש העיר", "he"),
    ("da nang", "vi"), ("thi truong", "vi"), ("cau", "vi"), ("Đà", "tr vi"),
    ("istanbul", "tr"), ("ISTANBUL", "tr"), ("isparta", "tr"), ("ısparta", "tr"),
    ("isik", "tr"), ("diyarbakir", "tr"),
    ("lodz", "pl"), ("orsted aero", "pl"), ("thing oeuvre", "pl"), ("ŒUVRE", "pl"),
    ('"menage a trois"', "rare"), ("foo.bar@example.com", "rare"), ("don't", "rare"),
    ("𠀀𠀁", "rare"), ("𠀁𠀀", ""),
    ("prime OR elysee", "en fr"), ("bridge* OR γεφυρα NOT annonce", "el en"), ("(elysee OR prime) 42", "en"),
    ("bridge NOT prime", ""), ("the NOT (golf OR tennis)", "en"), ("min* AND NOT (parle OR golf)", "en"),
    ("prime AND (golf OR NOT pont)", "en"), ("prime NOT (minister NEAR/0 prime)", ""),
    ("prime NOT (minister NEAR/1 he)", "en"), ("min* NOT body:parle", "en"),
    ("headline:bridge", "en"), ("headline:prime", ""), ("body:bridge", ""), ("lead:bridge", "en"),
    ("description:(bridge prime)", "en"), ('body:"prime minister"', "en"), ("headline:elys*", "fr"),
    ("author:zimmer", "de fr"), ("zimmer", ""), ('author:"anna bern"', "de fr"), ('author:"bern paul"', ""),
    ("author:zim* brucke", "de"), ("section:city", "en"),
    ("keyword:bridges", "el fr"), ('keyword:"bridges travaux"', ""),
    ("publisher:daily", "en"), ("site:en.example", "en"), ("site:example prime", "en"), ("site:n.example", ""),
    ("site:news.en.example OR site:fr.example", "en fr"), ("lang:en", "en"), ("language:fr-CA", "fr"),
    ("site:example NOT lang:en NOT an*", ""), ("opened NEAR/1 minister", "en"), ("prime NEAR/1 opened", "en"),
    ("prime NEAR/0 opened", ""), ("(golf OR minister) NEAR/3 said", ""), ("bridge NEAR/99 minister", ""),
    ("nothing", ""), ("and", ""), ("prime\x00", "en"), ("e=mc2", "en"), ("x" * 200, ""), ("x" * 200 + "*", ""),
    ("the_prime", "en"), ("un", "fr"), ("is OR www OR und", "")
]  # fmt: skip


def test_finds_what_the_definition_of_a_query_says(library: ArticleStore) -> None:
    for query, found in FOUND:
        assert found_in(library, query) == fits_in(library, query), query
        if query not in ("the of", "site:example NOT lang:en NOT an*", "un"):
            assert found_in(library, query) == found, query


def any_query(draw: random.Random) -> Iterator[str]:
    """Yield queries of the words of the articles, some of them nested."""
    texts = [words(" ".join(pair)) for pair in TEXTS.values()]
    forms = ("{} {}", "({}) OR ({})", "({}) OR {}", "{} NOT ({})", "({}) (the OR NOT ({}))", "({}) OR (the NOT ({}))")

    def term() -> str:
        text = draw.choice(texts)
        at = draw.randrange(len(text))
        two, three = (" ".join(text[at : at + count]) for count in (2, 3))
        word = draw.choice([text[at], f"{text[at][:2]}*", f"{text[at]}*", f'"{two}"', f'"{three}"*'])
        return draw.choice(["", "", "", "headline:", "body:", "author:"]) + word

    def query(depth: int) -> str:
        return draw.choice(forms).format(query(depth - 1), query(draw.randrange(depth))) if depth else term()

    while True:
        yield query(draw.randrange(5))


def test_finds_the_same_as_the_definition_of_any_query(library: ArticleStore) -> None:
    rows = list(library.rows())
    asked = 0
    for query in islice(any_query(random.Random(15)), 200):  # noqa: S311 - the same queries each time
        with suppress(QueryError):  # a beginning of one letter
            parsed = parse_query(query)
            asked += 1
            expected = {row["id"] for row in rows if fits(parsed, row)}
            assert {hit.id for hit in search(library.engine, query, 100)} == expected, query
    assert asked > 100


def test_has_no_limit_of_its_own_for_long_and_deep_queries(library: ArticleStore) -> None:
    deep = "(" * MAX_DEPTH + "prime" + " OR golf) NOT tennis" * MAX_DEPTH
    assert found_in(library, deep) == "en"
    assert found_in(library, " OR ".join(["prime", *(f"word{number}" for number in range(300))])) == "en"
    assert found_in(library, "the " * 300) == found_in(library, "the")


SYNTAX = [
    '"; DROP TABLE articles; --', 'headline:"x" OR 1=1', 'a" OR article_words MATCH "b', "{headline} : prime",
    "^prime", "prime + minister", "NEAR(prime, minister)", "'prime' <-> 'minister'", "prime:*A",
    "!prime", "prime & x",
    "+prime -minister >bridge <the ~a @5", "\\' prime", "_every__", "_headline_bridge_", "every", "cut", "\ue000",
    "prime) OR (the", "%prime%", "pri_me", "\ud800",
]  # fmt: skip


def test_takes_no_word_for_syntax_of_a_database(library: ArticleStore) -> None:
    for query in SYNTAX:
        try:
            expected = fits_in(library, query)
        except QueryError:
            with pytest.raises(QueryError):
                search(library.engine, query)
        else:
            assert found_in(library, query) == expected, query


def test_tells_what_it_found_the_newest_first(library: ArticleStore) -> None:
    first, second = search(library.engine, "minist*")
    assert (first.date_published, second.date_published) == ("2026-05-11", "2026-05-10")
    assert first.headline == "The new bridge"
    assert first.url == "https://news.en.example/1"
    assert first.snippet == TEXTS["en"][1]
    assert search(library.engine, "minist*", limit=1) == [first]


def test_a_long_text_is_shown_about_the_word(store: ArticleStore) -> None:
    store.put(
        Article(url="https://a.example/", headline="A", articleBody="Word. " * 40_000 + "Bridge. " + "End. " * 99)
    )
    (hit,) = search(store.engine, "bridge")
    assert "Bridge. End." in hit.snippet
    assert hit.snippet.startswith("… Word.")
    assert len(hit.snippet) < 200


def test_an_article_of_very_many_words_is_stored_and_found(store: ArticleStore) -> None:
    body = " ".join(f"word{number}" for number in range(90_000)) + " 新" * 30_000 + "聞"
    store.put(Article(url="https://a.example/", headline="A", articleBody=body))
    end = time.monotonic() + 100  # MariaDB takes up what is too much for its cache in the background
    for query in ("word16000 word1*", '"word89999 新"', '"word20000 word20001"'):
        while not (found := search(store.engine, query)) and time.monotonic() < end:
            time.sleep(0.1)
        assert len(found) == 1, query
    assert search(store.engine, '"word20001 word20000"') == []


def test_what_changes_is_found_as_it_is(filled: ArticleStore) -> None:
    article = Article(url="https://news.en.example/1", headline="Changed", articleBody="Now the mayor has opened it.")
    filled.put(article)
    assert search(filled.engine, "minister") == []
    assert len(search(filled.engine, "mayor")) == 1
    filled.put(replace(article, articleBody="Gone."))
    assert search(filled.engine, "mayor") == []
    with filled.engine.begin() as connection:
        connection.execute(text("delete from articles"))
    assert search(filled.engine, "gone") == []
    assert search(filled.engine, "elysee") == []


# What is shown of an article that was found.

LONG = "Donaudampfschifffahrtsgesellschaftskapitansmutzenabzeichenfabrikationsdirektor "


def shown(body: str, query: str) -> list[Part]:
    matcher = Matcher(parse_query(query))
    return snippet(matcher.read({"article_body": body}), matcher)


@pytest.mark.parametrize("around", ["Considerable amounts. ", "Considérables\n\nsommes, ", LONG, "桥梁开放 "])
def test_a_snippet_cuts_no_word(around: str) -> None:
    for shift in range(5):
        parts = shown(f"{'x' * shift} {around * 30}Pont {around * 30}", "pont")
        text = "".join(part.text for part in parts)
        assert [part.text for part in parts if part.is_found] == ["Pont"]
        assert set(words(text)) == set(words(f"{around} pont"))
        assert (text[:2], text[-2:]) == ("… ", " …")
        assert len(text) < 200
        assert "\n" not in text


@pytest.mark.parametrize("around", ["新桥通车，人们等待", "นายกเทศมนตรีเปิดสะพานใหม่ในวันนี้"])
def test_a_script_without_spaces_is_cut_between_letters(around: str) -> None:
    for shift in range(len(around)):
        text = "".join(part.text for part in shown(f"{around[shift:]}{around * 20} pont {around * 20}", "pont"))
        assert 55 < len(text.partition("pont")[0]) < 65
        assert 175 < len(text) < 190
        begun = f"{around * 20} pont {around * 20}".split(text[2:-2])
        assert len(begun) == 2
        assert unicodedata.category(text[2])[0] != "M"
        assert unicodedata.category(begun[1][0])[0] != "M"


def test_all_that_was_found_is_marked_once() -> None:
    parts = shown("Le vieux pont, le nouveau  pont neuf.", '"nouveau pont" OR pont OR neuf')
    assert [part.text for part in parts if part.is_found] == ["pont", "nouveau pont", "neuf"]
    assert "".join(part.text for part in parts) == "Le vieux pont, le nouveau pont neuf."


def test_what_was_found_elsewhere_is_shown_by_the_beginning() -> None:
    matcher = Matcher(parse_query("headline:pont"))
    assert snippet(matcher.read({"headline": "Pont", "article_body": "Un. "}), matcher) == [Part("Un.")]
    assert snippet(matcher.read({"headline": "Pont"}), matcher) == []


# Words that were made where a page is read: the index gets the same as without them.

BODY = "L'Élysée annonce: 新聞 2.0\n\ufdfa et la suite."


def test_known_entries_are_used_once() -> None:
    found = KnownEntries()
    found.put(BODY, "made_ elsewhere_")
    assert found.of(BODY) == "made_ elsewhere_"
    assert found.of(BODY) == text_entries(BODY)


ARTICLE: dict[str, Any] = {
    "headline": "Le pont de Kehl rouvre",
    "description": "Une structure métallique de l'Élysée, après deux ans.",
    "article_body": "The bridges of Straßburg were closed and the mayor said so.\n東京新聞 wrote of Пётр and ΟΔΌΣ.",
    "authors": [{"name": "Anna Bern"}, {"name": "Paul Zimmer"}],
    "section": "Vie locale",
    "keywords": ["travaux publics", "trains"],
    "publisher": "Le Monde",
    "in_language": "fr-FR",
    "site": "grand-est.lemonde.fr",
}


def is_found(query: str, article: dict[str, Any] = ARTICLE) -> bool:
    return bool(RuleIndex([Rule("rule", parse_query(query))]).match(article))


@pytest.mark.parametrize("query", [
    "pont", "PONT", "elysee", "l'Élysée", "“structure metallique”",
    "bridg*", '"bridges of stras"*', "strassburg",
    "STRASSBURG", "pont bridges", "pont AND bridges", "sport OR pont",
    "(sport OR pont) NOT golf", "pont NOT sport",
    "pont AND (bridges OR sport) AND NOT (golf OR tennis)", "and", "pont OR sport golf", "東京",
    "京新", "東京新*", "петр",
    "οδος", "bridges NEAR/3 closed", "closed NEAR/3 bridges", '"were closed" NEAR/3 (mayor OR minister)',
    "bridges NEAR mayor NEAR/1 so", "headline:pont", "HEADLINE:pont", "lead:elysee",
    "description:elysee", "body:mayor",
    "headline:(pont NEAR kehl)",
    "author:zimmer", 'author:"anna bern"', "section:locale", 'keyword:"travaux publics"',
    "keyword:train*", "publisher:monde", "site:lemonde.fr pont",
    "site:https://www.lemonde.fr/", "language:fr pont",
    "lang:FR pont", "headl* OR pont", "pont AND (golf OR NOT sport)", "  pont\n  NOT\n  golf ",
])  # fmt: skip
def test_finds(query: str) -> None:
    assert is_found(query)


@pytest.mark.parametrize("query", [
    "ponts", "headline*", "pont sport", "pont NOT bridges", "(sport OR pont) NOT bridges", '"pont kehl"',
    "headline:bridges", "body:pont", "description:pont", "bridges NEAR/2 closed",
    "pont NEAR/100 bridges", "京東",
    "bern", "locale", 'author:"bern paul"', "author:(bern NEAR paul)", "monde",
    "site:monde.fr pont", "site:est.lemonde.fr",
    "language:en pont", '"rouvre une"', "pont NEAR pont", "mayor NEAR bridge",
    "bridges NEAR/2 closed NEAR/1 so", "anna*",
])  # fmt: skip
def test_does_not_find(query: str) -> None:
    assert not is_found(query)


def test_says_what_it_has_understood() -> None:
    query = parse_query("a b OR (c NEAR d) NOT headline:(e OR fg*)")
    assert str(query) == "(a AND b) OR ((c NEAR/10 d) AND (NOT (headline:e OR headline:fg*)))"
    assert parse_query(str(query)) == query


@pytest.mark.parametrize(("query", "position", "told"), [
    ("pont OR", 7, "expected a word, a phrase, NOT or '(' after OR"),
    ("pont AND OR b", 9, "after AND, not OR"),
    ("AND pont", 0, "not AND"),
    ("(pont OR b", 0, "this '(' is never closed"),
    ("pont) b", 4, "this ')' closes nothing"),
    ("pont ()", 6, "after (, not )"),
    ('pont "structure', 5, 'this " is never closed'),
    ("", 0, "expected a word"),
    ("headline:", 9, "expected a word, a phrase or '(' after headline:"),
    ("NOT sport", 0, "only what must not be there"),
    ("pont OR NOT sport", 8, "only what must not be there"),
    ("pont -sport", 5, "is written NOT"),
    ("pont | bridge", 5, "joined by OR"),
    ("pont && bridge", 5, "joined by AND"),
    ("headlin:pont", 0, "headlin: is no field; did you mean headline:?"),
    ("x headline:(a OR body:b)", 2, "there is a field"),
    ("site:(a.fr OR b.fr)", 0, "site: takes one value"),
    ("site:a* x", 5, "is no site"),
    ("language:french x", 9, "is no code of a language"),
    ("pont NEAR/x b", 5, "expected a number of words from 0 to 100"),
    ("pont NEAR/101 b", 5, "expected a number of words from 0 to 100"),
    ("NEAR(pont b)", 0, "NEAR stands between"),
    ("pont NEAR (a AND b)", 5, "NEAR joins words, phrases"),
    ("headline:a NEAR b", 11, "in one field"),
    ("*pont", 0, "only at the end of a word"),
    ("po*nt", 0, "only at the end of a word"),
    ("p*", 0, "too short"),
    ("bridg?s", 0, "? stands for nothing"),
    ("pont …", 5, "no letter and no digit"),
    ("$city", 0, "$city: only rules have definitions"),
    ("(" * (MAX_DEPTH + 1) + "a", 0, "deep"),
    ("a " + "NOT " * 3000 + "b", 2, "in a row"),
    ("a " * (MAX_TERMS + 1), 0, "more than"),
])  # fmt: skip
def test_says_what_is_wrong_and_where(query: str, position: int, told: str) -> None:
    with pytest.raises(QueryError) as error:
        parse_query(query)
    assert told in str(error.value)
    assert error.value.position == position


def test_definitions_stand_for_what_they_say_in_a_field_too() -> None:
    known = {"city": parse_query("paris OR lyon")}
    assert str(parse_query("$city NOT headline:$city", known)) == (
        "(paris OR lyon) AND (NOT (headline:paris OR headline:lyon))"
    )


def test_a_rule_for_languages_and_sites_leaves_out_the_others() -> None:
    query = parse_query("pont")
    rules = [
        Rule("both", query, ("fr", "en"), ("lemonde.fr",)),
        Rule("English", query, ("en",)),
        Rule("elsewhere", query, sites=("bbc.co.uk",)),
    ]
    assert [match.rule.name for match in RuleIndex(rules).match(ARTICLE)] == ["both"]
    assert not RuleIndex(rules).match(ARTICLE | {"in_language": None, "site": None})
    assert len({rule.revision for rule in rules}) == 3
