"""Breadcrumbs in the visible page: the links of a list or `<nav>` whose class, id or label says "breadcrumb"."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.article import Breadcrumb
from newsextract.page.html_elements import names_of
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.text_folding import visible_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

_CALLED_SO = re.compile(r"breadcrumb|fil d.ariane|brotkr|migas|briciole")
"""Names in lower case: ignoring case in a pattern takes several times as long."""
_LISTS = ("nav", "ol", "ul")
_MAX_LISTS = 60
"""Lists looked at: the trail is above the article."""
_MAX_TRAILS = 10
"""Trails read: a page has one, perhaps a second for small screens."""
_MAX_LABEL_CHARS = 300
_MAX_STEPS = 12
"""Deeper trails are menus."""
_MAX_STEP_CHARS = 200


def read(clues: Clues) -> Findings:
    """Return the first trail that has links; one without links is decoration."""
    lists = [el for tag in _LISTS for el in clues.elements[tag][:_MAX_LISTS]]
    trails = map(_steps, islice(filter(_is_trail, lists), _MAX_TRAILS))
    first = next((trail for trail in trails if 0 < len(trail) <= _MAX_STEPS), None)
    return Findings({"breadcrumbs": [first]} if first else {})


def _is_trail(el: HtmlElement) -> bool:
    """Tell whether the list or its parent is named a breadcrumb trail."""
    above = el.getparent()
    wrappers = (el,) if above is None else (el, above)
    return any(_CALLED_SO.search(_labels(each).lower()) for each in wrappers)


def _labels(el: HtmlElement) -> str:
    return f"{names_of(el)} {el.get('aria-label', '')[:_MAX_LABEL_CHARS]}"


def _steps(el: HtmlElement) -> tuple[Breadcrumb, ...]:
    links = islice((link for link in islice(el.iter("a"), 5 * _MAX_STEPS) if link.get("href")), _MAX_STEPS + 1)
    return tuple(Breadcrumb(visible_text(link, _MAX_STEP_CHARS), link.get("href")) for link in links)
