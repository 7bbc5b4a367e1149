from __future__ import annotations

import json
from importlib.resources import files

import pytest

from newsextract.page.languages import NAME, is_code, is_known, is_right_to_left, month_forms, weekday_names
from newsextract.reading.metadata.written_dates import WIDESPREAD, month_names


def test_every_language_has_three_forms_of_twelve_months() -> None:
    tables = json.loads(files("newsextract.page").joinpath(NAME).read_text("utf-8"))
    assert {len(names) for names in tables["month_names"]} == {36}
    assert len(tables["months"]) > 300


@pytest.mark.parametrize("language", WIDESPREAD)
def test_the_widespread_languages_have_weekdays(language: str) -> None:
    assert len(weekday_names(language)) >= 7


def test_knows_former_codes_and_regions() -> None:
    assert month_forms("iw") == month_forms("he")
    assert month_names("de-AT")["jänner"] == 1
    assert month_names("pt-BR")["fevereiro"] == 2
    assert is_code("eo")
    assert not is_code("qq")


def test_knows_directions() -> None:
    assert [is_right_to_left(code) for code in ("ar", "he", "fa", "ur", "en")] == [True, True, True, True, False]
    assert not is_known("qq")
