"""Copies over a run: which article is the original, and that memory, files and their order make no difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow", reason="wants the extra `archive`")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.copies.article_order import ranks_of
from newsextract.archives.copies.article_print import ArticlePrint
from newsextract.archives.copies.candidate_pairs import FIRST, LATEST, candidate_pairs
from newsextract.archives.copies.copy_flags import RunFlags
from newsextract.archives.copies.print_table import FOLDER, PRINTS, RunPrints
from tests.archives.archive_pages import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Row = tuple[str, str, str]
"""The record id, the date and the text of an article."""

STORY = "\n".join(text_of(1))
LONGER = f"{STORY}\nNobody knew on Monday what the second opening would cost the town."
LONGEST = f"{LONGER}\nThe mayor wants to say more about it before the summer holidays begin."


def write(folder: Path, files: Mapping[str, Sequence[Row]]) -> RunPrints:
    """Write the prints of files."""
    (folder / FOLDER).mkdir(parents=True)
    for name, rows in files.items():
        made = [ArticlePrint.of(text).row("2026-05", record, date) for record, date, text in rows]
        pq.write_table(pa.Table.from_pylist(made, PRINTS), folder / FOLDER / f"{name}.parquet")
    return RunPrints(folder)


def flags_of(folder: Path, files: Mapping[str, Sequence[Row]]) -> dict[str, tuple[str | None, str | None]]:
    """Return for each record that of which it is an exact copy, and that of which it is a near one."""
    flags = RunFlags(write(folder, files), folder)
    return {
        row[0]: (each.exact.get(place), each.near.get(place))
        for each in flags
        for place, row in enumerate(files[each.name])
    }


def test_the_first_archived_is_the_original(tmp_path: Path) -> None:
    rows = [("late", "2026-05-03T00:00:00Z", STORY), ("early", "2026-05-01T00:00:00Z", STORY)]
    assert flags_of(tmp_path, {"a": rows}) == {"late": ("early", None), "early": (None, None)}


def test_at_one_moment_the_lower_id_is_the_original_and_without_a_date_none(tmp_path: Path) -> None:
    low, high = (f"<urn:uuid:00000000-0000-0000-0000-00000000000{number}>" for number in (1, 2))
    rows = [("undated", "", STORY), (high, "2026-05-01T00:00:00Z", STORY), (low, "2026-05-01T00:00:00Z", STORY)]
    assert flags_of(tmp_path, {"a": rows}) == {"undated": (low, None), high: (low, None), low: (None, None)}


def test_an_original_is_never_a_copy_itself(tmp_path: Path) -> None:
    rows = [
        ("third", "2026-05-03T00:00:00Z", LONGEST),
        ("first", "2026-05-01T00:00:00Z", STORY),
        ("second", "2026-05-02T00:00:00Z", LONGER),
        ("again", "2026-05-04T00:00:00Z", LONGER),
        ("other", "2026-05-02T00:00:00Z", "\n".join(text_of(2))),
    ]
    assert flags_of(tmp_path, {"a": rows}) == {
        "first": (None, None),
        "second": (None, "first"),
        "third": (None, "first"),
        "again": ("second", "first"),
        "other": (None, None),
    }


def test_how_articles_lie_in_files_makes_no_difference(tmp_path: Path) -> None:
    rows = [
        (
            f"r{number}-{copy}",
            f"2026-05-0{copy + 1}T00:00:00Z",
            "\n".join([*text_of(number), *["More is known."] * copy]),
        )
        for number in range(20)
        for copy in range(3)
    ]
    one = flags_of(tmp_path / "one", {"a": rows})
    many = flags_of(tmp_path / "many", {"z": rows[:20], "y": rows[20:50], "x": rows[50:]})
    assert one == many
    assert sum(near is not None for _, near in one.values()) == 40


def test_passes_of_little_memory_find_the_same_pairs(tmp_path: Path) -> None:
    rows = [(str(number), "2026-05-01T00:00:00Z", "\n".join(text_of(number % 7))) for number in range(40)]
    prints = write(tmp_path, {"a": rows})
    ranks, everyone = ranks_of(prints), np.ones(len(rows), np.bool_)
    whole, little = (candidate_pairs(prints, ranks, everyone, keys) for keys in (10_000, 50))
    assert whole.tolist() == little.tolist()
    assert all(later > earlier for later, earlier in whole.tolist())
    assert np.unique(whole[:, 0], return_counts=True)[1].max() <= FIRST + LATEST


def test_short_texts_have_exact_copies_only(tmp_path: Path) -> None:
    rows = [("a", "2026-05-01T00:00:00Z", "Rain is coming."), ("b", "2026-05-02T00:00:00Z", "Rain is coming.")]
    rows += [("c", "2026-05-03T00:00:00Z", "Rain is coming!"), ("d", "2026-05-03T00:00:00Z", "")]
    rows += [("e", "2026-05-03T00:00:00Z", "")]
    found = flags_of(tmp_path, {"a": rows})
    assert found == {"a": (None, None), "b": ("a", None), "c": (None, None), "d": (None, None), "e": (None, None)}


def test_a_run_without_articles_has_no_copies(tmp_path: Path) -> None:
    flags = RunFlags(write(tmp_path, {"a": []}), tmp_path)
    assert (flags.exact, flags.near, len(flags)) == (0, 0, 1)
