"""The rows that React's server components send: `1a:{"title":…}`, and `1b:T4c,` before a text of 0x4c bytes.

A string `$1a` or `$L1a` stands for another row; see packages/react-client in React's repository.
"""

from __future__ import annotations

import json
import re

from newsextract.reading.hydration.literal_scanner import Budget, whole

_ROW = re.compile(rb"\s*([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),)?")
_MAX_ROWS = 10_000
REFERENCE = re.compile(r"\$[L@]?([0-9a-f]{1,8})")


def read_rows(stream: str, budget: Budget) -> dict[str, object]:
    """Return the values of the rows, each under `$` and its number in hexadecimal digits."""
    rows: dict[str, object] = {}
    content = stream.encode(errors="ignore")
    budget.chars -= len(content)
    if budget.chars < 0:
        return rows
    place = 0
    while len(rows) < _MAX_ROWS and (found := _ROW.match(content, place)):
        key = f"${found[1].decode()}"
        if found[2]:
            place = found.end() + int(found[2], 16)
            rows[key] = content[found.end() : place].decode(errors="ignore")
            continue
        end = content.find(b"\n", found.end())
        place = end + 1 if end >= 0 else len(content)
        try:
            rows[key] = json.loads(content[found.end() : place], parse_int=whole)
        except (ValueError, RecursionError):
            continue  # a row that imports a module, or one that is cut off: it holds no text
    return rows
