"""The images, videos, recordings and embeds among the blocks of an article, found once for all that show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.block_images import Surroundings, images_among
from newsextract.page.media.block_media import media_among

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def illustrations_among(blocks: Sequence[Block]) -> Illustrations:
    """Return the illustrations among the blocks of one page."""
    if not blocks:
        return Illustrations()
    outline = blocks[0].outline
    surroundings = Surroundings(outline, blocks)
    return Illustrations(outline, images_among(blocks, surroundings), media_among(blocks, surroundings))
