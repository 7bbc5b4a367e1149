"""Addresses: which page a link means, and whose it is.

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

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_URL_CHARS = 4096
"""Longer addresses, in characters, are traps; sitemaps allow 2,048 and percent-encoding inflates."""

RECENT_URLS = 2_000
"""Whose clean form is known: the address of a page is asked for a dozen times while it is read and stored."""

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
"""Who adds the parameters, and a pattern for their whole names."""

_TRACKING = re.compile("|".join(_TRACKING_BY.values()), re.IGNORECASE)


def clean_url(url: str, base: str | None = None) -> str | None:
    """Return the absolute http(s) address without fragment and tracking, or None when it is no such address.

    >>> clean_url("HTTP://Example.com:80/a?b=2&utm_source=x&a=1#top")
    'http://example.com/a?b=2&a=1'
    >>> clean_url("../two.html", "https://example.com/news/one.html")
    'https://example.com/two.html'
    >>> clean_url("mailto:desk@example.com") is None
    True
    """
    if len(url) > MAX_URL_CHARS or "\0" in url:
        return None
    return _clean(str(url), base)  # an XPath's text is a string that holds its whole tree


@lru_cache(maxsize=RECENT_URLS)
def _clean(url: str, base: str | None) -> str | None:
    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        return _normal(urlsplit(safe_url_string(joined)))
    except ValueError:  # brackets that are no IPv6 address, a port beyond 65535, a host IDNA refuses
        return None


def _normal(parts: SplitResult) -> str | None:
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or _has_odd_host(parts.hostname):
        return None
    userinfo, at, _ = parts.netloc.rpartition("@")
    netloc = f"{userinfo}{at}{_host_and_port(parts)}"
    return parts._replace(netloc=netloc, path=parts.path or "/", query=drop_tracking(parts.query), fragment="").geturl()


def _has_odd_host(host: str) -> bool:
    # What no resolver would look up: templates left unfilled (`http://{{host}}/`), spaces, empty labels.
    return any(char in host for char in " %{}<>\"'\\^`|$,;()*!+=") or ".." in host or host.strip(".") == ""


def _host_and_port(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    has_own_port = parts.port is not None and parts.port != _DEFAULT_PORTS.get(parts.scheme)
    return f"{host}:{parts.port}" if has_own_port else host


def url_key(url: str) -> str:
    """Return a key shared by the spellings of one address: it compares, it is not for fetching.

    >>> url_key("http://www.example.com/a/?b=2&a=1") == url_key("https://example.com/a?a=1&b=2")
    True
    """
    parts = urlsplit(clean_url(url) or "")
    query = "&".join(sorted(filter(None, parts.query.split("&"))))
    return f"{_site(parts)}{parts.path.rstrip('/')}?{query}".rstrip("?")


def site_of(url: str) -> str:
    """Return the site's name: the host without `www.`, with its port when that is not the default.

    >>> site_of("https://www.lemonde.fr/international/"), site_of("http://127.0.0.1:8000/")
    ('lemonde.fr', '127.0.0.1:8000')
    """
    return _site(urlsplit(clean_url(url) or ""))


def _site(parts: SplitResult) -> str:
    return _host_and_port(parts).removeprefix("www.")


def is_on_site(url: str, site: str) -> bool:
    """Return whether the address is on that site or on one of its subdomains, at the same port.

    >>> is_on_site("https://sport.example.com/a", "example.com")
    True
    >>> is_on_site("https://notexample.com/", "example.com")
    False
    """
    found = site_of(url)
    wanted = site.lower().removeprefix("www.")
    for port in _DEFAULT_PORTS.values():
        wanted = wanted.removesuffix(f":{port}")
    return bool(wanted) and (found == wanted or found.endswith(f".{wanted}"))


def is_binary_url(url: str) -> bool:
    """Return whether the extension announces something else than a page.

    >>> is_binary_url("https://example.com/report.PDF?page=2"), is_binary_url("https://example.com/a.html")
    (True, False)
    """
    try:
        path = urlsplit(url).path
    except ValueError:
        return False
    return splitext(path)[1].lower().removeprefix(".") in _BINARY_EXTENSIONS


def unique_urls(urls: Iterable[str | None]) -> list[str]:
    """Return the addresses in order, without repetitions and without the broken ones (None).

    >>> unique_urls(["https://a.org/", None, "https://b.org/", "https://a.org/"])
    ['https://a.org/', 'https://b.org/']
    """
    return list(dict.fromkeys(filter(None, urls)))


def drop_tracking(query: str) -> str:
    """Return the query without its tracking parameters, everything else in place and untouched.

    >>> drop_tracking("id=7&utm_source=x&b=%2f")
    'id=7&b=%2f'
    """
    kept = [pair for pair in query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    return "&".join(kept)
