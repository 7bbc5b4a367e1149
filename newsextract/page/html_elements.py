"""What HTML's elements mean to a reader: which ones break the line, which bear no text, which are hidden."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

BLOCK_LEVEL = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p "
    "pre search section summary table tbody td tfoot th thead tr ul".split()
)
"""Elements that start a new line, by the rendering section of the HTML Standard; cells and buttons stand apart too."""

TEXTLESS = frozenset(
    "applet audio canvas datalist embed head iframe noembed noframes noscript object script select style svg template "
    "textarea title video".split()
)
"""Elements whose text is for programs, or is shown only when something else fails."""

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""Elements with one tag instead of two."""

# With a prefix it is another property: `backface-visibility: hidden` hides nothing.
_HIDING_STYLE = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_HIDING_WORDS = ("none", "hidden", "collapse")
_MAX_NAMES_CHARS = 300
"""Characters of an element's class and id that are read: longer ones are generated."""
_UNSEEN = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screenreader-only|element-invisible|u-hidden-visually)(?=$|\s)"
)
"""Classes of Bootstrap, HTML5 Boilerplate, WordPress, Drupal and others for texts that only screen readers read."""
_WHOLE_PAGE = ("html", "body")
_STREAMED = "S:"
"""Start of the ids under which React sends parts of a page hidden, to put them in place by script (React 18)."""


def names_of(element: HtmlElement) -> str:
    """Return the start of an element's class and id: what its authors call it."""
    return f"{element.get('class', '')[:_MAX_NAMES_CHARS]} {element.get('id', '')[:_MAX_NAMES_CHARS]}"


def is_for_screen_readers(element: HtmlElement) -> bool:
    """Tell whether an element has a class by which frameworks and content management systems hide it from sight."""
    names = element.get("class")
    return names is not None and _UNSEEN.search(names[:_MAX_NAMES_CHARS]) is not None


def is_hidden(element: HtmlElement, tag: str) -> bool:
    """Tell whether the page hides an element by an attribute or inline style.

    `html` and `body` never are: pages that hide all of themselves show it again by script.
    """
    style = element.get("style")
    if style is None:
        has_attribute = element.get("hidden") is not None and tag not in _WHOLE_PAGE
        return has_attribute and not element.get("id", "").startswith(_STREAMED)
    return (element.get("hidden") is not None or hides(style)) and tag not in _WHOLE_PAGE


def hides(style: str) -> bool:
    """Tell whether an inline style hides its element.

    >>> hides("display: none"), hides("display: block"), hides("backface-visibility: hidden")
    (True, False, False)
    """
    low = style.lower()
    return any(word in low for word in _HIDING_WORDS) and _HIDING_STYLE.search(style) is not None
