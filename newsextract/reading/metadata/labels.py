"""Read and check headline, description, publisher, section, keywords, breadcrumbs and canonical URL."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from newsextract.article import Breadcrumb
from newsextract.page.outline import names_of
from newsextract.page.urls import split_url
from newsextract.reading.metadata.clues import Findings, Refused
from newsextract.reading.metadata.comparing import absolute, fold, is_home, page_key, visible_text
from newsextract.reading.metadata.titles import begins_with, without_affixes, words_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.clues import Clues, Raw


# Checks of the labels of an article: description, publisher, section, keywords, breadcrumbs.

_MAX_DESCRIPTION_CHARS = 5_000
"""Longer descriptions are bodies."""
_MAX_PUBLISHER_CHARS = 300
_MAX_SECTION_CHARS = 60
"""Longer sections are titles written for search engines."""
_MAX_KEYWORD_CHARS = 100
"""Longer keywords are sentences."""
_MAX_LIST_CHARS = 10_000
"""Characters of keywords read from one text."""
_MAX_KEYWORDS = 50
"""More keywords are spam."""
_MAX_READ = 5_000
"""Keywords looked at to find `_MAX_KEYWORDS` distinct ones: some lists repeat a few endlessly."""

_ADDRESS = re.compile(r"https?:|//|@\w|\S+@\S+\.\w+$", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,;|，、；،]|\s(?=#)")
_HAN = r"[\u3400-\u9fff]"
_SPACED_HAN = rf"(?<={_HAN}) | (?={_HAN})"
"""A space beside a Chinese character: inside words there is none."""
_LIST_MARKS = " \t\"'[]#“”„«»"
_MACHINE_LABEL = re.compile(r"_|\w+=|\w*:\w|[\d.]+$|[^\W_]+(?:_[^\W_]+){2,}$")
"""Template switches, record numbers, URLs: keywords meant for machines."""
_NAMESPACE = re.compile(r"(?:category|tag|topic|section|keyword|channel|subject|type)s?:\s+", re.IGNORECASE)
_NO_SECTION = re.compile(
    r"(?:articles?|posts?|blog ?posts?|stor(?:y|ies)|pages?|home|homepage|root|default|main|index|none|null|other"
    r"|back to .*|startseite|accueil|inicio|início|strona główna|главная|首页|ホーム|홈|undefined"
    r"|uncategori[sz]ed|unkategorisiert|allgemein|non class[ée]|sin categor[íi]a|senza categoria"
    r"|без рубрики|без категории|未分类|未分類|[\W\d]+)$",
    re.IGNORECASE,
)
"""Names for "no section" in publishing systems, and names of the home page."""


def check_description(raw: Raw, clues: Clues) -> str | Refused:
    """Return the folded text, or a refusal if it only repeats a title of the page."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_DESCRIPTION_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_DESCRIPTION_CHARS))
    return Refused() if not text or text in clues.titles else text


def check_publisher(raw: Raw, _clues: Clues) -> str | Refused:
    """Return the folded name, or a refusal if it is too long or a URL."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_PUBLISHER_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_PUBLISHER_CHARS))
    if _ADDRESS.match(text):
        return Refused(Notice(NoticeCode.ADDRESS_AS_NAME))
    return text or Refused()


def check_section(raw: Raw, clues: Clues) -> str | Refused:
    """Return the section, the first one if the text names several."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_SECTION_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_SECTION_CHARS))
    if text in clues.titles or _ADDRESS.match(text):
        return Refused()
    first = _SEPARATOR.split(_NAMESPACE.sub("", text))[0].strip(_LIST_MARKS)
    return Refused() if not first or _NO_SECTION.match(first) else first


def check_keywords(raw: Raw, clues: Clues) -> tuple[str, ...] | Refused:
    """Return the distinct keywords, without those meant for machines."""
    texts = [text for text in raw if isinstance(text, str)] if not isinstance(raw, str) else [raw]
    found: dict[str, str] = {}
    for keyword in islice(_keywords(texts), _MAX_READ):
        if 0 < len(keyword) <= _MAX_KEYWORD_CHARS and keyword not in clues.titles:
            found.setdefault(keyword.casefold(), keyword)
        if len(found) == _MAX_KEYWORDS:
            break
    return tuple(found.values()) or Refused()


