"""All pictures of an article: the main one, those inside the body with their captions, those that the page declares."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby, islice
from typing import TYPE_CHECKING

from newsextract.article import Image
from newsextract.page.block_images import images_among
from newsextract.page.html_elements import names_of
from newsextract.reading.metadata.picture_checks import distinct, is_picture, picture_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.block_images import Picture
    from newsextract.page.blocks import Block, Outline
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata

_MAX_CAPTION_CHARS = 1_000
"""Longer captions are paragraphs in the wrong element."""
_MAX_IMAGES = 100
"""More pictures are a gallery of products."""

_NOT_OURS = re.compile(
    r"author|avatar|by-?line|gravatar|contributor|profile[-_]?(?:pic|image|photo|img)|\bbio\b|emoji|smiley"
    r"|(?:^|[\s_-])(?:site|brand|header|footer)?-?logo(?:$|[\s_-])|(?:^|[\s_-])icons?(?:$|[\s_-])|social[-_]|share[-_]",
    re.IGNORECASE,
)
"""Names of portraits of who writes, of signs, and of buttons."""
_LEVELS = 3
"""An image and what wraps it closely; wider elements are named after the page's own author."""
_WIDE = frozenset(("article", "main", "section", "body", "html"))


def illustrate(metadata: Metadata, extraction: Extraction) -> Metadata:
    """Return the metadata with the pictures of the body among its own, each once: the main one, the body's, the others.

    A picture that is declared too has its caption from the body.
    """
    inside = list(islice(_inside(extraction.blocks), _MAX_IMAGES))
    main = [metadata.mainImage] if metadata.mainImage else []
    images = distinct((*main, *inside, *(metadata.images or ())))
    if not images:
        return metadata
    declared = metadata.sources.get("images") or metadata.sources.get("mainImage")
    is_added = not {picture_key(image.url) for image in inside} <= {
        picture_key(image.url) for image in (*main, *(metadata.images or ()))
    }
    names = dict.fromkeys(filter(None, (declared, extraction.extractor if is_added else None)))
    sources = {**metadata.sources, "images": ", ".join(names)}
    return replace(metadata, mainImage=images[0] if main else None, images=list(images), sources=sources)


def _inside(blocks: Sequence[Block]) -> Iterator[Image]:
    """Yield the pictures among the blocks, page by page."""
    for outline, of_page in groupby(blocks, key=lambda block: block.outline):
        for picture in images_among(list(of_page)):
            if is_picture(picture.url) and not _is_named_otherwise(picture, outline):
                caption = " ".join(block.text for block in picture.captions)
                yield Image(picture.url, caption if 0 < len(caption) <= _MAX_CAPTION_CHARS else None)


def _is_named_otherwise(picture: Picture, outline: Outline) -> bool:
    """Tell whether the names of the image or of what wraps it say that it is no picture of the story."""
    for element in islice(outline.lineage(picture.element), _LEVELS):
        if outline.tags[element] in _WIDE:
            return False
        if _NOT_OURS.search(names_of(outline.elements[element])):
            return True
    return False
