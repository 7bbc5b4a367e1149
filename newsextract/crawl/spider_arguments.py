"""The arguments of the `news` spider, checked: a wrong one is an error that says what would be right."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self
from zlib import crc32

from newsextract.page.urls import registrable_domain, site_of
from newsextract.sites.site import SOURCES, Site, SiteListError
from newsextract.sites.site_files import parse_since
from newsextract.sites.site_list import read_sites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

NAMES = ("sites", "since", "limit", "discover", "join_pages", "only_new", "fresh", "shard")

INDEX = "JOB_COMPLETION_INDEX"
"""The variable with the number, from 0, of a pod of an indexed Job of Kubernetes."""

_ANSWERS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class ArgumentError(ValueError):
    """A spider argument is invalid; the message names it and says what would be right."""


@dataclass(frozen=True, slots=True)
class SiteLimits:
    """The limits of one site: from the arguments, else from the list of sites."""

    articles: int | None
    pages: int | None
    since: datetime | None
    discover: frozenset[str]
    join_pages: bool | None
    """`None` means that the settings decide."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a list of sites; sites of one registrable domain are in the same."""

    number: int
    """From 1."""
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, url: str) -> bool:
        """Return whether the site with this home page is in the shard, which is the same on every machine.

        >>> [Shard(number, 2).has("https://www.lemonde.fr/") for number in (1, 2)]
        [True, False]
        >>> Shard(1, 2).has("https://abonnes.lemonde.fr/")
        True
        """
        domain = registrable_domain(site_of(url))
        return crc32(domain.encode()) % self.count == self.number - 1

    @classmethod
    def parse(cls, value: str) -> Self:
        """Read `3/8`, or `/8` with the number from `JOB_COMPLETION_INDEX`; raises `ArgumentError`."""
        number, _, count = value.partition("/")
        index = os.environ.get(INDEX, "")
        if not number and index.isdecimal():
            number = str(int(index) + 1)
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            raise ArgumentError(
                f"shard: {value!r} is not one part of several; try -a shard=1/3, or -a shard=/3 where {INDEX} is set"
            )
        return cls(int(number), int(count))


@dataclass(frozen=True, slots=True)
class SpiderArguments:
    """What to visit, and how much; `None` means that the list of sites decides."""

    sites: tuple[Site, ...]
    """Those of the shard, if there is one."""
    homes: tuple[str, ...] = ()
    """The home pages of all sites, also of other shards."""
    shard: Shard | None = None
    since: datetime | None = None
    limit: int | None = None
    """Articles per site."""
    discover: frozenset[str] | None = None
    join_pages: bool | None = None
    """Whether the pages of multi-page articles are joined."""

    only_new: bool = False
    """Whether articles that earlier runs have read are skipped."""
    fresh: bool = False
    """Whether sections, feeds and sitemaps are visited even if they are not due."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The arguments as they were written."""

    @classmethod
    def parse(cls, **given: str) -> Self:
        """Read the arguments, by `NAMES`, as given after `-a`; those that are empty or missing take their default.

        Raises:
            ArgumentError: one of them cannot be read.
        """
        read = {name: _READERS[name](text) for name, text in given.items() if text and name != "sites"}
        sites = tuple(_sites(given.get("sites", "")))
        shard: Shard | None = read.get("shard")
        own = tuple(site for site in sites if shard is None or shard.has(site.home))
        return cls(own, tuple(site.home for site in sites), given={k: v for k, v in given.items() if v}, **read)

    def limits_of(self, site: Site) -> SiteLimits:
        """Return the limits of a site; an argument takes precedence over the list of sites."""
        own = site.limits
        return SiteLimits(
            articles=self.limit or own.articles,
            pages=own.pages,
            since=self.since or (_since(own.since) if own.since else None),
            discover=self.discover or site.discover or frozenset(SOURCES),
            join_pages=site.join_pages if self.join_pages is None else self.join_pages,
        )


def sites_of(spider: Any) -> tuple[Site, ...]:
    """Return the sites that a spider was given; an empty tuple for other people's spiders."""
    arguments = getattr(spider, "arguments", None)
    return arguments.sites if isinstance(arguments, SpiderArguments) else ()


def _sites(value: str) -> Iterable[Site]:
    if not value:
        raise ArgumentError("which sites? -a sites=https://example.com or -a sites=sites.yml (.txt, .csv, .opml)")
    try:
        sites = read_sites(value)
    except SiteListError as error:
        raise ArgumentError(f"sites: {error}") from error
    enabled = [site for site in sites if site.enabled]
    if not enabled:
        raise ArgumentError(f"sites: {value}: none of its sites is enabled; one at least without enabled: false")
    return enabled


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
        raise ArgumentError(f"limit: {value!r} is not a number of articles per site; try -a limit=20")
    return limit


def _sources(value: str) -> frozenset[str]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    unknown = [name for name in names if name not in SOURCES]
    if unknown or not names:
        raise ArgumentError(f"discover: {', '.join(unknown) or 'nothing'} is not among {', '.join(SOURCES)}")
    return frozenset(names)


def _answer(name: str) -> Callable[[str], bool]:
    def read(value: str) -> bool:
        try:
            return _ANSWERS[value.strip().lower()]
        except KeyError:
            raise ArgumentError(f"{name}: {value!r} is neither yes nor no; try -a {name}=1") from None

    return read


_READERS: dict[str, Callable[[str], Any]] = {
    "since": _since,
    "limit": _limit,
    "discover": _sources,
    "shard": Shard.parse,
    **{name: _answer(name) for name in ("join_pages", "only_new", "fresh")},
}
