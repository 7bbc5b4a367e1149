"""Pairs of articles that may be copies: those that share keys, found in as many passes as the memory wants.

A pass takes the keys of one remainder, so each key's articles are together in one of them. Not all pairs of a key are
compared: each article with the first ones and with those just before it. What it is a copy of shares many keys with it,
and is among the first of one of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from newsextract.archives.copies.print_table import RunPrints

KEYS_A_PASS = 4_000_000
"""Keys sorted at once, some 250 MB."""

FIRST, LATEST = 2, 2
"""How many of a key's first articles, and of those just before it, an article is compared with."""

MOST_CANDIDATES = 60
"""As in a crawl: those that share the most keys."""

_KEYS_AN_ARTICLE = 24


def candidate_pairs(
    prints: RunPrints, ranks: NDArray[np.int64], is_wanted: NDArray[np.bool_], keys_a_pass: int = KEYS_A_PASS
) -> NDArray[np.int64]:
    """Return pairs of ranks, the later article first, ordered; `is_wanted` tells by rank who is to be compared."""
    passes = max(1, -(-len(prints) * _KEYS_AN_ARTICLE // keys_a_pass))
    found = [np.empty((0, 2), np.int64)]
    for number in range(passes):
        keys, owners = _keys(prints, ranks, is_wanted, number, passes)
        found.extend(_pairs(keys, owners))
    pairs, shared = np.unique(np.concatenate(found), axis=0, return_counts=True)
    return _best(pairs, shared)


def _keys(
    prints: RunPrints, ranks: NDArray[np.int64], is_wanted: NDArray[np.bool_], number: int, passes: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the keys with one remainder and their articles, ordered by both."""
    keys, owners = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for batch in prints.batches("keys"):
        column = batch.table.column("keys")
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        some = column.flatten().to_numpy(zero_copy_only=False)
        whose = np.repeat(ranks[batch.first : batch.first + len(lengths)], lengths)
        chosen = (some % np.uint64(passes) == number) & is_wanted[whose]
        keys.append(some[chosen])
        owners.append(whose[chosen])
    all_keys, all_owners = np.concatenate(keys), np.concatenate(owners)
    order = np.lexsort((all_owners, all_keys))
    return all_keys[order], all_owners[order]


def _pairs(keys: NDArray[np.uint64], owners: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the pairs of articles that share a key, the later article first."""
    if not len(keys):
        return
    places = np.arange(len(keys))
    is_new = np.append(True, keys[1:] != keys[:-1])
    starts = places[is_new][np.cumsum(is_new) - 1]
    for step in range(FIRST):
        at = places[places > starts + step]
        yield np.stack((owners[at], owners[starts[at] + step]), axis=1)
    for step in range(1, LATEST + 1):
        at = places[places - step >= starts + FIRST]
        yield np.stack((owners[at], owners[at - step]), axis=1)


def _best(pairs: NDArray[np.int64], shared: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairs without those beyond `MOST_CANDIDATES` of an article, ordered by both articles."""
    order = np.lexsort((pairs[:, 1], -shared, pairs[:, 0]))
    pairs = pairs[order]
    places = np.arange(len(pairs))
    is_new = np.append(True, pairs[1:, 0] != pairs[:-1, 0])[: len(pairs)]
    starts = places[is_new][np.cumsum(is_new) - 1]
    kept = pairs[places - starts < MOST_CANDIDATES]
    ordered: NDArray[np.int64] = kept[np.lexsort((kept[:, 1], kept[:, 0]))]
    return ordered
