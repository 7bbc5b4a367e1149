"""The links that stand for the videos, recordings and embeds of an article in its HTML and Markdown.

A frame is nothing that a reader of clean HTML may see, so that its place has a link. An embedded post whose words and
link are kept has what it needs; one that lacks its link gets it, and so do posts whose words are only in their frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.article_parts import Embed
from newsextract.page.media.frame_urls import media_key, provider_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.media.block_media import BlockMedium, Medium

_MAX_LABEL_CHARS = 80
"""Longer URLs are shortened to their domain and their end."""
_MAX_END_CHARS = 40
_MAX_RUNS = 500
"""Runs of one post searched for its link."""


@dataclass(frozen=True, slots=True)
class MediumLink:
    """A link and the run that follows it; `element` is what it stands for."""

    place: int
    element: int
    url: str
    label: str


def links_to(
    found: Sequence[BlockMedium], blocks: Sequence[Block], left_out: Collection[str] = ()
) -> Iterator[MediumLink]:
    """Yield a link for each video, recording and embed found among the blocks, except for posts whose link is kept.

    Those whose URLs are in `left_out` have a link elsewhere.
    """
    media = [medium for medium in found if medium.item.url not in left_out]
    if not media:
        return
    outline = blocks[0].outline
    kept = {run for block in blocks for run in range(block.start, block.stop)}
    for medium in media:
        start, stop = outline.runs_of(medium.element)
        runs = [run for run in range(start, min(stop, start + _MAX_RUNS)) if run in kept]
        if not _has_link(outline, runs, medium):
            # Behind the words of a post, so that its last kept text comes first.
            yield MediumLink(stop if runs else medium.place, medium.element, medium.item.url, _label(medium.item))


def _has_link(outline: Outline, runs: Sequence[int], medium: BlockMedium) -> bool:
    wanted = media_key(medium.item.url).partition("?")[0]
    holders = dict.fromkeys(outline.holders[run] for run in runs)
    return any(wanted in url for holder in holders for url in _links_around(outline, holder))


def _links_around(outline: Outline, holder: int) -> Iterator[str]:
    """Yield the URL of the link that holds a run, if one does."""
    for element in islice(outline.lineage(holder), 4):
        if outline.tags[element] == "a":
            yield outline.elements[element].get("href", "")


def _label(item: Medium) -> str:
    """Return what the link says: the author of a post, or the name, else the URL without its scheme, or its ends."""
    author = item.author if isinstance(item, Embed) else None
    bare = item.url.partition("://")[2].removeprefix("www.").rstrip("/")
    short = f"{provider_of(item.url) or ''}/…/{bare.partition('?')[0].rpartition('/')[2][-_MAX_END_CHARS:]}"
    return author or item.name or (bare if len(bare) <= _MAX_LABEL_CHARS else short)
