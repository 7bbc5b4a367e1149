"""The comments of an article: those that the page shows, or those that it declares if they are more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.reading.metadata.comments.declared_comments import declared_comments
from newsextract.reading.metadata.comments.visible_comments import visible_comments
from newsextract.reading.metadata.dates.date_checks import read_date, refusal
from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.metadata.text_folding import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.article_parts import Comment
    from newsextract.page.blocks import Block
    from newsextract.page.page import Page

_MAX_DATE_CHARS = 1_000
_MIN_UNSIGNED = 3
"""Fewer texts without an author and a date are no comments."""


def read_comments(page: Page, blocks: Sequence[Block]) -> tuple[list[Comment], str] | None:
    """Return the comments of a page and their source, or `None` if there are none; `blocks` are those of the body.

    Text of the body is never a comment's. Comments that a script fetches when the page is shown are not in the page.
    """
    clues = Clues(page)
    kept = {run for block in blocks if block.outline is page.outline for run in range(block.start, block.stop)}
    body = {block.text for block in blocks}
    shown = visible_comments(page.outline, kept)
    declared = [] if _are_body(found := declared_comments(clues), body) else found
    stated, source = (declared, "json_ld") if len(declared) >= len(shown) else (shown, "visible_comments")
    comments = [_dated(comment, clues) for comment in stated]
    is_signed = any(comment.author or comment.datePublished for comment in comments)
    return (comments, source) if is_signed or len(comments) >= _MIN_UNSIGNED else None


def _are_body(comments: Sequence[Comment], body: set[str]) -> bool:
    """Tell whether one of the comments is part of the body: then the page is a thread, and its posts are the text."""
    return any(line in body for comment in comments for line in comment.text.split("\n") if len(line) > 40)


def _dated(comment: Comment, clues: Clues) -> Comment:
    """Return a comment with its date in ISO 8601, or without one."""
    if comment.datePublished is None:
        return comment
    text = fold(comment.datePublished[:_MAX_DATE_CHARS])
    date = read_date(text, clues.date_language, is_day_first=clues.is_day_first)
    return replace(comment, datePublished=None if date is None or refusal(date) else date)
