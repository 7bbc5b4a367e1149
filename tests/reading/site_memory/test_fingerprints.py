"""Fingerprints: the same for the same text and place, in any process."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.page_groups import fingerprint, text_keys

TEXTS = ["Rain in Spain", "雨天 １２ 次", "🎉 done", "12", "x" * 40_000]


def keys(*texts: str) -> list[int]:
    return [int(key) for key in text_keys(list(texts), np.array([len(text) for text in texts]))]


def test_are_the_same_in_every_process() -> None:
    code = (
        "import numpy as np; from newsextract.reading.page_groups import text_keys as keys;"
        f"texts = {TEXTS!r}; print(keys(texts, np.array([len(t) for t in texts])).tolist())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(keys(*TEXTS))


@pytest.mark.parametrize(
    ("one", "other"),
    [("3 comments", "128 comments"), ("Updated May 1 at 10:00", "Updated May 24 at 8:30"), ("第1页", "第１２页")],
)
def test_look_past_digits(one: str, other: str) -> None:
    assert keys(one) == keys(other)


def test_tell_numbers_apart() -> None:
    assert len(set(keys("432", "433", "1,204.5 m"))) == 3


def test_tell_texts_apart() -> None:
    texts = [f"{a}{b} {b}{a}" for a in "abcdefgh" for b in "abcdefgh"]
    assert len(set(keys(*texts))) == len(texts)


def test_do_not_depend_on_the_texts_around() -> None:
    assert keys("one", "two", "three")[1] == keys("two")[0]


def test_places_are_tags_and_classes_without_numbers() -> None:
    def place(attributes: str) -> int:
        return int(fingerprint(Page(f"<div {attributes}><p>text</p></div>").outline).places[0])

    assert place("class='post post-12' id=a") == place("class='post-7 post' id=b")
    assert place("class=post") != place("class=aside")


def test_a_page_without_text_has_none() -> None:
    assert len(fingerprint(Page("<img src=a>").outline).keys) == 0
