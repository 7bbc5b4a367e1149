"""What an article shows beside its text: videos, recordings, embeds and comments, with schema.org's field names."""

from __future__ import annotations

from dataclasses import dataclass, field

# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


@dataclass(frozen=True, slots=True)
class Video:
    """A video that the article shows."""

    url: str
    """The absolute URL for people: the page of the video, else its file, else its player."""
    embedUrl: str | None = None
    """The absolute URL of the player, as it stands in the frame."""
    name: str | None = None
    """The title of the video."""
    thumbnailUrl: str | None = None
    """The absolute URL of its still picture."""
    duration: str | None = None
    """ISO 8601, as PT1M30S."""
    uploadDate: str | None = None
    """ISO 8601, as the page states it."""


@dataclass(frozen=True, slots=True)
class Audio:
    """A recording or podcast that the article plays."""

    url: str
    """The absolute URL: the page of the recording, else its file, else its player."""
    embedUrl: str | None = None
    """The absolute URL of the player, as it stands in the frame."""
    name: str | None = None
    """The title of the recording."""
    duration: str | None = None
    """ISO 8601, as PT1M30S."""


@dataclass(frozen=True, slots=True)
class Embed:
    """A post, chart, map or document of another site that the article shows."""

    url: str
    """The absolute URL of the post, or else of the frame."""
    provider: str | None = None
    """The domain that it comes from."""
    author: str | None = None
    """The author of a post, as it is signed."""
    datePublished: str | None = None
    """ISO 8601, where the post is dated."""
    text: str | None = field(default=None, repr=False)
    """The text of a post, one paragraph per line, if the page has it; the body may have it too."""
    name: str | None = None
    """The title of the frame."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A reader's comment on the article."""

    text: str
    """The text, one paragraph per line."""
    author: str | None = None
    """The name that it is signed with."""
    datePublished: str | None = None
    """ISO 8601; only the time if the page gives no day."""
    parent: int | None = None
    """The place in the list, from 0, of the comment that it answers; `None` if it answers the article."""
    depth: int = field(default=0, metadata={"json_schema_extra": {"minimum": 0}})
    """How many comments it is below: 0 for one on the article itself, 1 for an answer to that."""
