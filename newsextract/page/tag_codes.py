"""The tags of a page as numbers of one byte, so that numpy can search and translate all of them at once."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.html_elements import BLOCK_LEVEL, TEXTLESS, VOID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.page.nesting import Booleans

_OTHERS = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark picture q ruby s samp slot small span "
    "strike strong sub sup time tt u var".split()
)
"""The tags that people use besides those whose text is set apart or not shown."""

_CODES = {tag: code for code, tag in enumerate(sorted(BLOCK_LEVEL | TEXTLESS | VOID | _OTHERS), start=1)}
_code_of = _CODES.get


def codes_of(tags: Sequence[str]) -> NDArray[np.uint8]:
    """Return the code of each tag, 0 for unknown ones."""
    return np.frombuffer(bytes(map(_code_of, tags, repeat(0))), np.uint8)


def are(codes: NDArray[np.uint8], *tags: str) -> Booleans:
    """Tell which codes are those of one of these known tags.

    >>> are(codes_of(["p", "a", "x-y", "a"]), "a").tolist()
    [False, True, False, True]
    """
    found: Booleans = codes == _CODES[tags[0]]
    for tag in tags[1:]:
        found |= codes == _CODES[tag]
    return found


def translation(values: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return the table that has these tags' values at their codes, and 0 for all others.

    >>> translation({"a": 2, "p": 1})[codes_of(["p", "a", "b"])].tolist()
    [1, 2, 0]
    """
    table = np.zeros(len(_CODES) + 1, np.uint8)
    for tag, value in values.items():
        table[_CODES[tag]] = value
    return table
