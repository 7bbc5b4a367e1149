"""Articles of a database as text in one file: CSV for people, JSON Lines for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from newsextract.storage.articles.article_csv import csv_head, csv_lines, encodable
from newsextract.storage.articles.stored_values import values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TextIO


def write_csv(rows: Iterable[Mapping[str, Any]], file: TextIO) -> int:
    """Write the columns that the desk's download has, safe for spreadsheets; return how many articles there were."""
    file.write(csv_head())
    count = 0
    for row in rows:
        file.write(csv_lines([row]))
        count += 1
    return count


def write_json_lines(rows: Iterable[Mapping[str, Any]], file: TextIO) -> int:
    """Write an article a line, with the fields of the item; return how many there were."""
    count = 0
    for row in rows:
        file.write(encodable(json.dumps(values_of(row), ensure_ascii=False)) + "\n")
        count += 1
    return count
