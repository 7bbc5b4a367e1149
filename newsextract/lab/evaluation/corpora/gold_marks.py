"""The marks of CleanEval: `<p>` opens a paragraph, `<h>` a heading, `<l>` an item of a list.

After Baroni, Chantree, Kilgarriff & Sharoff, "Cleaneval: a competition for cleaning web pages" (LREC 2008). A file of
that competition may start with a line `URL: …`, which is no part of the text.
"""

from __future__ import annotations

import re

MARK = re.compile(r"</?[phl]\s*>", re.IGNORECASE)
PARAGRAPH_MARK = re.compile(r"<p\s*>", re.IGNORECASE)

_URL_LINE = re.compile(r"\s*URL:[^\S\n]*(\S*)[^\n]*(?:\n|$)", re.IGNORECASE)


def split_url(gold: str) -> tuple[str | None, str]:
    r"""Return the address in the first line, if that is what it holds, and the rest.

    >>> split_url("URL: http://a.example/1\n<p>Text")
    ('http://a.example/1', '<p>Text')
    >>> split_url("<p>Text")
    (None, '<p>Text')
    """
    found = _URL_LINE.match(gold)
    return (found[1] or None, gold[found.end() :]) if found else (None, gold)


def has_marks(text: str) -> bool:
    """Tell whether a gold text is marked.

    >>> has_marks("<h>Title"), has_marks("1 < 2")
    (True, False)
    """
    return MARK.search(text) is not None


def without_marks(marked: str) -> str:
    r"""Return the plain text of a marked one: marks become line breaks, and empty lines go.

    >>> without_marks("<h>Title\n\n<p> One.<p>Two,\nstill two.")
    'Title\nOne.\nTwo,\nstill two.'
    """
    lines = (line.strip() for line in MARK.sub("\n", marked).split("\n"))
    return "\n".join(line for line in lines if line)
