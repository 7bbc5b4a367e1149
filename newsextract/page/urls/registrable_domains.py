"""Who a host belongs to: its registrable domain by the public suffix list, in the copy that tldextract brings.

Hosts below a suffix of the list's private part, such as `github.io`, belong to different people. Nothing is fetched.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.page.urls.clean_urls import site_of

if TYPE_CHECKING:
    from tldextract import TLDExtract

RECENT_HOSTS = 4_000
"""Hosts whose domain is remembered: those of the sites of a run, and of what their pages name."""


def same_owner(one: str, other: str) -> bool:
    """Return whether two URLs are on hosts of one registrable domain, at the same port.

    >>> same_owner("https://m.example.co.uk/a", "http://www.example.co.uk/b")
    True
    >>> same_owner("https://anna.github.io/", "https://ben.github.io/")
    False
    """
    here, there = site_of(one), site_of(other)
    return bool(here) and (here == there or registrable_domain(here) == registrable_domain(there))


def is_on_site(url: str, site: str) -> bool:
    """Return whether the URL is on that site or on one of its subdomains, at the same port.

    A public suffix has no subdomains of its own: `anna.github.io` is another site than `github.io`.

    >>> is_on_site("https://sport.example.com/a", "example.com")
    True
    >>> is_on_site("https://notexample.com/", "example.com"), is_on_site("https://anna.github.io/", "github.io")
    (False, False)
    """
    found, wanted = site_of(url), site.lower().removeprefix("www.")
    for port in (":80", ":443"):
        wanted = wanted.removesuffix(port)
    if not wanted or found == wanted:
        return bool(wanted)
    return found.endswith(f".{wanted}") and not is_public_suffix(wanted)


@lru_cache(maxsize=RECENT_HOSTS)
def registrable_domain(site: str) -> str:
    """Return the registrable domain of a site that `site_of` names, with its port; the site itself if it has none.

    A top-level domain that the list does not know has no public suffixes but itself, as the list prescribes.

    >>> registrable_domain("sport.example.com:81"), registrable_domain("127.0.0.1:81"), registrable_domain("github.io")
    ('example.com:81', '127.0.0.1:81', 'github.io')
    >>> registrable_domain("a.b.example")
    'b.example'
    """
    host, port = _host_and_port(site)
    labels = host.split(".")
    if len(labels) == 1 or ":" in host or _is_number(labels[-1]):
        return site
    found = _public_suffixes().extract_str(host)
    domain = f"{found.domain}.{found.suffix}" if found.suffix else ".".join(labels[-2:])
    return f"{domain}{port}" if found.domain else site


@lru_cache(maxsize=RECENT_HOSTS)
def is_public_suffix(site: str) -> bool:
    """Return whether the list has a host as a suffix below which everybody can have a domain.

    >>> is_public_suffix("github.io"), is_public_suffix("example.com"), is_public_suffix("localhost:80")
    (True, False, False)
    """
    found = _public_suffixes().extract_str(_host_and_port(site)[0])
    return bool(found.suffix) and not found.domain


def _host_and_port(site: str) -> tuple[str, str]:
    parts = urlsplit(f"//{site}")
    return (parts.hostname or "").rstrip("."), f":{parts.port}" if parts.port else ""


def _is_number(label: str) -> bool:
    # What ends in a number is an IPv4 address in one of its spellings, such as 127.1.
    return label.isdecimal() or label.startswith("0x")


@cache
def _public_suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - slow to import, and rarely needed outside a crawl

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
