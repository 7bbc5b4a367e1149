"""The file of messages, and its rotated files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from newsextract.newsroom.delivery import files
from newsextract.newsroom.delivery.files import JsonLines
from newsextract.newsroom.delivery.targets import Away
from newsextract.storage.outbox import Letter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def letters(numbers: Iterable[int]) -> list[Letter]:
    return [
        Letter(number, f"{number:032x}", "article", json.dumps({"n": number, "text": "é" * 20})) for number in numbers
    ]


def deliver(target: JsonLines, numbers: range) -> None:
    waiting = letters(numbers)
    while waiting:
        waiting = waiting[target.deliver(waiting) :]


def numbers_in(path: Path) -> list[int]:
    return [json.loads(line)["n"] for line in path.read_bytes().splitlines()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_message_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "new" / "messages.jsonl"
    deliver(JsonLines(path), range(3))
    deliver(JsonLines(path), range(3, 5))
    assert numbers_in(path) == [0, 1, 2, 3, 4]
    assert names(path.parent) == ["messages.jsonl"]


def test_a_line_that_a_crash_has_left_is_not_glued_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    deliver(JsonLines(path), range(2))
    with path.open("a") as file:
        file.write('{"n": 2, "te')
    deliver(JsonLines(path), range(2, 4))
    assert numbers_in(path) == [0, 1, 2, 3]


def test_a_large_file_is_put_aside_before_the_next_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    path = tmp_path / "messages.jsonl"
    for start in (0, 4, 8):
        deliver(JsonLines(path), range(start, start + 4))
    assert numbers_in(path) == [8, 9, 10, 11]
    aside = [each for each in tmp_path.iterdir() if each != path]
    assert sorted(map(numbers_in, aside)) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_disk_that_is_away_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Away, match="file"):
        JsonLines(tmp_path / "file" / "messages.jsonl").deliver(letters(range(2)))
