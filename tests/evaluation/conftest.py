from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.evaluation.results import Disagreement, Group, PageRow, PageScore, Results, Summary

HOSTILE = (
    "</script><script>alert('x')</script><img src=https://leak.invalid/a.png onerror=alert(1)>$\\frac{1}$&amp;\u2028\0"
)
"""Text that pages and names may contain: ends of elements, entities, formulas, line separators, NUL."""

MEASURES = ["token_f1", "token_precision", "token_recall", "cleaneval_f", "shingle_f1", "exact"]
PAGE_MEASURES = [name for name in MEASURES if name != "shingle_f1"]
"""Shingle F1 is averaged over groups only."""

LANGUAGES = ("en", "fr", "zh")


def make_page(number: int, extractors: list[str], noise: random.Random) -> PageRow:
    corpus = ("gazette", "courier")[number % 2]
    scores: dict[str, PageScore] = {}
    for rank, name in enumerate(extractors):
        quality = min(max(noise.gauss(0.9 - 0.07 * rank, 0.05), 0.0), 1.0)
        failed = number == 7 and rank == 0
        scores[name] = {
            "ms": 1.5 * (rank + 1),
            "error": HOSTILE if failed else None,
            **dict.fromkeys(PAGE_MEASURES, 0.0 if failed else quality),
        }
    site = HOSTILE if number == 3 else f"news{number % 5}.example"
    url = f"https://{site}/story/{number}" if number % 4 else "javascript:alert(1)"
    language = LANGUAGES[number % 3]
    return {"corpus": corpus, "id": f"p{number}", "site": site, "language": language, "url": url, "scores": scores}


def make_group(pages: list[PageRow], name: str) -> Group:
    def mean(measure: str) -> float:
        values = [page["scores"][name].get(measure, 0.5) for page in pages]
        return sum(float(value or 0.0) for value in values) / len(values)

    bars = {m: {"mean": mean(m), "low": mean(m) - 0.01, "high": mean(m) + 0.01} for m in MEASURES}
    counts = {"pages": len(pages), "errors": 1, "too_slow": 0, "empty": 2}
    return {**counts, "ms": mean("ms"), "x_parse": mean("ms") / 1.5, "measures": bars}  # type: ignore[typeddict-item]


def make_summary(pages: list[PageRow], name: str) -> Summary:
    def by(kind: str) -> dict[str, Group]:
        keys = sorted({str(page[kind]) for page in pages})  # type: ignore[literal-required]
        return {key: make_group([page for page in pages if page[kind] == key], name) for key in keys}  # type: ignore[literal-required]

    return {"all": make_group(pages, name), "corpus": by("corpus"), "language": by("language"), "site": by("site")}


def make_worst(pages: list[PageRow]) -> list[Disagreement]:
    return [
        {
            "corpus": page["corpus"],
            "id": page["id"],
            "url": page["url"],
            "site": page["site"],
            "language": page["language"],
            "token_f1": 0.1,
            "segments": [
                ("kept", f"Story {page['id']} begins. "),
                ("lost", HOSTILE),
                ("noise", "Subscribe to our letter! "),
            ],
        }
        for page in pages[:4]
    ]


def make_results(count: int = 24, extractors: tuple[str, ...] = ("mss", "eatiht", "dom_criteria")) -> Results:
    noise, names = random.Random(1), list(extractors)  # noqa: S311 (scores, not secrets)
    pages = [make_page(number, names, noise) for number in range(count)]
    corpora = sorted({page["corpus"] for page in pages})
    return {
        "version": "0.1.0",
        "created": "2026-11-20T20:00:00+00:00",
        "command": f"newsextract evaluate gazette {HOSTILE}",
        "corpora": [
            {"name": name, "pages": count // 2 + 1, "scored": count // 2, "left_out": 1,
             "bad_records": [{"place": "gazette.jsonl:12", "reason": HOSTILE}]}
            for name in corpora
        ],
        "extractors": names,
        "measures": MEASURES,
        "parse_ms": 1.5,
        "summary": {name: make_summary(pages, name) for name in names},
        "pages": pages,
        "worst": {name: make_worst(pages) for name in names},
    }  # fmt: skip


@pytest.fixture
def results() -> Results:
    """Return the results of three extractors on 24 pages, some of them hostile."""
    return make_results()


@pytest.fixture
def results_of() -> Callable[..., Results]:
    """Return a function that makes results for a number of pages and any extractors."""
    return make_results


@pytest.fixture
def hostile() -> str:
    """Return a text that would break out of an unescaped page."""
    return HOSTILE
