"""The file of messages, and its rotated files."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from newsextract.newsroom.delivery.files import JsonLines, Rotation
from newsextract.newsroom.delivery.targets import Away
from newsextract.storage.outbox import Letter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NOW = datetime(2026, 5, 20, 23, 59, tzinfo=UTC)


def letters(numbers: Iterable[int]) -> list[Letter]:
    return [
        Letter(number, f"{number:032x}", "article", json.dumps({"n": number, "text": "é" * 20})) for number in numbers
    ]


def deliver(target: JsonLines, numbers: range) -> None:
    waiting = letters(numbers)
    while waiting:
        waiting = waiting[target.deliver(waiting) :]


def numbers_in(path: Path) -> list[int]:
    written = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line)["n"] for line in written.splitlines()]


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


@pytest.mark.parametrize("zips", [False, True])
def test_a_file_that_is_large_enough_is_put_aside_between_two_lines(tmp_path: Path, zips: bool) -> None:
    path = tmp_path / "messages.jsonl"
    target = JsonLines(path, Rotation(max_bytes=300, zips=zips), clock=lambda: NOW)
    deliver(target, range(12))
    end = ".gz" if zips else ""
    aside = len(names(tmp_path)) - 1
    numbered = ["", *(f"-{number}" for number in range(2, aside + 1))]
    every = [tmp_path / f"messages-20260520T235900Z{number}.jsonl{end}" for number in numbered]
    assert [number for file in (*every, path) for number in numbers_in(file)] == list(range(12))
    assert len(every) > 1
    if not zips:
        assert all(file.stat().st_size <= 300 for file in every)


def test_a_line_that_is_longer_than_a_file_may_be_has_its_own(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    deliver(JsonLines(path, Rotation(max_bytes=10)), range(3))
    assert numbers_in(path) == [2]
    assert len(names(tmp_path)) == 3


def test_a_new_day_has_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    times = [NOW]
    target = JsonLines(path, Rotation(is_daily=True), clock=lambda: times[-1])
    deliver(target, range(2))
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    deliver(target, range(2, 3))
    assert numbers_in(path) == [0, 1, 2]
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    times.append(datetime(2026, 5, 21, 0, 1, tzinfo=UTC))
    deliver(target, range(3, 5))
    assert numbers_in(path) == [3, 4]
    assert numbers_in(tmp_path / "messages-20260521T000100Z.jsonl") == [0, 1, 2]


def test_a_disk_that_is_away_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Away, match="file"):
        JsonLines(tmp_path / "file" / "messages.jsonl").deliver(letters(range(2)))
