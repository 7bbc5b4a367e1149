"""Recognise live blogs, galleries and videos by the page's declarations, its URL and its parts.

No corpus labels them, so these are rules. Each returns its reasons and a probability, and needs two kinds of evidence
unless structured data declares the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from newsextract.page.urls.url_parts import read_address
from newsextract.page.words import count_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata

Format = Literal["live", "gallery", "video"]

MIN_ENTRIES = 5
"""The least number of times of day, or `<time>` elements, in a sequence of entries."""
MIN_PICTURES = 5
WORDS_A_PICTURE = 25
"""The most words per image in a gallery; a page with more is a story with pictures."""
CLIP_WORDS = 200
"""The most words beside a video; a page with more is a story with a video."""

_DECLARED, _NAMED = 0.95, 0.8
"""The probability if structured data declares the format, and if URL and parts of the page agree on it."""

_CLOCK = re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3])[:.h][0-5]\d(?![\d:])")
_WORDS: dict[Format, frozenset[str]] = {
    "live": frozenset(
        "live liveblog live-blog livereport live-updates live-news liveticker live-ticker newsticker ticker direct "
        "en-direct direto ao-vivo en-vivo envivo directo minuto-a-minuto diretta in-diretta canli canli-anlatim "
        "na-zywo relacja-na-zywo online onlain zive direkte onlajn zhibo 直播 онлайн مباشر 速報".split()
    ),
    "gallery": frozenset(
        "gallery galleries photo-gallery photogallery picture-gallery photos pictures in-pictures slideshow slideshows "
        "galerie galeries diaporama diaporamas photo bilder bildergalerie bildergalerien fotostrecke fotostrecken "
        "fotos fotogalerie fotogaleria fotogalerias galeria galerias galleria fotogallery foto foto-galeri "
        "fotogaleri galeri zdjecia fotoreportaz fotoreportazh foto-galerija tuji 图片 图集 фото صور 写真".split()
    ),
    "video": frozenset(
        "video videos watch clip clips av tv-video videoclip mediathek wideo shipin 视频 видео فيديو 動画 영상".split()
    ),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The format of a page, its probability, and the reasons for it."""

    kind: Format
    probability: float
    reasons: tuple[str, ...]

    @property
    def is_declared(self) -> bool:
        """Whether the page itself declares the format."""
        return self.probability >= _DECLARED


@dataclass(frozen=True)
class _Seen:
    page: Page
    extraction: Extraction
    metadata: Metadata

    @property
    def words(self) -> int:
        return count_words(self.extraction.text)

    def has_type(self, *names: str) -> bool:
        return not self.metadata.schemaTypes.isdisjoint(names)

    def is_named(self, kind: Format) -> bool:
        segments = read_address(self.page.url or self.metadata.canonicalUrl or "").segments
        return any(segment in _WORDS[kind] for segment in segments)

    def count(self, *tags: str) -> int:
        return sum(map(self.page.outline.tags.count, tags))


def format_of(page: Page, extraction: Extraction, metadata: Metadata) -> Evidence | None:
    """Return the page's format, or `None` if it is plain text."""
    seen = _Seen(page, extraction, metadata)
    return next(filter(None, (judge(seen) for judge in _FORMATS)), None)


def _live(seen: _Seen) -> Evidence | None:
    if seen.has_type("LiveBlogPosting") or len(seen.metadata.liveBlogUpdates or ()) >= MIN_ENTRIES:
        return Evidence("live", _DECLARED, ("says that it is a live blog",))
    if seen.is_named("live"):
        entries = max(seen.count("time"), len(_CLOCK.findall(seen.extraction.text)))
        if entries >= MIN_ENTRIES:
            return Evidence("live", _NAMED, ("URL of a live blog", "entries with times"))
    return None


def _gallery(seen: _Seen) -> Evidence | None:
    says = seen.has_type("ImageGallery", "MediaGallery")
    if not says and not seen.is_named("gallery"):
        return None
    pictures = seen.count("figure") or seen.count("picture", "img")
    if pictures < MIN_PICTURES or seen.words > WORDS_A_PICTURE * pictures:
        return None
    reason = "says that it is a gallery" if says else "URL of a gallery"
    return Evidence("gallery", _NAMED, (reason, "pictures with little text"))


def _video(seen: _Seen) -> Evidence | None:
    says = (seen.metadata.ogType or "").lower().startswith("video")
    if not (says or (seen.is_named("video") and _has_player(seen))) or seen.words > CLIP_WORDS:
        return None
    reason = "says that it is a video" if says else "URL of a video"
    return Evidence("video", _DECLARED if says else _NAMED, (reason, "little text"))


def _has_player(seen: _Seen) -> bool:
    return seen.count("video", "iframe") > 0 or seen.has_type("VideoObject")


_FORMATS: tuple[Callable[[_Seen], Evidence | None], ...] = (_live, _gallery, _video)
