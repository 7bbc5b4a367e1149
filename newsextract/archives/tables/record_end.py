"""What becomes of a record of an archive: each has exactly one end, so that the counts add up."""

from __future__ import annotations

from enum import StrEnum


class RecordEnd(StrEnum):
    """The end of a record. `MEANINGS` says what each is, for the docs and the card of a data set."""

    ARTICLE = "article"
    NOT_ARTICLE = "not_article"
    EMPTY = "empty"
    ERROR = "error"
    KILLED = "killed"
    DAMAGED = "damaged"
    FILTERED = "filtered"
    REVISIT = "revisit"
    OTHER = "other"


READ_PAGES = frozenset((RecordEnd.ARTICLE, RecordEnd.NOT_ARTICLE, RecordEnd.EMPTY, RecordEnd.ERROR, RecordEnd.KILLED))
"""How records end whose page was read."""

MEANINGS = {
    RecordEnd.ARTICLE: "An article; it has a row in the table of articles.",
    RecordEnd.NOT_ARTICLE: "A page of another kind, such as a listing, or one that shows a wall.",
    RecordEnd.EMPTY: "A page in which no text of an article was found.",
    RecordEnd.ERROR: "A page that cannot be read, such as one that is not HTML inside.",
    RecordEnd.KILLED: "A page that took too long, or at which its process died.",
    RecordEnd.DAMAGED: "A stretch of the file that is no record, or a page that cannot be decoded.",
    RecordEnd.FILTERED: "Left out as the filters of the run say.",
    RecordEnd.REVISIT: "A visit at which nothing had changed: the page is in another record.",
    RecordEnd.OTHER: "Not a page: a request, metadata, a picture, an error of the server.",
}
