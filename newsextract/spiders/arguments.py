"""The arguments of the `news` spider, checked: a wrong one is an error that says what would be right."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from newsextract.sites.dates import parse_since
from newsextract.sites.site_list import Site, SiteListError, read_sites

if TYPE_CHECKING:
    from collections.abc import Iterable

NAMES = ("sites", "since", "limit", "discover", "join_pages")

SOURCES = ("feeds", "sitemaps", "links")

_ANSWERS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class ArgumentError(ValueError):
    """A spider argument cannot work; the message names it and what would be right."""


@dataclass(frozen=True, slots=True)
class SpiderArguments:
    """What to visit and how much of it."""

    sites: tuple[Site, ...]
    since: datetime | None = None
    limit: int | None = None
    """Articles per site."""
    discover: frozenset[str] = frozenset(SOURCES)
    join_pages: bool | None = None
    """Whether articles of several pages are joined; `None` leaves it to the settings."""

    @classmethod
    def parse(
        cls, *, sites: str = "", since: str = "", limit: str = "", discover: str = "", join_pages: str = ""
    ) -> Self:
        """Read the arguments as given after `-a`; empty ones take their default.

        Raises:
            ArgumentError: one of them cannot be read.
        """
        return cls(
            tuple(_sites(sites)),
            _since(since) if since else None,
            _limit(limit) if limit else None,
            frozenset(_sources(discover)) if discover else frozenset(SOURCES),
            _answer("join_pages", join_pages) if join_pages else None,
        )

    def uses(self, source: str) -> bool:
        """Tell whether a source of addresses is wanted."""
        return source in self.discover


def _sites(value: str) -> Iterable[Site]:
    if not value:
        raise ArgumentError("which sites? -a sites=https://example.com or -a sites=sites.txt (.csv, .opml)")
    try:
        return read_sites(value)
    except SiteListError as error:
        raise ArgumentError(f"sites: {error}") from error


def _since(value: str) -> datetime:
    try:
        return parse_since(value, datetime.now(UTC))
    except ValueError as error:
        raise ArgumentError(f"since: {error}") from error


def _limit(value: str) -> int:
    try:
        limit = int(value)
    except ValueError:
        limit = 0
    if limit < 1:
        raise ArgumentError(f"limit: {value!r} is no number of articles per site; try -a limit=20")
    return limit


def _sources(value: str) -> Iterable[str]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    unknown = [name for name in names if name not in SOURCES]
    if unknown or not names:
        raise ArgumentError(f"discover: {', '.join(unknown) or 'nothing'} is not among {', '.join(SOURCES)}")
    return names


def _answer(name: str, value: str) -> bool:
    try:
        return _ANSWERS[value.strip().lower()]
    except KeyError:
        raise ArgumentError(f"{name}: {value!r} is neither yes nor no; try -a {name}=1") from None
