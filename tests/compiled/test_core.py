"""The compiled core, its source interpreted, and numpy say the same to the last bit."""

from __future__ import annotations

import json
import lzma
import random
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest

from newsextract import compiled
from newsextract.compiled import feature_loops, outline_loops
from newsextract.page.page import Page
from newsextract.reading.article_reader import read_article
from newsextract.reading.extraction.block_classifier.block_model import load
from newsextract.reading.extraction.block_classifier.context_features import in_context
from newsextract.reading.extraction.contract import create_extractor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Pages: TypeAlias = "Sequence[tuple[str, str | None]]"
Core: TypeAlias = tuple[Any, Any]
CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
PAGES_OF_EACH = 12

_TAGS = "div section article ul li p p p span a b h1 h2 td table figure figcaption blockquote main form".split()
_TEXTS = (
    "The rain in Spain, they say, stays mainly in the plain.", "Menu", "  ", "\n", "新聞 “の” 記事。", "𠮷野家 🙂",
    "It rained. It rained again, and nobody had brought an umbrella but one man.", "a\u00ad\u200bb", "(He said: no.)",
    "Wait...",
)  # fmt: skip
_CLASSES = ("", " class='article-body'", " class='related posts'", " id=comments", " style='display: none'", " hidden")


def markup(seed: int) -> str:
    """Return a page of nested elements, some of them hidden, named or never closed."""
    rng = random.Random(seed)  # noqa: S311 - a test's pages
    parts = ["<html><head><title>The rain in Spain</title></head><body>"]
    closing: list[str] = []
    for _ in range(rng.choice((1, 3, 20, 120, 600))):
        tag = rng.choice(_TAGS)
        link = " href=/x" if tag == "a" and rng.random() < 0.8 else ""
        parts.append(f"<{tag}{rng.choice(_CLASSES) if rng.random() < 0.4 else ''}{link}>{rng.choice(_TEXTS)}")
        closing.append(f"</{tag}>")
        if rng.random() < 0.1:
            parts.append("<br><br>" if rng.random() < 0.5 else "<br>")
        while closing and rng.random() < 0.55:
            parts.append(f"{closing.pop()}{rng.choice(_TEXTS) if rng.random() < 0.3 else ''}")
    return "".join(parts)


def answers(pages: Pages) -> Iterator[list[Any]]:
    """Yield all that is computed of each page."""
    auto, model = create_extractor("auto"), load()
    for html, url in pages:
        page = Page(html, url)
        outline = page.outline
        arrays, characters = outline.arrays, outline.characters
        found: list[Any] = [outline.runs, arrays.nesting.parents, arrays.stops, arrays.nesting.opened]
        found += [arrays.nesting.closed, arrays.owners, arrays.events, arrays.holders, arrays.linked, arrays.bounds]
        found += [characters.counts, characters.lengths, characters.first, characters.last]
        if outline.table.texts:
            described, second = model.read(page)
            first = model.first.probabilities(described.features)
            found += [described.features, first, in_context(described, first), second]
        extraction = auto.extract(page)
        article = read_article(page)
        assert article.metadata
        judged = replace(article.metadata, dateDownloaded="")
        yield [*found, extraction.text, extraction.estimate, article.articleBodyHtml, judged]


def assert_same(
    pages: Sequence[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch, outline: Any, features: Any
) -> None:
    """Compare the answers of two loaded parts with those of numpy."""
    monkeypatch.setattr(compiled, "outline", None)
    monkeypatch.setattr(compiled, "features", None)
    expected = list(answers(pages))
    monkeypatch.setattr(compiled, "outline", outline)
    monkeypatch.setattr(compiled, "features", features)
    for number, (one, other) in enumerate(zip(answers(pages), expected, strict=True)):
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            if isinstance(theirs, np.ndarray):
                assert mine.dtype == theirs.dtype
                assert np.array_equal(mine, theirs), (number, place)
            else:
                assert mine == theirs, (number, place)


@pytest.fixture
def core() -> Core:
    if compiled.outline is None:
        pytest.skip(f"the compiled core is {compiled.state}: `make core` builds it")
    return compiled.outline, compiled.features


def test_generated_pages_are_the_same_with_it_and_without(
    core: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same([(markup(seed), None) for seed in range(60)], monkeypatch, *core)


def test_its_source_says_the_same_where_it_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    def signatures(lineage: Any, kinds: Any, classes: Any, *found: Any) -> None:
        # numpy's integers have 64 bits and a sign; Python's are as large as it takes.
        feature_loops.signatures(lineage.astype(object), kinds.astype(object), classes.astype(object), *found)

    features = SimpleNamespace(**{**vars(feature_loops), "signatures": signatures})
    pages = [(markup(seed), None) for seed in range(12)]
    assert_same([page for page in pages if len(page[0]) < 5_000], monkeypatch, outline_loops, features)


@pytest.mark.corpus
def test_real_pages_are_the_same_with_it_and_without(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    if not CORPORA.is_dir():
        pytest.skip("the corpora are not beside the repository")
    pages = []
    for path in sorted(CORPORA.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            rows = map(json.loads, islice(lines, PAGES_OF_EACH))
            pages += [(row["html"].encode("utf-8", "replace").decode(), row.get("url")) for row in rows]
    assert_same(pages, monkeypatch, *core)


def test_it_is_not_used_when_its_source_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stale_core").mkdir()
    for part in compiled.PARTS:
        (tmp_path / "stale_core" / f"{part}_built.py").write_text('SOURCE = "another"\n')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(RuntimeWarning, match="make core"):
        outline, features, state = compiled.load("stale_core")
    assert (outline, features) == (None, None)
    assert "make core" in state


def test_what_was_built_of_this_source_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fresh_core").mkdir()
    for part in compiled.PARTS:
        (tmp_path / "fresh_core" / f"{part}_built.py").write_text(f'SOURCE = "{compiled.fingerprint(part)}"\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(compiled.SWITCH, raising=False)
    outline, features, state = compiled.load("fresh_core")
    assert (outline.__name__, features.__name__) == ("fresh_core.outline_loops_built", "fresh_core.feature_loops_built")
    assert state == compiled.IN_USE


def test_it_can_be_absent_or_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(compiled.SWITCH, raising=False)
    assert compiled.load("newsextract.page") == (None, None, "not built")
    monkeypatch.setenv(compiled.SWITCH, "0")
    assert compiled.load() == (None, None, "switched off by NEWSEXTRACT_CORE=0")
