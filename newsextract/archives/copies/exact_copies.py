"""Exact copies: articles with the same text, character for character."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.archives.copies.article_print import DIGEST_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.archives.copies.print_table import RunPrints

NONE = -1
"""In place of a rank."""


def exact_originals(prints: RunPrints, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each rank that of the first article with the same text, `NONE` if that is itself or has no text."""
    digests = np.zeros((len(prints), 2), np.uint64)
    has_text = np.zeros(len(prints), np.bool_)
    for batch in prints.batches("digest"):
        found = batch.table.column("digest").to_pylist()
        at = ranks[batch.first : batch.first + len(found)]
        padded = b"".join(digest or bytes(DIGEST_BYTES) for digest in found)
        digests[at] = np.frombuffer(padded, np.uint64).reshape(-1, 2)
        has_text[at] = [bool(digest) for digest in found]
    return first_of_equals(digests, has_text)


def first_of_equals(digests: NDArray[np.uint64], counts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each row the index of the first equal one, `NONE` for that itself and for rows that do not count.

    >>> first_of_equals(np.array([[1, 2], [3, 4], [1, 2]], np.uint64), np.array([True, True, True])).tolist()
    [-1, -1, 0]
    """
    originals = np.full(len(digests), NONE, np.int64)
    order = np.lexsort((digests[:, 1], digests[:, 0]))  # stable: equals stay in the order of their ranks
    order = order[counts[order]]
    if not len(order):
        return originals
    is_new = np.append(True, (digests[order[1:]] != digests[order[:-1]]).any(axis=1))
    firsts = order[is_new][np.cumsum(is_new) - 1]
    originals[order] = np.where(firsts == order, NONE, firsts)
    return originals
