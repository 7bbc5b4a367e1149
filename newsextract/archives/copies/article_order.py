"""Which of two articles is the original: that with the earlier record, and of two at one moment, with the lower id.

All that follows counts articles by their rank in this order. It is the same however the files were divided among
workers, and in whatever order they were read.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.archives.copies.print_table import RunPrints

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_DATE = np.iinfo(np.int64).max
"""An article without a date is nobody's original, if it can be helped."""


def ranks_of(prints: RunPrints) -> NDArray[np.int64]:
    """Return the rank of each article by its number; it takes some 60 bytes an article."""
    dates = np.empty(len(prints), np.int64)
    ids = np.empty((len(prints), 2), np.uint64)
    for batch in prints.batches("date", "record_id"):
        columns = batch.table.to_pydict()
        stop = batch.first + batch.table.num_rows
        dates[batch.first : stop] = [microseconds(date) for date in columns["date"]]
        ids[batch.first : stop] = [id_number(name) for name in columns["record_id"]]
    # The last key counts first; the sort is stable, so the number decides in the end.
    order = np.lexsort((ids[:, 1], ids[:, 0], dates))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def microseconds(date: str | None) -> int:
    """Return a date as microseconds since 1970; the last there are for one that is missing or none.

    >>> microseconds("1970-01-01T00:00:02Z"), microseconds(None) == microseconds("soon")
    (2000000, True)
    """
    try:
        moment = datetime.fromisoformat(date or "")
    except ValueError:
        return int(_NO_DATE)
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def id_number(name: str | None) -> tuple[int, int]:
    """Return the id of a record as two numbers of 64 bits that order as ids do; of one that is no UUID, a hash.

    >>> id_number("<urn:uuid:00000000-0000-0001-0000-000000000002>")
    (1, 2)
    """
    try:
        number = UUID((name or "").strip("<>").removeprefix("urn:uuid:")).int
    except ValueError:
        number = int.from_bytes(blake2b((name or "").encode("utf-8", "surrogatepass"), digest_size=16).digest())
    return number >> 64, number & 2**64 - 1
