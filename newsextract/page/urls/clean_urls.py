"""Normalise URLs: which page a link means, and which site it belongs to.

`clean_url` changes only what cannot change the page that is fetched. Links come from the wild: whatever it is
given, it answers or returns None.
"""

from __future__ import annotations

import re
from functools import lru_cache
from posixpath import splitext
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from w3lib.url import safe_url_string

from newsextract.page.urls.url_parts import split_url

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_URL_CHARS = 4096
"""Longer URLs, in characters, are traps; sitemaps allow 2,048, and percent-encoding inflates them."""

RECENT_URLS = 2_000
"""URLs whose clean form is cached: each is asked for a dozen times while its page is read and stored."""

_DEFAULT_PORTS = {"http": 80, "https": 443}

_EXTENSIONS_BY_KIND = {
    "pictures": "jpg jpeg jpe png gif webp avif svg bmp tif tiff ico heic psd eps",
    "sound": "mp3 m4a ogg oga opus wav flac aac wma m3u m3u8",
    "film": "mp4 m4v webm ogv mov avi wmv flv mkv mpg mpeg 3gp swf",
    "documents": "pdf ps doc docx odt rtf xls xlsx ods csv ppt pptx pps ppsx odp epub mobi djvu",
    "archives and programs": "zip rar 7z gz tgz bz2 xz tar iso dmg exe msi apk ipa deb rpm jar bin torrent",
    "parts of pages, calendars": "css js mjs map wasm woff woff2 ttf otf eot ics vcf",
}

_BINARY_EXTENSIONS = frozenset(" ".join(_EXTENSIONS_BY_KIND.values()).split())

_TRACKING_BY: dict[str, str] = {
    "Google Analytics and Ads": r"utm_.+|gclid|gclsrc|dclid|gbraid|wbraid|_ga|_gl|srsltid",
    "Facebook and Instagram": r"fbclid|fb_action_ids|fb_action_types|fb_source|fb_ref|igshid|igsh",
    "other social networks": r"twclid|ttclid|li_fat_id|__twitter_impression|ref_src|ref_url|epik|rdt_cid",
    "Microsoft and Yandex advertising": r"msclkid|yclid|ymclid|_openstat",
    "AT Internet (Piano), all over the French press": r"xtor|xtref|xtatc|xts|at_.+",
    "Matomo": r"pk_.+|mtm_.+|piwik_.+|matomo_.+",
    "Mailchimp": r"mc_cid|mc_eid",
    "HubSpot": r"_hsenc|_hsmi|hsctatracking",
    "Marketo, Vero, Omeda": r"mkt_tok|vero_id|vero_conv|oly_anon_id|oly_enc_id",
    "Webtrends and Mapp": r"wt_mc|wt_zmc|wt\.mc_id|wt\.mc_ev",
    "Adobe Analytics": r"s_cid|s_kwcid|ef_id",
    "comScore, as the BBC uses it": r"ns_mchannel|ns_source|ns_campaign|ns_linkname|ns_fee",
    "campaign names of single publishers": r"smid|smtyp|ftag|cmpid|icid|ocid|ncid|guccounter|guce_.+",
    "Alibaba, all over the Chinese press": r"spm|scm",
}
"""The tools that add tracking parameters, and a pattern that matches the parameters' full names."""

_TRACKING = re.compile("|".join(_TRACKING_BY.values()), re.IGNORECASE)


def clean_url(url: str, base: str | None = None) -> str | None:
    """Return the absolute http(s) URL without fragment and tracking, or `None` if it is not one.

    >>> clean_url("HTTP://Example.com:80/a?b=2&utm_source=x&a=1#top")
    'http://example.com/a?b=2&a=1'
    >>> clean_url("../two.html", "https://example.com/news/one.html")
    'https://example.com/two.html'
    >>> clean_url("mailto:desk@example.com") is None
    True
    """
    if len(url) > MAX_URL_CHARS or "\0" in url:
        return None
    return _clean(str(url), base)  # a string from an XPath keeps its whole tree alive


@lru_cache(maxsize=RECENT_URLS)
def _clean(url: str, base: str | None) -> str | None:
    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        return _normal(urlsplit(safe_url_string(joined)))
    except ValueError:  # brackets without an IPv6 address, a port above 65535, a host that IDNA refuses
        return None


def _normal(parts: SplitResult) -> str | None:
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or _has_odd_host(parts.hostname):
        return None
    userinfo, at, _ = parts.netloc.rpartition("@")
    netloc = f"{userinfo}{at}{_host_and_port(parts)}"
    return parts._replace(netloc=netloc, path=parts.path or "/", query=drop_tracking(parts.query), fragment="").geturl()


def _has_odd_host(host: str) -> bool:
    # Hosts that no resolver would look up: unfilled templates (`http://{{host}}/`), spaces, empty labels.
    return any(char in host for char in " %{}<>\"'\\^`|$,;()*!+=") or ".." in host or host.strip(".") == ""


def _host_and_port(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    has_own_port = parts.port is not None and parts.port != _DEFAULT_PORTS.get(parts.scheme)
    return f"{host}:{parts.port}" if has_own_port else host


def url_key(url: str) -> str:
    """Return a key that all spellings of one URL share: for comparing, not for fetching.

    >>> url_key("http://www.example.com/a/?b=2&a=1") == url_key("https://example.com/a?a=1&b=2")
    True
    """
    return _key(str(url))


def site_of(url: str) -> str:
    """Return the site's name: the host without `www.`, with its port if that is not the default.

    >>> site_of("https://www.lemonde.fr/international/"), site_of("http://127.0.0.1:8000/")
    ('lemonde.fr', '127.0.0.1:8000')
    """
    return _site_of(str(url))


@lru_cache(maxsize=RECENT_URLS)
def _key(url: str) -> str:
    parts = urlsplit(clean_url(url) or "")
    query = "&".join(sorted(filter(None, parts.query.split("&"))))
    return f"{_site(parts)}{parts.path.rstrip('/')}?{query}".rstrip("?")


@lru_cache(maxsize=RECENT_URLS)
def _site_of(url: str) -> str:
    return _site(urlsplit(clean_url(url) or ""))


def _site(parts: SplitResult) -> str:
    return _host_and_port(parts).removeprefix("www.")


def domain_of(site: str) -> str:
    """Return the domain of a site that may be written as a URL or with a port.

    >>> domain_of("https://www.Example.com/"), domain_of("127.0.0.1:8801"), domain_of("example.com")
    ('example.com', '127.0.0.1', 'example.com')
    """
    parts = urlsplit(site if "//" in site else f"//{site}")
    return (parts.hostname or site).removeprefix("www.")


def is_binary_url(url: str) -> bool:
    """Return whether the extension names something other than a page.

    >>> is_binary_url("https://example.com/report.PDF?page=2"), is_binary_url("https://example.com/a.html")
    (True, False)
    """
    return splitext(split_url(url).path)[1].lower().removeprefix(".") in _BINARY_EXTENSIONS


def unique_urls(urls: Iterable[str | None]) -> list[str]:
    """Return the URLs in order, without duplicates and broken ones (`None`).

    >>> unique_urls(["https://a.org/", None, "https://b.org/", "https://a.org/"])
    ['https://a.org/', 'https://b.org/']
    """
    return list(dict.fromkeys(filter(None, urls)))


def drop_tracking(query: str) -> str:
    """Return the query without its tracking parameters; everything else stays in place.

    >>> drop_tracking("id=7&utm_source=x&b=%2f")
    'id=7&b=%2f'
    """
    kept = [pair for pair in query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    return "&".join(kept)
