"""Training on made-up pages: labels, folds, and the whole way from corpora to weights and card."""

from __future__ import annotations

import importlib.util
import json
import lzma
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.model import load
from training import __main__ as command
from training.blocks import Fitting, bags_of, content_shares, learn_names, read_examples, text_labels
from training.judging import bins_of, by_column, by_corpus, by_language, by_site, error, estimates, held_out, snippets

if TYPE_CHECKING:
    from pathlib import Path

needs_catboost = pytest.mark.skipif(
    importlib.util.find_spec("catboost") is None, reason="training needs the extra `train`"
)
TOWNS = "Aachen Bergen Cluj Dijon Elbing Faro Ghent Hanau Imola Jaca Kiel Lund".split()


def test_labels_are_the_share_of_a_block_that_the_gold_has_in_its_order() -> None:
    texts = ["Home page", "One two three four", "five six nine nine", "two three"]
    assert text_labels(texts, "One two three four\nfive six seven").tolist() == [0.0, 1.0, 0.5, 0.0]


def test_single_words_that_agree_by_chance_do_not_count() -> None:
    assert text_labels(["read the news", "the"], "what the man said of the news of the day").tolist()[0] == 0.0


def test_bags_measure_like_the_evaluation() -> None:
    bags = bags_of(["one two", "two three", "four"], "one two three")
    assert bags.f1(np.array([True, False, False])) == pytest.approx(2 * 2 / (2 + 3))
    assert bags.f1(np.array([True, True, False])) == pytest.approx(2 * 3 / (4 + 3))
    assert bags.f1(np.zeros(3, np.bool_)) == 0.0


def source(town: str, number: int) -> str:
    story = "".join(
        f"<p>In {town} the {n}th day brought rain, wind and number {number}, said the guard.</p>" for n in range(6)
    )
    menu = "".join(f"<li><a href='/{n}'>{town} part {n}</a></li>" for n in range(8))
    notes = "".join(f"<div class=comment><p>What a day {n} in {town}, I say.</p></div>" for n in range(4))
    return f"<title>{town}</title><ul class=menu>{menu}</ul><div class=story><h1>{town}</h1>{story}</div>{notes}"


def records(corpus: str) -> list[dict[str, Any]]:
    made = []
    for number in range(24):
        town = TOWNS[number % len(TOWNS)]
        html = source(town, number)
        blocks = [block.text for block in Page(html).blocks if block.text.startswith("In ")]
        record: dict[str, Any] = {"id": f"{corpus}{number}", "html": html, "site": f"www.{town}.{corpus}.example"}
        if number == 1:  # a site that all corpora have, each under another host
            record["site"] = f"{corpus}.shared.com"
        if corpus == "trafilatura":
            record |= {"includes": [blocks[0]], "excludes": ["What a day 1"]}
        else:
            # Now and then a gold that is cut short, as in life.
            told = blocks[:2] if number % 7 == 3 else blocks
            record |= {"text": "\n".join(told), "language": ("zh" if corpus == "xmu" else "en")}
        made.append(record)
    return made


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    for name in command.CORPORA:
        with lzma.open(folder / f"{name}.jsonl.xz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records(name))
    return folder


def test_folds_share_no_site_and_a_corpus_left_out_shares_none_either(corpora: Path) -> None:
    examples = read_examples([corpora / f"{name}.jsonl.xz" for name in ("dragnet", "chaos")], 1)
    judged: list[str] = []
    for _, train, test in by_site(examples):
        assert not {example.site for example in train} & {example.site for example in test}
        judged += [example.id for example in test]
    assert sorted(judged) == sorted(example.id for example in examples)
    for _, train, test in by_corpus(examples):
        assert {example.corpus for example in train}.isdisjoint(example.corpus for example in test)
        assert {example.site for example in train}.isdisjoint(example.site for example in test)
        assert "shared.com" in {example.site for example in test}
    assert [example.is_trained_on for example in examples if example.corpus == "chaos"] == [False] * 24


def test_a_language_left_out_is_left_out_of_all_corpora(corpora: Path) -> None:
    examples = read_examples([corpora / f"{name}.jsonl.xz" for name in ("dragnet", "xmu", "wcxb", "magic")], 1)
    names = []
    for name, train, test in by_language(examples):
        names.append(name)
        assert {example.language for example in train}.isdisjoint(example.language for example in test)
        assert {example.site for example in train}.isdisjoint(example.site for example in test)
    assert names == ["without-en", "without-zh"]


def test_hosts_of_one_domain_are_one_site_and_blogs_of_one_host_are_not(tmp_path: Path) -> None:
    hosts = (
        "http://news.example.co.uk/1",
        "https://example.co.uk/2",
        "http://ann.blogspot.com/",
        "http://bo.blogspot.com/",
    )
    lines = [json.dumps({"id": url, "url": url, "html": "<p>Some text", "text": "Some text"}) for url in hosts]
    (tmp_path / "made.jsonl").write_text("\n".join(lines))
    sites = [example.site for example in read_examples([tmp_path / "made.jsonl"], 1)]
    assert sites == ["example.co.uk", "example.co.uk", "ann.blogspot.com", "bo.blogspot.com"]


def test_scores_of_names_are_those_of_enough_sites_and_point_the_right_way(corpora: Path) -> None:
    examples = read_examples([corpora / "dragnet.jsonl.xz"], 1)
    shares = {id(example): content_shares(example) for example in examples}
    scores = learn_names(examples, shares).scores
    assert scores["story"] > 0 > scores["comment"]
    assert "story" not in learn_names(examples[:3], shares).scores


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
    assert "| chaos | 24 | 13 | research | validation only |" in text
    assert "\n| token F1 | newspaper4k | " in text
    assert all(line.endswith("|") for line in text.splitlines() if line.startswith("|"))
    page = Page(source("Malmo", 7))
    described, probabilities = load(str(tmp_path / "one.npz")).read(page)
    kept = [text for text, p in zip(described.layout.texts, probabilities, strict=True) if p > 0.5]
    assert kept == [block.text for block in page.blocks if block.text.startswith("In ")]


@needs_catboost
@pytest.mark.usefixtures("few_trees")
def test_what_is_reported_is_of_pages_not_trained_on(corpora: Path) -> None:
    examples = read_examples([corpora / f"{name}.jsonl.xz" for name in ("dragnet", "trafilatura")], 1)
    fitting = Fitting({id(example): content_shares(example) for example in examples})
    lines: list[str] = []
    outcomes = held_out(by_site(examples), fitting, lines.append)
    assert len(outcomes) == len(examples) == 48
    assert len(lines) == 3
    assert by_column(outcomes)["dragnet"] > 0.9
    assert snippets(outcomes) == (1.0, 0.0)
    bins = bins_of(*estimates(outcomes))
    assert sum(bin_.pages for bin_ in bins) == 24
    assert 0 <= error(bins) < 0.5


def test_without_corpora_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "xmu.jsonl.xz").touch()
    assert command.main([str(tmp_path)]) == 2
    problem = capsys.readouterr().err
    if importlib.util.find_spec("catboost"):
        assert "newspaper4k.jsonl.xz, wcxb.jsonl.xz" in problem
        assert "xmu" not in problem


def test_without_the_packages_the_command_says_what_brings_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "catboost" else SimpleNamespace())
    assert command.main([str(tmp_path)]) == 2
    assert "pip install 'newsextract[train]'" in capsys.readouterr().err
