"""The language of an article: declared or detected, and the model that detects it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.reading.metadata import language as language_model
from newsextract.reading.metadata.language import language_identifier

if TYPE_CHECKING:
    from pathlib import Path

    from tests.reading.metadata.conftest import Reader, Writer


TEXTS = {
    "en": "The rain fell on the plain all day, and the people of the town stayed at home with their books.",
    "fr": "La pluie est tombée toute la journée sur la plaine, et les habitants sont restés chez eux pour lire.",
    "de": "Der Regen fiel den ganzen Tag über auf die Ebene, und die Bürger blieben mit ihren Büchern zu Hause.",
    "pl": "Deszcz padał przez cały dzień na równinie, a mieszkańcy miasteczka zostali w domach ze swoimi książkami.",
    "ru": "Дождь шёл на равнине весь день, и жители городка остались дома со своими книгами до самого вечера.",
    "uk": "Дощ ішов на рівнині цілий день, і мешканці містечка залишилися вдома зі своїми книжками до вечора.",
    "el": "Η βροχή έπεφτε όλη μέρα στην πεδιάδα και οι κάτοικοι της πόλης έμειναν στο σπίτι με τα βιβλία τους.",
    "ar": "هطل المطر على السهل طوال اليوم وبقي أهل المدينة في بيوتهم مع كتبهم حتى المساء ثم خرجت الشمس من جديد.",
    "he": "הגשם ירד על המישור כל היום, ותושבי העיירה נשארו בבית עם הספרים שלהם עד הערב, ואז יצאה השמש שוב.",
    "zh": "平原上整天下雨，镇上的居民都留在家里看书，直到傍晚太阳才重新出来。" * 3,
    "ja": "平野では一日中雨が降り、町の人々は夕方まで家で本を読んで過ごし、それから太陽がまた顔を出した。" * 2,
    "ko": "평야에는 하루 종일 비가 내렸고 마을 사람들은 저녁까지 집에서 책을 읽으며 지냈다. 그리고 해가 다시 떴다." * 2,
    "th": "ฝนตกบนที่ราบตลอดทั้งวันและผู้คนในเมืองอยู่บ้านอ่านหนังสือจนถึงเย็นแล้วดวงอาทิตย์ก็ออกมาอีกครั้ง",
}


def page(text: str, lang: str = "") -> str:
    menu = "".join(f"<li><a href=/{n}>Menu entry in English number {n}</a></li>" for n in range(20))
    return f"<html lang='{lang}'><body><ul>{menu}</ul><p>{text}</p><p>{text}</p></body></html>"


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_detects_what_is_not_declared(read: Reader, language: str) -> None:
    found = read(page(TEXTS[language]))
    assert (found.inLanguage, found.sources["inLanguage"]) == (language, "detection")
    assert found.languageConfidence is not None
    assert 0.75 <= found.languageConfidence <= 1


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_believes_a_declaration_that_fits(read: Reader, language: str) -> None:
    found = read(page(TEXTS[language], f"{language}-XX"))
    assert (found.inLanguage, found.sources["inLanguage"]) == (language, "meta_tags")
    assert found.languageConfidence is None
    assert found.warnings == ()


@pytest.mark.parametrize("language", sorted(set(TEXTS) - {"en", "fr", "de"}))
def test_refuses_a_template_s_english(read: Reader, language: str) -> None:
    found = read(page(TEXTS[language], "en"))
    assert (found.inLanguage, found.sources["inLanguage"]) == (language, "detection")
    assert found.warnings[0].startswith("inLanguage: meta_tags says 'en', but the text is in ")


@pytest.mark.parametrize("language", ["ru", "zh", "el", "ar"])
def test_refuses_another_script_s_language_for_a_latin_text(read: Reader, language: str) -> None:
    found = read(page(TEXTS["en"] * 2, language))
    assert found.inLanguage == "en"
    assert found.languageConfidence == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("declared", "text", "language"), [
    ("sr", TEXTS["ru"], "sr"),
    ("sr", TEXTS["en"], "sr"),
    ("fr", TEXTS["de"], "fr"),
    ("ru", TEXTS["uk"], "ru"),
    ("en", TEXTS["en"].replace("books", "cafés, où Beyoncé señaló"), "en"),
    ("en", "Да.", "en"),
    ("ja", TEXTS["zh"], "ja"),
])  # fmt: skip
def test_leaves_a_doubt_to_the_site(read: Reader, declared: str, text: str, language: str) -> None:
    assert read(page(text, declared)).inLanguage == language


@pytest.mark.parametrize(("declared", "language"), [
    ("EN_us", "en"), ("English", "en"), ("German (Switzerland)", "de"), ("eng", "en"), ("fra", "fr"),
    ("pt-BR", "pt"), ("cn", "zh"), ("zh-Hant-TW", "zh"), ("en, sv", "en"), ("und", None), ("utf-8", None),
    ("x-default", None), ("{{ lang }}", None),
])  # fmt: skip
def test_reads_codes_and_names(read: Reader, declared: str, language: str | None) -> None:
    assert read(f"<html lang='{declared}'><p>Rain.</p></html>").inLanguage == language


def test_does_not_guess_from_a_few_words(read: Reader) -> None:
    found = read("<h1>Rain in Spain</h1><p>Oslo 4 : 2 Bern</p>")
    assert (found.inLanguage, found.languageConfidence) == (None, None)


def test_asks_json_ld_first(read: Reader, script: Writer) -> None:
    article = {"@type": "NewsArticle", "headline": "Pluie", "inLanguage": {"@type": "Language", "name": "French"}}
    found = read(script(article) + page(TEXTS["fr"], "en"))
    assert (found.inLanguage, found.sources["inLanguage"]) == ("fr", "json_ld")


# The language model that is unpacked once and mapped from a folder afterwards.

MODEL_TEXTS = (
    "The council of the town has decided that the bridge over the river is to be opened next week.",
    "Le conseil municipal a décidé que le pont sur la rivière sera ouvert la semaine prochaine.",
    "Der Stadtrat hat beschlossen, dass die Brücke über den Fluss nächste Woche eröffnet wird.",
    "Rada miasta postanowiła, że most na rzece zostanie otwarty w przyszłym tygodniu.",
    "Городской совет решил, что мост через реку будет открыт на следующей неделе.",
    "市议会决定，河上的大桥将于下周开放，届时将举行盛大的开幕仪式。",
    "1234 5678",
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the model."""
    folder = tmp_path_factory.mktemp("cache") / "not" / "there"
    language_identifier((), folder)
    return folder


