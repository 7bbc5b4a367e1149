"""Breadcrumbs in the visible page: the links of a list or navigation that is called so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.metadata.fields import Breadcrumb
from newsextract.metadata.findings import Findings
from newsextract.metadata.texts import visible_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from newsextract.metadata.clues import Clues

_CALLED_SO = re.compile(r"breadcrumb|fil d.ariane|brotkr|migas|briciole", re.IGNORECASE)
_LISTS = ("nav", "ol", "ul")
_NAMING_ATTRIBUTES = ("class", "id", "aria-label")
_MAX_LISTS = 60
"""Lists looked at: a trail stands above the article."""
_MAX_STEPS = 12
"""Deeper trails are menus."""
_MAX_STEP_CHARS = 200


def read(clues: Clues) -> Findings:
    """Return the first trail of links; a trail without links is decoration."""
    lists = [el for tag in _LISTS for el in clues.elements[tag][:_MAX_LISTS]]
    trails = (_steps(el) for el in lists if _is_trail(el))
    first = next((trail for trail in trails if 0 < len(trail) <= _MAX_STEPS), None)
    return Findings({"breadcrumbs": [first]} if first else {})


def _is_trail(el: HtmlElement) -> bool:
    """Tell whether the list, or what wraps it, is called a trail."""
    above = el.getparent()
    wrappers = (el,) if above is None else (el, above)
    labels = " ".join(filter(None, (each.get(name) for each in wrappers for name in _NAMING_ATTRIBUTES)))
    return _CALLED_SO.search(labels) is not None


def _steps(el: HtmlElement) -> tuple[Breadcrumb, ...]:
    links = [link for link in el.iter("a") if link.get("href")]
    return tuple(Breadcrumb(visible_text(link, _MAX_STEP_CHARS), link.get("href")) for link in links)