def _keywords(texts: list[str]) -> Iterator[str]:
    """Yield the keywords: a single text, or one with several commas, is a list; any other is one keyword.

    Three or more Chinese ones may be separated by spaces alone; two may be one name.

    >>> list(_keywords(["#rain #Spain"])), list(_keywords(["Washington, D.C.", "Category: Rain", "_hero", "a_b_c"]))
    (['rain', 'Spain'], ['Washington, D.C.', 'Rain'])
    >>> list(_keywords(["药品 Tanya Chua 药店"])), list(_keywords(["山田 太郎"]))
    (['药品', 'Tanya Chua', '药店'], ['山田 太郎'])
    """
    for text in texts:
        folded = fold(text[:_MAX_LIST_CHARS])
        is_list = len(texts) == 1 or folded.count(",") > 1
        parts = _SEPARATOR.split(folded) if is_list else [folded]
        if is_list and len(parts) == 1 and len(spaced := re.split(_SPACED_HAN, folded)) > 2:
            parts = spaced
        for part in parts:
            keyword = _NAMESPACE.sub("", part.strip(_LIST_MARKS))
            if not _MACHINE_LABEL.match(keyword):
                yield keyword


def check_breadcrumbs(raw: Raw, clues: Clues) -> tuple[Breadcrumb, ...] | Refused:
    """Return the distinct steps that lead to the page, without the page itself."""
    steps: dict[tuple[str | None, str | None], Breadcrumb] = {}
    for step in raw:
        if isinstance(step, Breadcrumb):
            name = fold(step.name or "") or None
            url = absolute(step.url or "", clues.page.base_url)
            if name or url:
                steps[name, url] = Breadcrumb(name, url)
    trail = list(steps.values())
    last, url = (trail[-1].name or "", trail[-1].url) if trail else ("", None)
    # A step of one or two words is a section whose name the headline mentions.
    if (url and clues.is_own_address(url)) or (len(last.split()) > 2 and clues.is_headline(last)):
        trail.pop()
    return tuple(trail) if any(step.name and not _is_home(step) for step in trail) else Refused()


def _is_home(step: Breadcrumb) -> bool:
    return step.url is not None and is_home(step.url)


def fill_section(values: dict[str, Any], sources: dict[str, str], wanted: Container[str]) -> None:
    """Edit the values: if no source names the section, take the last named breadcrumb."""
    if "section" in wanted and "section" not in values and (trail := values.get("breadcrumbs")):
        names = [step.name for step in trail if step.name and not _is_home(step)]
        name = names[-1] if names else ""
        if name and len(name) <= _MAX_SECTION_CHARS and not _NO_SECTION.match(name):
            values["section"], sources["section"] = name, sources["breadcrumbs"]


# Breadcrumbs in the visible page: the links of a list or `<nav>` whose class, id or label says "breadcrumb".

_CALLED_SO = re.compile(r"breadcrumb|fil d.ariane|brotkr|migas|briciole")
"""Names in lower case: ignoring case in a pattern takes several times as long."""
_LISTS = ("nav", "ol", "ul")
_MAX_LISTS = 60
"""Lists looked at: the trail is above the article."""
_MAX_TRAILS = 10
"""Trails read: a page has one, perhaps a second for small screens."""
_MAX_LABEL_CHARS = 300
_MAX_STEPS = 12
"""Deeper trails are menus."""
_MAX_STEP_CHARS = 200


def read_trail(clues: Clues) -> Findings:
    """Return the first trail that has links; one without links is decoration."""
    lists = (el for tag in _LISTS for el in clues.elements[tag][:_MAX_LISTS])
    for el in islice(filter(_is_trail, lists), _MAX_TRAILS):
        links = (link for link in islice(el.iter("a"), 5 * _MAX_STEPS) if link.get("href"))
        first = islice(links, _MAX_STEPS + 1)
        trail = tuple(Breadcrumb(visible_text(link, _MAX_STEP_CHARS), link.get("href")) for link in first)
        if 0 < len(trail) <= _MAX_STEPS:
            return Findings({"breadcrumbs": [trail]})
    return Findings()


def _is_trail(el: HtmlElement) -> bool:
    """Return whether the list or its parent is named a breadcrumb trail."""
    wrappers = [each for each in (el, el.getparent()) if each is not None]
    labels = (f"{names_of(each)} {each.get('aria-label', '')[:_MAX_LABEL_CHARS]}" for each in wrappers)
    return any(_CALLED_SO.search(label.lower()) for label in labels)


# Check whether a URL can be the canonical one of a page.

