"""The images, videos, recordings and embeds among the blocks of an article, found once for all that show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.block_images import Surroundings, images_among
from newsextract.page.media.block_media import media_among

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.block_images import BlockImage
    from newsextract.page.blocks import Block, Outline
    from newsextract.page.media.block_media import BlockMedium


@dataclass(frozen=True, slots=True)
class Illustrations:
    """What is shown among the blocks of one page besides their text."""

    outline: Outline | None = None
    """That of the page; `None` if there are no blocks."""
    images: Sequence[BlockImage] = ()
    media: Sequence[BlockMedium] = ()

    def outside(self, elements: Collection[HtmlElement]) -> Illustrations:
        """Return the illustrations that are in none of these elements of the page."""
        outline = self.outline
        if outline is None or not elements:
            return self

        def is_outside(number: int) -> bool:
            return all(outline.elements[each] not in elements for each in outline.lineage(number))

        images = [image for image in self.images if is_outside(image.element)]
        return Illustrations(outline, images, [medium for medium in self.media if is_outside(medium.element)])


def illustrations_among(blocks: Sequence[Block]) -> Illustrations:
    """Return the illustrations among the blocks of one page."""
    if not blocks:
        return Illustrations()
    outline = blocks[0].outline
    surroundings = Surroundings(outline, blocks)
    return Illustrations(outline, images_among(blocks, surroundings), media_among(blocks, surroundings))
