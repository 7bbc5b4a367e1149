"""Whether a candidate is usable, and what it becomes: the same judge for every source."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from newsextract.metadata.addresses import absolute, is_home, is_same_page
from newsextract.metadata.dates import read_date, refusal
from newsextract.metadata.fields import Author, Breadcrumb, Image
from newsextract.metadata.names import MAX_NAME_CHARS, read_names
from newsextract.metadata.texts import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from newsextract.metadata.clues import Clues
    from newsextract.metadata.findings import Raw

_MAX_TITLE_CHARS = 300
"""Longer headlines and publishers are texts."""
_MAX_DESCRIPTION_CHARS = 5_000
"""Longer descriptions are bodies."""
_MAX_KEYWORD_CHARS = 100
"""Longer keywords are sentences."""
_MAX_KEYWORDS = 50
"""More keywords are spam."""

_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*$", re.IGNORECASE)
_LANGUAGE_NAMES = {
    "english": "en",
    "french": "fr",
    "français": "fr",
    "german": "de",
    "deutsch": "de",
    "spanish": "es",
    "español": "es",
    "italian": "it",
    "italiano": "it",
    "portuguese": "pt",
    "português": "pt",
}
_FREE = {
    **dict.fromkeys(("true", "yes", "1", "1.0", "free"), True),
    **dict.fromkeys(("false", "no", "0", "0.0", "locked", "metered"), False),
}
"""The words for free access: booleans, schema.org's booleans, and Facebook's content tiers."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason for which a candidate is not taken; empty when it does not deserve a warning."""

    reason: str = ""


Check: TypeAlias = "Callable[[Raw, Clues], object]"


def check_text(raw: Raw, _clues: Clues, *, max_chars: int = _MAX_TITLE_CHARS) -> str | Refused:
    """Return the folded text."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > max_chars:
        return Refused(f"longer than {max_chars} characters")
    return text or Refused()


def check_date(raw: Raw, clues: Clues) -> str | Refused:
    """Return the date in ISO 8601."""
    text = fold(raw) if isinstance(raw, str) else ""
    # Americans write the month first; every other language that we meet does not.
    language = next(iter(clues.meta.get("html:lang", ())), "en").lower()
    date = read_date(text, is_day_first=not language.startswith("en") or language.startswith("en-gb"))
    if date is None:
        return Refused("not a date" if text else "")
    reason = refusal(date)
    return Refused(reason) if reason else date


def check_authors(raw: Raw, clues: Clues) -> tuple[Author, ...] | Refused:
    """Return the persons named, with absolute addresses."""
    signatures = [one for one in raw if isinstance(one, Author)]
    usable = [one for one in signatures if len(fold(one.name)) <= MAX_NAME_CHARS]
    named = {author.name: author for one in usable for author in read_names(one)}
    if len(named) > 1:  # the site signs beside its authors
        site = fold(next(iter(clues.meta.get("og:site_name", ())), ""))
        named.pop(site, None)
    if not named:
        return Refused(f"longer than {MAX_NAME_CHARS} characters" if len(usable) < len(signatures) else "not a name")
    return tuple(replace(one, url=absolute(one.url or "", clues.page.base_url)) for one in named.values())


def check_language(raw: Raw, _clues: Clues) -> str | Refused:
    """Return the bare ISO 639 code."""
    text = raw.strip().lower() if isinstance(raw, str) else ""
    if text in _LANGUAGE_NAMES:
        return _LANGUAGE_NAMES[text]
    match = _LANGUAGE.match(text)
    return match[1] if match else Refused("not a language")


def check_keywords(raw: Raw, _clues: Clues) -> tuple[str, ...] | Refused:
    """Return the distinct keywords."""
    texts = _texts(raw)
    separated = re.split(r"[,;|]", texts[0]) if len(texts) == 1 else texts
    folded = (fold(text) for text in separated)
    keywords = tuple(dict.fromkeys(text for text in folded if 0 < len(text) <= _MAX_KEYWORD_CHARS))
    return keywords[:_MAX_KEYWORDS] or Refused()


def check_breadcrumbs(raw: Raw, clues: Clues) -> tuple[Breadcrumb, ...] | Refused:
    """Return the steps that have a name or an address."""
    steps = (
        Breadcrumb(fold(step.name or "") or None, absolute(step.url or "", clues.page.base_url))
        for step in raw
        if isinstance(step, Breadcrumb)
    )
    return tuple(step for step in steps if step.name or step.url) or Refused()


def check_images(raw: Raw, clues: Clues) -> tuple[Image, ...] | Refused:
    """Return the distinct pictures that have an address on the web."""
    urls = (absolute(url, clues.page.base_url) for url in _texts(raw))
    return tuple(Image(url) for url in dict.fromkeys(filter(None, urls))) or Refused("no address")


def check_image(raw: Raw, clues: Clues) -> Image | Refused:
    """Return the picture."""
    images = check_images(raw, clues)
    return images if isinstance(images, Refused) else images[0]


def check_canonical(raw: Raw, clues: Clues) -> str | Refused:
    """Return the address, unless it is a home page where the page is none."""
    url = absolute(raw, clues.page.base_url) if isinstance(raw, str) else None
    if url is None:
        return Refused("not an address of the web")
    own = clues.page.url
    if own and is_home(url) and not is_home(own) and not is_same_page(url, own):
        return Refused("a home page")
    return url


def check_free(raw: Raw, _clues: Clues) -> bool | Refused:
    """Return whether the words mean free access."""
    word = raw.strip().lower().rpartition("/")[2] if isinstance(raw, str) else ""
    return _FREE.get(word, Refused("neither true nor false"))


def _texts(raw: Raw) -> tuple[str, ...]:
    """Return the strings of a candidate."""
    texts: Iterable[object] = (raw,) if isinstance(raw, str) else raw
    return tuple(text for text in texts if isinstance(text, str))


CHECKS: Mapping[str, Check] = {
    "headline": check_text,
    "description": partial(check_text, max_chars=_MAX_DESCRIPTION_CHARS),
    "datePublished": check_date,
    "dateModified": check_date,
    "authors": check_authors,
    "publisher": check_text,
    "inLanguage": check_language,
    "keywords": check_keywords,
    "breadcrumbs": check_breadcrumbs,
    "mainImage": check_image,
    "images": check_images,
    "canonicalUrl": check_canonical,
    "isAccessibleForFree": check_free,
}
