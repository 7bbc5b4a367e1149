"""HTML Killer's published script, as rules that rewrite the source of a page.

The report (Daureu, Marie & Goubeau 2015, section 2.1) tells the idea; the script that made its figures does more, and
some of it by accident, since it rewrites the source with patterns and parses nothing. Here its rules are written down
one by one, with what follows from each:

- The body begins behind the last `<body>` without attributes and ends at the first `</body>`; without them it is all.
- Line feeds go, and words on two lines become one.
- The text begins at the first `h1` and ends where another `h1` begins.
- Forms, scripts, comments and list items go with their content. A rule for an element also takes those whose names
  begin alike: `li` takes `link`, `a` takes `article`, `p` takes `pre`.
- An image goes up to the next `/>`, wherever that is.
- Other elements, but those with names in b, p and h, go with their content up to the next end tag that is not one of a
  paragraph or heading.
- Character references become spaces, and so does what lies between an ampersand and the next semicolon.
- Segments end at `br` and at the end of a paragraph. Those with a `|` or with `ags: ` in them are left out.
- In what is left, a stretch of three to twelve bytes between angle brackets goes, as long as can be.

It works on bytes of UTF-8, and so do the rules.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BREAK = b"</br>"
_TITLE = b"<h1>"


class Rule(NamedTuple):
    """What is replaced, and by what."""

    pattern: re.Pattern[bytes]
    replacement: bytes = b""


def _rule(pattern: bytes, replacement: bytes = b"") -> Rule:
    return Rule(re.compile(pattern), replacement)


def _tag(name: bytes) -> bytes:
    """Return the pattern of a start tag whose name begins so; it ends at the first bracket, whatever follows.

    The script has `.*?>`, which finds the same, but takes cubic time in tags that are never closed.
    """
    return b"<" + name + b"[^>]*+>"


_FRAME = (_rule(b"\n"), _rule(_tag(b"h1"), _TITLE))
_CLEANING = (
    _rule(_tag(b"br"), _BREAK),
    *(_rule(_tag(name) + b".*?</" + end) for name, end in ((b"script", b"script.*?>"), (b"form", b"form>"))),
    _rule(b"<!--.*?-->"),
    _rule(b"<img .*?/>"),
    *(_rule(b"</?" + name + b".*?/?>") for name in (b"div", b"span")),
    _rule(_tag(b"a") + b"(.*?)</a>", rb"\1"),
    _rule(_tag(b"li") + b".*?</li>"),
    _rule(_tag(b"h[02-9]") + b".*?</h.>"),
    _rule(b"<h1>(.*?)</h1>", rb"<h>\1</h>"),
    _rule(_tag(b"p")),
    _rule(b"</p>", _BREAK),
    _rule(b"(?:</br>)+", _BREAK),
    _rule(_tag(b"[^bph/]") + b".*?</[^ph].*?>"),
    _rule(b"</?[^bph/].*?/?>"),
    _rule(b"&.+?;", b" "),
    _rule(b"[\t\n \r]{2,}", b" "),
)
"""In this order."""
_HEADING = re.compile(b"<h>(.*?)</h> ?")
_SHORT_TAG = re.compile(b"<.{3,12}>")
_ANY_TAG = re.compile(b"<.*?>")


def rewritten_segments(source: str) -> list[tuple[str, str]]:
    """Return the script's segments of a page's source, as (`h` or `p`, text) pairs.

    >>> rewritten_segments("<h1>Rain</h1> <p>It &amp; more</p><p>Home | News</p><em>gone</em>")
    [('h', 'Rain'), ('p', 'It more')]
    """
    body = source.encode("utf-8", "replace").split(b"<body>")[-1].partition(b"</body>")[0]
    body = _rewritten(body, _FRAME)
    if _TITLE in body:
        body = _TITLE + body.split(_TITLE)[1]
    parts = _rewritten(body, _CLEANING).split(_BREAK)
    kept = [part for part in parts if part not in (b"", b" ") and b"|" not in part and b"ags: " not in part]
    return [segment for part in kept for segment in _segments(part)]


def _rewritten(text: bytes, rules: tuple[Rule, ...]) -> bytes:
    for rule in rules:
        text = rule.pattern.sub(rule.replacement, text)
    return text


def _segments(part: bytes) -> list[tuple[str, str]]:
    """Return what one stretch between breaks holds: a heading, if it has one, is a segment of its own."""
    found = []
    place = 0
    for heading in _HEADING.finditer(part):
        found += [("p", part[place : heading.start()]), ("h", heading[1])]
        place = heading.end()
    found.append(("p", part[place:]))
    cleaned = ((mark, _text(text)) for mark, text in found)
    return [(mark, text) for mark, text in cleaned if text]


def _text(marked: bytes) -> str:
    text = _ANY_TAG.sub(b"", _SHORT_TAG.sub(b"", marked))
    return " ".join(text.decode("utf-8", "replace").split())
