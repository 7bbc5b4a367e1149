"""What a frame shows, as its URL and the names around it tell, and the URL at which people see the same.

The words of URLs and names decide, whatever the site. A few players that hide what they show are known by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from newsextract.page.urls.clean_urls import site_of
from newsextract.page.urls.page_links import absolute_url
from newsextract.page.urls.registrable_domains import registrable_domain

Kind: TypeAlias = Literal["video", "audio", "embed"]

MAX_CHARS = 2_000
"""Longer URLs carry data instead of naming something."""

_YOUTUBE = "https://www.youtube.com/watch?v={}"


def _compiled(*rows: tuple[str, str, Kind]) -> tuple[tuple[re.Pattern[str], str, Kind], ...]:
    return tuple(
        (re.compile(rf"https?://(?:www\.|m\.)?{host}", re.IGNORECASE), page, kind) for host, page, kind in rows
    )


_PLAYERS = _compiled(
    (r"youtube(?:-nocookie)?\.com/(?:embed|v|e|shorts|live)/(?!videoseries)([\w-]{6,20})", _YOUTUBE, "video"),
    (r"youtube\.com/watch\?(?:[^#]{0,200}&)?v=([\w-]{6,20})", _YOUTUBE, "video"),
    (r"youtu\.be/([\w-]{6,20})", _YOUTUBE, "video"),
    (r"player\.vimeo\.com/video/(\d+)", "https://vimeo.com/{}", "video"),
    (r"(?:geo\.)?dailymotion\.com/embed/video/(\w+)", "https://www.dailymotion.com/video/{}", "video"),
    (r"open\.spotify\.com/embed/(\w+/\w+)", "https://open.spotify.com/{}", "audio"),
    (r"platform\.twitter\.com/embed/\w+\.html\?(?:[^#]{0,1500}&)?id=(\d+)", "https://x.com/i/status/{}", "embed"),
)
"""Players whose URL differs from that of the page with the same video, the page, and what they play."""

CUSTOM_ELEMENTS: dict[str, tuple[str, str]] = {
    "lite-youtube": ("videoid", _YOUTUBE),
    "amp-youtube": ("data-videoid", _YOUTUBE),
    "lite-vimeo": ("videoid", "https://vimeo.com/{}"),
    "amp-vimeo": ("data-videoid", "https://vimeo.com/{}"),
    "amp-dailymotion": ("data-videoid", "https://www.dailymotion.com/video/{}"),
    "amp-twitter": ("data-tweetid", "https://x.com/i/status/{}"),
    "amp-instagram": ("data-shortcode", "https://www.instagram.com/p/{}/"),
}
"""Elements that scripts turn into players: the attribute with the number of what they show, and its page."""

_NUMBER = re.compile(r"[\w-]{1,40}")

_AUDIO = re.compile(
    r"audio|podcast|soundcloud|spotify|deezer|mixcloud|bandcamp|radio(?!gr)|music|newsoveraudio|simplecast|acast\.com|omny\.|art19|buzzsprout|libsyn|spreaker|audioboom|ausha|podigee|\.fm(?=[/:?]|$)"
    r"|\.(?:mp3|m4a|ogg|opus|wav|aac)(?=[?#]|$)|(?:^|[^a-z])(?:episodes?|listen|tracks?)(?:$|[^a-z])",
    re.IGNORECASE,
)
_VIDEO = re.compile(
    r"video|youtu\.?be|vimeo|dailymotion|jwplayer|player|wistia|\.(?:mp4|m3u8|webm|mov|mpd)(?=[?#]|$)"
    r"|(?:^|[^a-z])(?:vid|clips?|movies?|tv|vod|watch|play)(?:$|[^a-z])",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"embed|chart|graph|datawrapper|flourish|infogram|interactive|visuali[sz]|(?:^|[^a-z])(?:maps?|slides?)(?:$|[^a-z])"
    r"|\.pdf(?=[?#]|$)",
    re.IGNORECASE,
)
"""Words for what a site may embed of its own."""
_EMBED = re.compile(
    rf"{_OWN.pattern}|widget|iframely|tweet|twitter|instagram|tiktok|facebook|telegram|mastodon|bluesky|threads\.|weibo"
    r"|reddit|(?:^|[^a-z])(?:posts?|status)(?:$|[^a-z])",
    re.IGNORECASE,
)
"""And for what it embeds of others; on the site's own pages they name its buttons."""
_NOT_SHOWN = re.compile(
    r"(?:^|[^a-z])(?:ads?|adv|adx|adunit|adslot|adframe|adform|advert\w*|banners?|sponsor\w*|promo\w*|werbung|anzeigen?"
    r"|publicidad\w*|publicit\w*|publicidade|reklam\w*|gtm|ns\.html|pixel|captcha|recaptcha|login|signin|auth|consent"
    r"|cookies?|newsletters?|subscri\w*|paywall|comments?|disqus|share|sharing|follow|likes?|like_?box|tweet_button|page\.php|fan_?page"
    r"|safeframe|bridge\d[\w.]*|survey|quiz|shop|donat\w*|null|blank|aff|affiliates?|buy)(?:$|[^a-z])"
    r"|doubleclick|syndication|google_ads|adserv|adsystem|adnxs|taboola|outbrain|imasdk|googletagmanager|analytics"
    r"|реклама|广告|廣告|광고|広告|إعلان|פרסומת|διαφήμιση|quảng cáo",
    re.IGNORECASE,
)
"""Words for advertisements, measurement, and what belongs to the site rather than to the story."""

