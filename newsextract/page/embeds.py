"""Read a post that a page embeds as a quote: its author, its text, its date and its link.

The sites of posts give their users a `blockquote` to paste, which their script turns into a frame. It has a class that
says so, or its URL in an attribute, or the script behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from newsextract.article_parts import Embed
from newsextract.page.links import absolute_url
from newsextract.page.outline import names_of
from newsextract.page.urls import clean_url, registrable_domain, same_owner, site_of, split_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block, Outline


# What a frame shows, as its URL and the names around it tell, and the URL at which people see the same.
#
# The words of URLs and names decide, whatever the site. A few players that hide what they show are known by name.

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
    parts = split_url(url)
    place = f"{parts.netloc}{parts.path}"  # a query names the page around the frame, too
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


def _said(text: str, embed: re.Pattern[str]) -> Kind | None:
    if _AUDIO.search(text):
        return "audio"
    if _VIDEO.search(text):
        return "video"
    return "embed" if embed.search(text) else None


_NAMED_SO = re.compile(r"embed|tweet|instagram|tiktok|twitter|toot(?!er|l)|skeet", re.IGNORECASE)
"""Classes of the quotes that are meant to become posts."""
_ADDRESS_NAMES = re.compile(r"permalink|^data-(?:[\w-]+-)?(?:href|url)$")
"""Attributes that hold the URL of a post for a script."""
_SCRIPT = re.compile(r"embed|widget", re.IGNORECASE)
_SIGNATURE = re.compile(r"^\s*[—–―-]{1,2}\s*(?=\S)")
_HANDLE = re.compile(r"\(\s*(@[\w.-]{1,60}(?:@[\w.-]{1,60})?)\s*\)")
_IN_PATH = re.compile(r"/(@[\w.-]{1,60})(?=/)|/(?!i/)([\w.-]{1,60})/status(?:es)?/\d")
_MAX_LINKS, _MAX_BLOCKS = 40, 60
"""Read of one post: those of a whole thread are fewer."""
_MAX_TEXT_CHARS, _MAX_AUTHOR_CHARS = 5_000, 120


@dataclass(frozen=True, slots=True)
class _Link:
    url: str
    text: str


class Posts:
    """The embedded posts of a page."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.anchors = outline.tagged("a")

    def read(self, element: int) -> Embed | None:
        """Return the post that a quote embeds, or `None` if the quote is no embedded post; `datePublished` is raw."""
        quote, base = self.outline.elements[element], self.outline.base_url
        is_named = _NAMED_SO.search(names_of(quote)) is not None
        stated = _stated(quote, base)
        cited = stated or web_url(base, quote.get("cite", ""))
        script = _script_behind(quote)
        if not (is_named or stated or script):
            return None
        links = self._links(element)
        url = cited or _own_link(links, base)
        if url is None or same_owner(url, base or ""):
            return None
        is_scripted = script is not None and (same_owner(script, url) or _SCRIPT.search(script) is not None)
        return self._post(element, clean_url(url) or url, links) if is_named or stated or is_scripted else None

    def _links(self, element: int) -> Sequence[_Link]:
        first = bisect_left(self.anchors, element)
        stop = bisect_left(self.anchors, self.outline.stops[element], first)
        found = []
        for anchor in self.anchors[max(first, stop - _MAX_LINKS) : stop]:
            url = web_url(self.outline.base_url, self.outline.elements[anchor].get("href", ""))
            if url:
                start, end = self.outline.runs_of(anchor)
                found.append(_Link(url, " ".join("".join(self.outline.runs[start : min(end, start + 20)]).split())))
        return found

    def _post(self, element: int, url: str, links: Sequence[_Link]) -> Embed:
        blocks = list(self._blocks(element))
        signed = next((block for block in reversed(blocks) if _SIGNATURE.match(block.text)), None)
        own = [link for link in links if clean_url(link.url) == url]
        date = own[-1].text if own else None
        author = _signature(signed.text, date) if signed else None
        handle = next((found[1] for block in reversed(blocks) if (found := _HANDLE.search(block.text))), None)
        named = (link.text for link in links if link.text.startswith(("@", "u/")) and " " not in link.text)
        author = author or handle or next(named, None) or author_in(url)
        said = [block.text for block in blocks if block is not signed and block.link_density < 1]
        text = "\n".join(line for line in said if not (handle and handle in line))[:_MAX_TEXT_CHARS]
        return Embed(url, provider_of(url), author[:_MAX_AUTHOR_CHARS] if author else None, date, text or None)

    def _blocks(self, element: int) -> Iterator[Block]:
        start, stop = self.outline.runs_of(element)
        first, last = self.outline.table.starts.searchsorted((start, stop)).tolist()
        yield from self.outline.blocks_at(range(first, min(last, first + _MAX_BLOCKS)))


def _stated(quote: HtmlElement, base: str | None) -> str | None:
    """Return the URL that an attribute for scripts has, of the quote or of the element that wraps it."""
    parent = quote.getparent()
    named = [(str(name), str(value)) for name, value in quote.attrib.items()]
    wrapping = [("data-href", parent.get("data-href", ""))] if parent is not None else []
    urls = (web_url(base, value) for name, value in (*named, *wrapping) if _ADDRESS_NAMES.search(name))
    return next((page_of(url) for url in urls if url), None)


def _own_link(links: Sequence[_Link], base: str | None) -> str | None:
    """Return the link of the post: on the site of the last link that leads away, the one with the deepest path."""
    away = [link.url for link in links if not same_owner(link.url, base or "")]
    if not away:
        return None
    same = [url for url in away if same_owner(url, away[-1])]
    return max(reversed(same), key=lambda url: urlsplit(url).path.rstrip("/").count("/"))


def author_in(url: str) -> str | None:
    """Return the account that a URL of a post names, or `None`.

    >>> author_in("https://social.example/@anna/12345"), author_in("https://social.example/anna/status/12345")
    ('@anna', '@anna')
    """
    found = _IN_PATH.search(url)
    return (found[1] or f"@{found[2]}") if found else None


def _script_behind(quote: HtmlElement) -> str | None:
    """Return the URL of the script directly behind a quote, alone in a paragraph or not."""
    following = quote.getnext()
    if following is not None and following.tag == "p" and len(following) == 1:
        following = following[0]
    is_script = following is not None and following.tag == "script"
    return web_url("https:", following.get("src", "")) if is_script and following is not None else None


def _signature(text: str, date: str | None) -> str | None:
    """Return the author of a signature with its date.

    >>> _signature("— Anna (@anna) June 3, 2020", "June 3, 2020")
    'Anna (@anna)'
    """
    author = _SIGNATURE.sub("", text)
    if date:
        author = author.removesuffix(date)
    return author.strip(" ,|·") or None
