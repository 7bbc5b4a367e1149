"""Shows how the extractor `template` reads each site: groups, times, the measures of the thesis, and a map."""

from __future__ import annotations

import statistics
from collections import Counter
from contextlib import suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from newsextract.evaluation.contest import timed
from newsextract.evaluation.measures import Text, cosine_scores
from newsextract.page.page import Page, PageError
from newsextract.page.text import count_words
from newsextract.reading.extraction.template import MIN_PAGES, SiteTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.extraction.template import State


MEASURES = ("exactitude", "cosine", "equal", "inside", "around", "element")
"""The measures of the thesis (Deturck 2015, section 5.2), as shares from 0 to 1, and how high `equal` can be."""

MAX_SHOWN = 20
"""Most pages of a site shown with their blocks: pivots and outliers first."""

MAX_BLOCK_CHARS = 600
"""Characters shown of a block."""

MAX_SHOWN_BLOCKS = 400
"""Blocks shown of a page."""


class SiteStructure(TypedDict):
    """A site: its pages in order, its figures, and some of its pages block by block."""

    site: str
    pages: list[dict[str, Any]]
    """Of each page its id, URL, title, `x` and `y` on the map from 0 to 1, `group`, whether it is a `pivot`, the number
    of the page that it is compared with (`pair`, `None` for an outlier), how many `words` were kept, the `text`, and if
    there is none, `why`."""
    groups: list[int]
    """How many pages each group has."""
    outliers: int
    answered: float
    """The share of the pages that have an answer."""
    zones: dict[str, int]
    """The elements that hold the bodies, as `div#main.story`, and on how many pages each does, the most first."""
    seconds: float
    measures: dict[str, float] | None
    """The means of `MEASURES`; `None` if no page has gold."""
    shown: dict[str, list[tuple[State, str]]]
    """By page number, its blocks: the state of each, and its text."""


def read_structure(site: str, pages: Iterable[tuple[GoldPage, Page]]) -> SiteStructure | None:
    """Return the structure of a site from its pages; `None` if there are too few. Raises what `SiteTemplate` raises."""
    read = list(pages)
    if len(read) < MIN_PAGES:
        return None
    template = SiteTemplate([page for _, page in read])
    found, milliseconds = timed(lambda: [template.extract(page) for page in template.pages])
    grouping = template.grouping
    scores = [_scores(gold, page, extraction) for (gold, page), extraction in zip(read, found, strict=True)]
    low, high = grouping.points.min(axis=0), grouping.points.max(axis=0)
    # One scale for both axes: distances on the map are those between the structures.
    points = (grouping.points - low) / max(float(np.max(high - low)), 1e-9)
    known = [score for score in scores if score is not None]
    return {
        "site": site,
        "pages": [
            {
                "id": gold.id,
                "url": gold.url,
                "title": " ".join((page.tree.findtext(".//title") or "").split())[:200],
                "x": round(float(points[number][0]), 4),
                "y": round(float(points[number][1]), 4),
                "group": grouping.groups[number],
                "pivot": number in grouping.pivots,
                "pair": template.pair(number),
                "words": count_words(found[number].text),
                "text": found[number].text,
                "why": ""
                if found[number]
                else str(next(iter(found[number].warnings), "all its text is on other pages")),
            }
            for number, (gold, page) in enumerate(read)
        ],
        "groups": [len(grouping.members(group)) for group in range(len(grouping.pivots))],
        "outliers": len(grouping.outliers),
        "answered": statistics.fmean(map(bool, found)),
        "zones": dict(
            Counter(
                _zone_name(template, page) for page, one in zip(template.pages, found, strict=True) if one
            ).most_common()
        ),
        "seconds": milliseconds / 1000,
        "measures": {name: statistics.fmean(score[name] for score in known) for name in MEASURES} if known else None,
        "shown": {str(number): _blocks(template, number, found[number]) for number in _shown(template, scores)},
    }


def measures_of(sites: Sequence[SiteStructure]) -> dict[str, float] | None:
    """Return the means of `MEASURES` over the pages of all sites; `None` if no site has gold."""
    known = [(site["measures"], len(site["pages"])) for site in sites if site["measures"] is not None]
    pages = sum(count for _, count in known)
    return {name: sum(means[name] * count for means, count in known) / pages for name in MEASURES} if known else None


def readable(golds: Iterable[GoldPage]) -> Iterator[tuple[GoldPage, Page]]:
    """Yield what can be read as a page, with it."""
    for gold in golds:
        with suppress(PageError):  # not a page, for instance an image
            yield gold, Page(gold.html, gold.url)


def _zone_name(template: SiteTemplate, page: Page) -> str:
    element = template.body(page)
    if element is None:
        return "-"
    tag = page.outline.elements[element]
    return "".join(
        (
            page.outline.tags[element],
            *(f"#{tag.get('id')}",)[: bool(tag.get("id"))],
            *(f".{name}" for name in (tag.get("class") or "").split()),
        )
    )


def _scores(gold: GoldPage, page: Page, found: Extraction) -> dict[str, float] | None:
    if gold.text is None:
        return None
    wanted = Text(gold.text)
    return {**cosine_scores(Text(found.text), wanted), "element": float(_is_element(page, wanted))}


def _is_element(page: Page, wanted: Text) -> bool:
    """Tell whether some element of a page has just this text."""
    runs = [Text(run).tokens for run in page.outline.runs]
    before = [0, *accumulate(map(len, runs))]
    tokens = [token for run in runs for token in run]
    bounds = zip(page.outline.run_starts, page.outline.run_stops, strict=True)
    spans = ((before[start], before[stop]) for start, stop in bounds)
    return any(stop - start == len(wanted.tokens) and tokens[start:stop] == wanted.tokens for start, stop in spans)


def _shown(template: SiteTemplate, scores: Sequence[Mapping[str, float] | None]) -> list[int]:
    """Return the pages to show: pivots, outliers, the worst by the gold, then the first."""
    grouping = template.grouping
    worst = sorted(range(len(scores)), key=lambda number: (scores[number] or {}).get("cosine", 1.0))
    numbers = (*grouping.pivots, *grouping.outliers, *worst)
    return list(dict.fromkeys(numbers))[:MAX_SHOWN]


def _blocks(template: SiteTemplate, number: int, found: Extraction) -> list[tuple[State, str]]:
    page = template.pages[number]
    states = template.states(page, found.blocks)
    texts = (block.text[:MAX_BLOCK_CHARS] for block in page.blocks)
    return list(zip(states, texts, strict=True))[:MAX_SHOWN_BLOCKS]


def write_site_page(sites: Sequence[SiteStructure], path: Path) -> None:
    """Write the map of the sites to a file; raises `ModuleNotFoundError` without jinja2."""
    from newsextract.evaluation.report_tables import filled  # noqa: PLC0415 - of an extra

    path.write_text(filled("site_map.html", sites=sites), encoding="utf-8")
