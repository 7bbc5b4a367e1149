"""The language model that is unpacked once and mapped from a folder afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.reading.metadata import language as language_model
from newsextract.reading.metadata.language import language_identifier

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = (
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
    assert [mapped.rank(text) for text in TEXTS] == [package.rank(text) for text in TEXTS]
    assert [mapped.classify(text)[0] for text in TEXTS[:6]] == ["en", "fr", "de", "pl", "ru", "zh"]


def test_what_is_in_the_folder_is_not_unpacked_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "_unpacked", None)
    assert language_identifier((), cache).classify(TEXTS[0])[0] == "en"
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
    assert language_identifier((), cache).classify(TEXTS[1])[0] == "fr"
    assert (folder / "tk_nextmove.npy").stat().st_size == whole


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert language_identifier((), tmp_path / "file" / "folder").classify(TEXTS[2])[0] == "de"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
