"""Training the token classifier on made-up pages, from corpora to weights and a page read with them."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.selection import best_segment
from newsextract.reading.extraction.mss import WEIGHTS, page_tokens
from training import tokens as command
from training.tokens import CORPORA, read_token_examples

if TYPE_CHECKING:
    from pathlib import Path

TOWNS = "Aachen Bergen Cluj Dijon Elbing Faro Ghent Hanau Imola Jaca Kiel Lund".split()


def story(town: str) -> list[str]:
    return [f"In {town} day {n} brought rain, wind and sun, said the guard of the bridge." for n in range(6)]


def site_of(corpus: str, town: str) -> str:
    """One corpus is a single site."""
    return "portal.example" if corpus == "xmu" else f"{town}-{corpus}.example".lower()


def source(town: str) -> str:
    menu = "".join(f"<li><a href='/{n}'>{town} part {n}</a></li>" for n in range(40))
    told = "".join(f"<p>{line}</p>" for line in story(town))
    return f"<title>{town}</title><ul>{menu}</ul><div><h1>{town}</h1>{told}</div><ul>{menu}</ul>"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    for name in CORPORA:
        lines = (
            {"id": town, "html": source(town), "text": "\n".join(story(town)), "site": site_of(name, town)}
            for town in TOWNS
        )
        text = "\n".join(map(json.dumps, lines))
        (folder / f"{name}.jsonl.xz").write_bytes(lzma.compress(text.encode(), preset=0))
    return folder


def test_the_tokens_of_the_gold_and_the_tags_between_them_are_in_the_article(corpora: Path) -> None:
    (example, *_) = read_token_examples([corpora / "xmu.jsonl.xz"], 1)
    inside = example.tokens.runs[example.is_in]
    assert Page(source(TOWNS[0])).outline.runs[inside.min()].startswith(f"In {TOWNS[0]}")
    assert len(np.unique(inside)) == len(story(TOWNS[0]))
    assert example.f1(np.where(example.is_in, 0.5, -0.5)) == 1.0
    assert example.f1(np.full(len(example.is_in), -1.0)) == 0.0


def test_a_training_writes_weights_that_find_the_story(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = tmp_path / "weights.npz"
    arguments = [str(corpora), "--weights", str(weights), "--jobs", "1"]
    assert command.main(arguments) == 0
    assert "unseen sites: newspaper4k 0." in capsys.readouterr().out
    outline = Page(source("Metz")).outline
    tokens = page_tokens(outline)
    start, stop = best_segment(WEIGHTS.load(str(weights)).scores(tokens))
    kept = outline.runs[tokens.runs[start] : tokens.runs[stop - 1] + 1]
    assert story("Metz") == [line for line in kept if line.startswith("In Metz")]
    assert sum("Metz part" in line for line in kept) < 4  # of eighty