def test_it_answers_as_the_package_does(cache: Path) -> None:
    mapped, package = language_identifier((), cache), language_model._unpacked(())
    assert [mapped.rank(text) for text in MODEL_TEXTS] == [package.rank(text) for text in MODEL_TEXTS]
    assert [mapped.classify(text)[0] for text in MODEL_TEXTS[:6]] == ["en", "fr", "de", "pl", "ru", "zh"]


def test_what_is_in_the_folder_is_not_unpacked_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "_unpacked", None)
    assert language_identifier((), cache).classify(MODEL_TEXTS[0])[0] == "en"
    assert len(list(cache.iterdir())) == 1, "nothing is left of the writing"


def test_other_languages_are_another_model(cache: Path) -> None:
    identifier = language_identifier({"fr"}, cache)
    assert "fr" not in identifier.labels
    assert "fr" in language_identifier((), cache).labels


@pytest.mark.parametrize("left", [0, 1000])
def test_a_file_that_is_not_whole_is_written_again(cache: Path, left: int) -> None:
    (folder,) = (found for found in cache.iterdir() if found == language_model._folder((), cache))
    whole = (folder / "tk_nextmove.npy").stat().st_size
    with (folder / "tk_nextmove.npy").open("r+b") as file:
        file.truncate(left)
    assert language_identifier((), cache).classify(MODEL_TEXTS[1])[0] == "fr"
    assert (folder / "tk_nextmove.npy").stat().st_size == whole


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert language_identifier((), tmp_path / "file" / "folder").classify(MODEL_TEXTS[2])[0] == "de"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