_IN_QUERY = re.compile(r"[?&]href=(https?%3A%2F%2F[^&#]+|https?://[^&#]+)", re.IGNORECASE)
_EMBED_END = re.compile(r"(?<=[^/])/embed(?:/captioned)?/?(?:[?#].*)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a frame shows."""

    kind: Kind
    url: str
    """Where people see it: its page, or else the frame's own URL."""
    source: str
    """The frame's own URL."""


def read_frame(url: str, names: str, *, is_framed: bool = False, is_own: bool = False) -> Frame | None:
    """Return what a frame shows; `None` for an advertisement, a widget of the site, or what nothing is said about.

    `names` is how the frame and its wrappers are called; `is_framed` tells whether its markup lets it play or fill
    the screen, and `is_own` whether it is a page of the site itself.

    >>> read_frame("https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0", "").url
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    >>> read_frame("https://social.example/@anna/12345/embed", "")
    Frame(kind='embed', url='https://social.example/@anna/12345', source='https://social.example/@anna/12345/embed')
    >>> read_frame("https://ads.example/embed/1", "video", is_framed=True) is None
    True
    """
    for pattern, page, played in _PLAYERS:
        if found := pattern.match(url):
            return Frame(played, page.format(found[1]), url)
    place = _place(url)
    if _NOT_SHOWN.search(place) or _NOT_SHOWN.search(names) or ".swf" in place:
        return None
    embed = _OWN if is_own else _EMBED
    said = _said(place, embed) or _said(names, embed) or ("embed" if is_framed else None)
    return Frame(said, page_of(url), url) if said else None


def player_page(url: str) -> str:
    """Return the page of what a known player's URL shows, or the URL itself."""
    return next((page.format(found[1]) for pattern, page, _ in _PLAYERS if (found := pattern.match(url))), url)


def page_of(url: str) -> str:
    """Return the URL at which people see what a frame shows: what it is about, or the page that it belongs to.

    >>> page_of("https://www.facebook.com/plugins/post.php?href=https%3A%2F%2Fwww.facebook.com%2Fanna%2Fposts%2F1&width=500")
    'https://www.facebook.com/anna/posts/1'
    """
    if about := _IN_QUERY.search(url):
        return absolute_url(None, unquote(about[1])) or url
    return _EMBED_END.sub("", url)


def custom_element_url(tag: str, number: str) -> str | None:
    """Return the page of what a custom element shows, or `None` if it has no usable number."""
    return CUSTOM_ELEMENTS[tag][1].format(number) if _NUMBER.fullmatch(number) else None


def web_url(base: str | None, text: str) -> str | None:
    """Return the absolute URL on the web, or `None` if it is none or too long."""
    url = absolute_url(base, text) if 0 < len(text) <= MAX_CHARS else None
    return url if url and url.startswith("http") and len(url) <= MAX_CHARS else None


def media_key(url: str) -> str:
    """Return what two URLs of one video or post have in common.

    >>> media_key("https://youtu.be/dQw4w9WgXcQ") == media_key("http://www.youtube.com/embed/dQw4w9WgXcQ?rel=0")
    True
    >>> media_key("http://www.example.com/v/1/"), media_key("https://example.com/v/1?id=2#t=3")
    ('example.com/v/1', 'example.com/v/1?id=2')
    """
    page = page_of(player_page(url)).partition("#")[0]
    return page.partition("://")[2].removeprefix("www.").rstrip("/")


def provider_of(url: str) -> str | None:
    """Return the domain that a URL belongs to."""
    return registrable_domain(site_of(url)) or None


def _place(url: str) -> str:
    """Return the host and path of a URL: a query names the page around the frame, too."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.partition("?")[0]
    return f"{parts.netloc}{parts.path}"


def _said(text: str, embed: re.Pattern[str]) -> Kind | None:
    if _AUDIO.search(text):
        return "audio"
    if _VIDEO.search(text):
        return "video"
    return "embed" if embed.search(text) else None
