"""The rules of a site as values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from newsextract.reading.rules.expressions import BadExpression, check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_STARS = 4
"""Wildcards of a text to leave out."""

_TEXTS = ("strip_text",)
_ELEMENTS = ("body", "strip")


class BadRule(ValueError):  # noqa: N818 - the base class says that it is an error
    """A rule that cannot be used; the message names it, and says what is wrong."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """Where the parts of an article are on the pages of a site: CSS selectors or XPath, the best first.

    Raises:
        BadRule: an expression does not compile.
    """

    body: tuple[str, ...] = ()
    """The elements that hold the body; of several expressions the first that finds text counts."""
    headline: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    """The date of publication, in any form that dates are written in."""
    strip: tuple[str, ...] = ()
    """Elements that are not of the body, whatever found it."""
    strip_text: tuple[str, ...] = ()
    """Paragraphs that are not of the body: their whole text, `*` for any characters; case is ignored."""

    next_page: tuple[str, ...] = ()
    """Links to the next page of an article: an element with or in it, or the attribute that holds its address."""

    single_page: tuple[str, ...] = ()
    """Links from the first page of an article to all of it on one page, written as those of `next_page`."""

    when_unsure: bool = False
    """Whether `body`, `strip` and `strip_text` count only on pages where the general reading is not sure of its own.

    The other rules then count only where nothing is found without them, `single_page` only where there is a next page.
    """

    @classmethod
    def of(cls, written: Mapping[str, str | Iterable[str] | bool]) -> Self:
        """Return the rules of a mapping such as `{"body": "div.story", "strip": ["aside", "p.promo"]}`.

        Raises:
            BadRule: a name is unknown, a value is of the wrong type, or an expression does not compile.
        """
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in written if name not in known]:
            raise BadRule(f"{unknown[0]!r} is no rule; there are {', '.join(known)}")
        return cls(**{name: _made(name, value) for name, value in written.items()})  # type: ignore[arg-type]  # checked

    def __post_init__(self) -> None:
        for name, values in self.expressions().items():
            for written in values:
                check_rule(name, written)

    def __bool__(self) -> bool:
        return any(self.expressions().values())

    def expressions(self) -> dict[str, tuple[str, ...]]:
        """Return the expressions of each rule."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "when_unsure"}

    def leaves_out(self, text: str) -> bool:
        """Tell whether a paragraph is left out by its text.

        >>> SiteRules(strip_text=("Read also:*",)).leaves_out("READ ALSO: the floods")
        True
        """
        folded = text.casefold() if self.strip_text else ""
        return any(_matches(written.casefold().split("*"), folded) for written in self.strip_text)


def check_rule(name: str, written: str) -> None:
    """Raise `BadRule` if a rule of this name cannot be used."""
    if name in _TEXTS:
        if not written.strip("* ") or written.count("*") > MAX_STARS:
            raise BadRule(f"{name}: {written!r} is no text with at most {MAX_STARS} asterisks")
        return
    try:
        check(written, elements_only=name in _ELEMENTS)
    except BadExpression as error:
        raise BadRule(f"{name}: {written!r} {error}") from error


def _made(name: str, value: object) -> object:
    if name == "when_unsure":
        if not isinstance(value, bool):
            raise BadRule(f"{name} is True or False, not {value!r}")
        return value
    several = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else ()
    if not several or not all(isinstance(each, str) for each in several):
        raise BadRule(f"{name} is CSS, XPath or a list of them, not {value!r}")
    return several


def _matches(pieces: list[str], text: str) -> bool:
    """Tell whether a text is some pieces with any characters between them.

    Each is taken where it first occurs: a regular expression would try all places together, for minutes on some pages.

    >>> _matches(["read ", " more", ""], "read on: more"), _matches(["read"], "read on"), _matches(["ab", "ba"], "aba")
    (True, False, False)
    """
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1 or not text.startswith(first):
        return text == first
    place = len(first)
    for piece in pieces[1:-1]:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return len(text) - len(last) >= place and text.endswith(last)