_LANGUAGE_HOME = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2})?$")
"""Home pages by language: `/en`, `/pt-br`."""
_PAGE_IN_QUERY = re.compile(
    r"(?:^|&)(?:p|id|nid|aid|(?:page|post|art|article|story|news|item|node)_?id|article|story|post|news)=[^&]",
    re.IGNORECASE,
)
"""Queries that identify a page; others track the reader or sort a list."""
_TEMPLATE = re.compile(r"\{\{|\$\{|<%|%7b%7b|/(?:undefined|null)(?:/|$)", re.IGNORECASE)
_INTERNAL_HOST = re.compile(
    r"[^.]+$|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|.*\.(?:local|localhost|internal|lan|test|invalid)$"
)
"""Hosts that only a newsroom's own machines can reach."""


def check_canonical(raw: Raw, clues: Clues) -> str | Refused:
    """Return the absolute URL, or a refusal if it cannot be reached or is a home page while the page is not."""
    url = absolute(raw, clues.page.base_url) if isinstance(raw, str) else None
    if url is None:
        return Refused(Notice(NoticeCode.NO_WEB_ADDRESS))
    if _TEMPLATE.search(url):
        return Refused(Notice(NoticeCode.UNFILLED_TEMPLATE))
    own = clues.page.url
    if not own:
        return url
    host, own_host = page_key(url)[0], page_key(own)[0]
    if _INTERNAL_HOST.match(host) and not _INTERNAL_HOST.match(own_host):
        return Refused(Notice(NoticeCode.NO_PUBLIC_ADDRESS))
    if _is_front(url) and not (host == own_host and _is_front(own)):
        return Refused(Notice(NoticeCode.HOME_AS_CANONICAL))
    return url


def _is_front(url: str) -> bool:
    """Return whether a URL is the home page of a site, or of one of its languages.

    >>> _is_front("https://example.com/en/"), _is_front("https://example.com/?utm_source=x")
    (True, True)
    >>> _is_front("https://example.com/rain"), _is_front("https://example.com/?p=12")
    (False, False)
    """
    if is_home(url):
        return True
    _, path, query = page_key(url)
    if path and not _LANGUAGE_HOME.match(path):
        return False
    return not _PAGE_IN_QUERY.search(query) and not split_url(url).fragment.startswith("!")


# Read the headline from the heading and from `<title>`, and check candidates.

_MAX_KICKER_WORDS = 3
_MIN_HEADLINE_WORDS = 4
_MIN_KICKER_CHARS = 4
"""Shorter words before a headline belong to it: "The", "2025"."""

_MAX_CHARS = 300
"""Longer headlines are texts."""

_MIN_CONFIRMED_WORDS = 3
"""A shorter heading may name a section or the site."""


def read_heading(clues: Clues) -> Findings:
    """Return the heading that agrees best with the page's titles, or an empty `Findings`."""
    heading = clues.heading
    if heading is None:
        return Findings()
    return Findings({"headline": [without_kicker(heading.text, map(clues.bare, clues.titles))]})


def without_kicker(heading: str, titles: Iterable[str]) -> str:
    """Return the title that follows a short section name or label in a heading, or else the heading.

    >>> without_kicker("Opinion Why we like rain", ["Why we like rain"])
    'Why we like rain'
    >>> without_kicker("Weather: why we like rain", ["Why we like rain"])
    'Weather: why we like rain'
    """
    said = words_of(heading)
    for title in titles:
        words = words_of(title)
        extra = len(said) - len(words)
        if 0 < extra <= _MAX_KICKER_WORDS and len(words) >= _MIN_HEADLINE_WORDS and said[extra:] == words:
            kicker = heading[: len(heading) - len(title)].rstrip()
            if (
                len(kicker) >= _MIN_KICKER_CHARS
                and not kicker.isdecimal()
                and not kicker.endswith((":", ",", "–", "-"))
            ):
                return title
    return heading


def read_window_title(clues: Clues) -> Findings:
    """Return the text of `<title>`, then the headings."""
    return Findings({"headline": [text for text in (clues.title, *clues.headings) if text]})


def check_headline(raw: Raw, clues: Clues) -> str | Refused:
    """Return the headline without the name of the site."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_CHARS))
    if not text:
        return Refused()
    confirmed = {words for heading in clues.headings if len(words := words_of(heading)) >= _MIN_CONFIRMED_WORDS}
    if len(clues.headings) == 1 and begins_with(text, clues.headings[0]):
        confirmed.add(words_of(clues.headings[0]))
    return without_affixes(text, clues.site_keys, confirmed)
