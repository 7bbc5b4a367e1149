"""Write the results for the report's scripts: by column, with scores in thousandths to keep the file small."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from newsextract.lab.evaluation.reports.figure_formats import label, measured, overall, primary, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from newsextract.lab.evaluation.contest.results import Disagreement, Group, PageRow, Results, Segment

MAX_CELLS = 800_000
"""Most scores in a report, about four bytes each; further measures are shown by group but not page by page."""

MAX_WORST_CHARS = 2_500_000
"""Most text in a report, shared evenly by the pages that are shown in full."""

MAX_PAGE_CHARS = 24_000
"""Most text of one page: the length of a very long article."""

UNKNOWN = "unknown"
"""Shown for a page without a language or a site."""

# A script element ends at the first `</script`, wherever it is; the others end a line in older browsers.
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def embedded(results: Results) -> str:
    """Return the results as JSON that is safe in a script element."""
    return script_safe(_content(results))


def script_safe(content: object) -> str:
    """Return plain values as JSON that is safe in a script element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def broken_safe(text: str) -> str:
    """Return a page that can be written: without lone surrogates and NULs, which HTML does not allow."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _content(results: Results) -> dict[str, Any]:
    order, measures = ranked(overall(results), primary(results)), measured(results)
    pages = results["pages"]
    return {
        "extractors": order,
        "primary": primary(results),
        "measures": [[name, label(name)] for name in measures],
        "groups": {name: _groups(results, name) for name in order},
        "pages": {
            "id": [page["id"] for page in pages],
            "url": [web_address(page["url"]) for page in pages],
            **{key: _indexed([page[key] or UNKNOWN for page in pages]) for key in ("corpus", "language", "site")},
        },
        "scores": dict(_scores(pages, order, measures)),
        "ms": [[_round(page["scores"].get(name, {}).get("ms"), 100) for page in pages] for name in order],
        "errors": dict(_errors(pages, order)),
        "worst": _worst(results["worst"], order),
    }


def web_address(url: str | None) -> str | None:
    """Return a URL that is safe to link to, `None` for any other, such as a script.

    >>> web_address("https://example.com/a"), web_address("javascript:alert(1)")
    ('https://example.com/a', None)
    """
    return url if url and url.lower().startswith(("https://", "http://")) else None


def _indexed(values: Sequence[str]) -> dict[str, list[Any]]:
    names = sorted(set(values))
    places = {name: place for place, name in enumerate(names)}
    return {"names": names, "of": [places[value] for value in values]}


def _round(value: float | str | None, scale: int = 1000) -> int | None:
    return round(value * scale) if isinstance(value, int | float) and math.isfinite(value) else None


def _scores(pages: Sequence[PageRow], order: Sequence[str], measures: Sequence[str]) -> Iterator[tuple[str, Any]]:
    room = max(MAX_CELLS // max(len(pages) * len(order), 1), 3)
    for measure in measures[:room]:
        columns = [[_round(page["scores"].get(name, {}).get(measure)) for page in pages] for name in order]
        if any(value is not None for column in columns for value in column):
            yield measure, columns


def _errors(pages: Sequence[PageRow], order: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, page in enumerate(pages):
        for rank, name in enumerate(order):
            if error := page["scores"].get(name, {}).get("error"):
                yield f"{rank} {number}", str(error)[:300]


def _groups(results: Results, name: str) -> dict[str, Any]:
    summary = results["summary"][name]
    kinds = {"corpus": summary["corpus"], "language": summary["language"]}
    each = {kind: {key or UNKNOWN: _group(group) for key, group in groups.items()} for kind, groups in kinds.items()}
    return {"all": _group(summary["all"]), **each}


def _group(group: Group) -> dict[str, Any]:
    measures = {
        name: [_round(value, 10_000) for value in (bar["mean"], bar["low"], bar["high"])]
        for name, bar in group["measures"].items()
    }
    counts = {key: group[key] for key in ("pages", "errors", "too_slow", "empty")}
    return {**counts, "ms": _round(group["ms"], 100), "x_parse": _round(group["x_parse"], 100), "measures": measures}


def _worst(worst: Mapping[str, Sequence[Disagreement]], order: Sequence[str]) -> list[list[dict[str, Any]]]:
    count = sum(len(worst.get(name, ())) for name in order)
    limit = min(MAX_PAGE_CHARS, MAX_WORST_CHARS // max(count, 1))
    return [[_disagreement(page, limit) for page in worst.get(name, ())] for name in order]


def _disagreement(page: Disagreement, limit: int) -> dict[str, Any]:
    return {
        "id": page["id"],
        "url": web_address(page["url"]),
        **{key: page[key] or UNKNOWN for key in ("corpus", "site", "language")},
        "score": _round(page["token_f1"]),
        "chars": {
            kind: sum(len(text) for k, text in page["segments"] if k == kind) for kind in ("kept", "lost", "noise")
        },
        "segments": list(shorten(page["segments"], limit)),
    }


def shorten(segments: Iterable[Segment], limit: int) -> Iterator[tuple[str, str]]:
    """Yield the segments up to a number of characters; a long one loses its middle, and cut characters are counted.

    >>> list(shorten([("kept", "abc"), ("noise", "x" * 90), ("lost", "end")], 24))
    [('kept', 'abc'), ('noise', 'xxx'), ('cut', '84'), ('noise', 'xxx'), ('lost', 'end')]
    """
    side = max(limit // 8, 1)
    left = limit
    for kind, text in segments:
        if left <= 0:
            yield "cut", str(len(text))
            continue
        if len(text) <= 2 * side:
            yield kind, text
        else:
            yield kind, text[:side]
            yield "cut", str(len(text) - 2 * side)
            yield kind, text[-side:]
        left -= min(len(text), 2 * side)
