"""Training the page classifier on made-up pages, from corpora to weights and card."""

from __future__ import annotations

import importlib.util
import json
import lzma
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from newsextract.reading.kinds import load
from training import kinds as command
from training.judging import error
from training.kinds import CORPORA, FOLDS, LABELLED, PageOutcome, read_page_examples, reliability, sample, scores

if TYPE_CHECKING:
    from pathlib import Path

needs_catboost = pytest.mark.skipif(
    importlib.util.find_spec("catboost") is None, reason="training needs the extra `train`"
)
TYPES = ("article", "article", "article", "listing", "product", "forum")


def source(label: str, number: int) -> str:
    sentence = f"On the {number}th day it rained in the town, and the guard said that the bridge would be closed. "
    if label == "article":
        told = "".join(f"<p>{sentence}He was to see {n} boats, and all {n} were safe.</p>" for n in range(8))
        return f"<html><head><title>Rain</title></head><body><article><h1>Rain {number}</h1>{told}</article>"
    links = "".join(f"<li><a href='/{n}'>A headline of some words {n}</a></li>" for n in range(20))
    return f"<title>{label}</title><ul>{links}</ul><p>{sentence}</p><form><input><button>Go</button></form>"


def records(corpus: str) -> list[dict[str, Any]]:
    made = []
    for number in range(24):
        label = TYPES[number % len(TYPES)] if corpus == LABELLED else "article"
        record = {"id": f"{corpus}{number}", "html": source(label, number), "text": "The gold.", "language": "en"}
        record["url"] = f"https://site{number}.{corpus}.example/a-story-of-the-day-{number}"
        made.append(record | ({"page_type": label} if corpus == LABELLED else {}))
    return made


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    for name in CORPORA:
        lines = "\n".join(map(json.dumps, records(name)))
        (folder / f"{name}.jsonl.xz").write_bytes(lzma.compress(lines.encode(), preset=0))
    return folder


@needs_catboost
@pytest.mark.usefixtures("few_trees")
def test_a_training_goes_from_corpora_to_weights_and_card_the_same_each_time(corpora: Path, tmp_path: Path) -> None:
    written = []
    for turn in ("one", "two"):
        weights, card = tmp_path / f"{turn}.npz", tmp_path / turn / "card.md"
        assert command.main([str(corpora), "--weights", str(weights), "--card", str(card), "--jobs", "1"]) == 0
        written.append((weights.read_bytes(), card.read_bytes()))
    assert written[0] == written[1]
    text = written[0][1].decode()
    assert "{" not in text
    assert "| chaos | 24 | 24 | research | validation only |" in text
    model = load(str(tmp_path / "one.npz"))
    other, article = model.chances(model.typical)[:, 0].tolist()
    assert other < 0.5 < article


@needs_catboost
@pytest.mark.usefixtures("few_trees")
def test_pages_are_shown_whole_without_their_address_and_bare(corpora: Path) -> None:
    examples = read_page_examples([corpora / f"{LABELLED}.jsonl.xz"], 1)
    assert {example.kind for example in examples} == {"article", "thread", "listing", "other"}
    assert all(0 <= example.fold(FOLDS) < FOLDS for example in examples)
    shown = sample(examples, "article")
    features = examples[0].features
    assert features is not None
    address = features.places["address"]
    whole, hidden, bare = np.split(shown.rows, 3)
    assert (whole[:, address] >= 0).all()
    assert (hidden[:, address] == -1).all()
    assert (bare[:, features.places["names"]] == 0).all()
    assert shown.labels.tolist() == [float(example.is_article) for example in examples] * 3


@needs_catboost
@pytest.mark.usefixtures("few_trees")
def test_scores_are_those_of_the_corpus_that_has_pages_of_all_kinds(corpora: Path) -> None:
    examples = read_page_examples([corpora / f"{name}.jsonl.xz" for name in (LABELLED, "chaos")], 1)
    sure = [PageOutcome(example, (float(example.is_article), 0.0, 0.0, 0.0)) for example in examples]
    assert scores(sure, 0.5).f1 == pytest.approx(1)
    assert error(reliability(sure)) == 0
    everything = [PageOutcome(example, (0.9, 0.0, 0.1, 0.0)) for example in examples]
    assert (scores(everything, 0.5).precision, scores(everything, 0.5).recall) == (0.5, 1.0)
    assert {outcome.kind(0.95) for outcome in everything} == {"listing"}


def test_without_corpora_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "wcxb.jsonl.xz" in said or "newsextract[train]" in said


def test_without_the_packages_the_command_says_what_brings_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert command.main([str(tmp_path)]) == 2
    assert "pip install 'newsextract[train]'" in capsys.readouterr().err
