"""Gives one crawl to several scrapyd nodes at once: each gets it unless it still has it.

All nodes get the whole list of sites. They share one database, where each host is visited by one node at a time, so a
node that is down takes no site with it.
"""

from __future__ import annotations

import hashlib
import netrc
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.tools.deployment.scrapyd_api import SPIDER, ScrapydClient, ScrapydError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

NODE_SECONDS = 20
"""Seconds to wait for a node: the first request of a project starts a process there to list its spiders."""

MOST_AT_ONCE = 32
"""Nodes that are asked at the same time."""


class NodesError(ValueError):
    """The nodes are not given as they have to be; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class SharedCrawl:
    """A crawl that nodes are to work on."""

    project: str
    """Its name on scrapyd."""
    sites: str
    """The list of sites: a file at the same path on every node."""
    settings: Mapping[str, str]
    """Settings of its jobs, which scrapyd writes into its log: no passwords."""

    @property
    def prefix(self) -> str:
        """What the ids of its jobs begin with: scrapyd does not tell the arguments of a job that is running."""
        digest = hashlib.blake2b(f"{self.project}\n{self.sites}".encode(), digest_size=6).hexdigest()
        return f"{SPIDER}-{digest}-"

    def job_id(self, now: datetime) -> str:
        """Return the id of a job that is scheduled now."""
        return f"{self.prefix}{now:%Y%m%dT%H%M%S}"


@dataclass(frozen=True, slots=True)
class NodeAnswer:
    """What became of the crawl on a node: exactly one of the three texts is not empty."""

    url: str
    given: str = ""
    """The id of the new job."""
    kept: str = ""
    """The job that the node still has, with its state."""
    error: str = ""
    """Why the node does not have the crawl."""

    def __str__(self) -> str:
        """Return a line for people."""
        if self.error:
            return f"{self.url}: not scheduled: {self.error}"
        return f"{self.url}: {f'scheduled {self.given}' if self.given else f'still has {self.kept}'}"


def addresses_of(text: str) -> list[str]:
    """Return the addresses of scrapyds in a text that separates them by commas.

    Raises:
        NodesError: there is none, or one is not a URL, has a password, or is given twice.

    >>> addresses_of("http://a:6800/, https://b")
    ['http://a:6800', 'https://b']
    """
    urls = [url for each in text.split(",") if (url := each.strip().rstrip("/"))]
    for url in urls or [text]:
        _check_address(url)
    for url in urls:
        if urls.count(url) > 1:
            raise NodesError(f"{url} is there twice; name every node once")
    return urls


def clients_of(urls: Sequence[str]) -> list[ScrapydClient]:
    """Return a client for each node, with the name and password of `~/.netrc`, else of the environment.

    Raises:
        NodesError: `~/.netrc` is there and cannot be read.
    """
    known = _netrc()
    return [ScrapydClient(url, *_credentials(url, known), seconds=NODE_SECONDS) for url in urls]


def give(clients: Sequence[ScrapydClient], crawl: SharedCrawl, now: datetime) -> list[NodeAnswer]:
    """Schedule a crawl on every node that does not still have it; return what became of it, in the nodes' order."""
    with ThreadPoolExecutor(min(MOST_AT_ONCE, len(clients))) as threads:
        return list(threads.map(lambda client: _give(client, crawl, now), clients))


def _give(client: ScrapydClient, crawl: SharedCrawl, now: datetime) -> NodeAnswer:
    try:
        for job, state in client.unfinished(crawl.project).items():
            if job.startswith(crawl.prefix):
                return NodeAnswer(client.url, kept=f"{job}, {state}")
        settings = [("setting", f"{name}={value}") for name, value in crawl.settings.items()]
        arguments = [("jobid", crawl.job_id(now)), ("sites", crawl.sites), *settings]
        return NodeAnswer(client.url, given=client.schedule(crawl.project, SPIDER, arguments))
    except ScrapydError as error:
        return NodeAnswer(client.url, error=str(error).removeprefix(f"{client.url}/"))


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NodesError(f"{url!r} is not a URL; write http://localhost:6800")
    if parts.username or parts.password:
        raise NodesError("name and password go into ~/.netrc, not where all can read them")


def _netrc() -> netrc.netrc | None:
    try:
        return netrc.netrc()
    except FileNotFoundError:
        return None
    except (OSError, netrc.NetrcParseError) as error:
        raise NodesError(f"~/.netrc, where names and passwords of scrapyd are looked up: {error}") from error


def _credentials(url: str, known: netrc.netrc | None) -> tuple[str, str]:
    host = urlsplit(url).hostname or ""
    found = known.authenticators(host) if known else None
    if found:
        return found[0], found[2]
    return os.environ.get("SCRAPYD_USERNAME", ""), os.environ.get("SCRAPYD_PASSWORD", "")
