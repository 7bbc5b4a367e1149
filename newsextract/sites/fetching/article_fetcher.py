"""Fetch a page and read its article in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsextract.reading.reader import read_article
from newsextract.sites.addresses.private_addresses import AddressPolicy
from newsextract.sites.fetching.page_fetcher import MAX_SECONDS, SECONDS, USER_AGENT, PageFetcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.article import Article


def fetch_article(
    url: str,
    *,
    user_agent: str = USER_AGENT,
    timeout: float = SECONDS,
    private_addresses: bool | Sequence[str] = False,
    **options: Any,
) -> Article:
    """Return the article at a URL; `options` are those of `read_article`.

    The robots.txt of each host on the way is obeyed. Private addresses are refused, also behind a name or a redirect,
    except the hosts and networks in `private_addresses`, as `["10.1.0.0/16", "intranet.example"]`; True allows all.
    All of it takes at most `timeout` seconds, and a page at most 20 MB. For many pages of a site, use the crawl.

    Raises:
        FetchError: the page may not or cannot be fetched; `reason` says why in few words, `status` is HTTP's.
        PageError: what was fetched is no HTML page.
        UnknownExtractor, BadExtractorOption: as `extract` does.
    """
    if not isinstance(url, str):
        raise TypeError(f"url is the address of a page as text, not {url!r}")
    if not 0 < timeout <= MAX_SECONDS:
        raise ValueError(f"timeout is a number of seconds above 0, and at most a day, not {timeout!r}")
    policy = AddressPolicy.parse(private_addresses)
    return read_article(PageFetcher(policy, user_agent, timeout).fetch(url), **options)
