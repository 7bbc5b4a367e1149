"""Reading annotated corpora with a page per line, their errors, and files that are not a corpus."""

from __future__ import annotations

import gzip
import json
import lzma
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.evaluation.corpora import BadRecord, CorpusError, GoldPage, read_corpus

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = Path(__file__).parents[3].parent / "shared"

LINE = {"id": "a", "html": "<p>Été</p>", "text": "Été"}


def pages(path: Path) -> list[GoldPage]:
    records = list(read_corpus(path))
    assert not [record for record in records if isinstance(record, BadRecord)]
    return [record for record in records if isinstance(record, GoldPage)]


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "pack"), [("news.jsonl", bytes), ("news.jsonl.gz", gzip.compress), ("news.jsonl.xz", lzma.compress)]
)
def test_reads_a_json_object_a_line(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    full = {
        **LINE, "url": "https://www.a.example/1", "site": "a", "language": "fr", "headline": "H", "date": "2020-01-01",
        "page_type": "article", "authors": "Ann", "includes": ["in"], "excludes": ["out", "off"],
    }  # fmt: skip
    (tmp_path / name).write_bytes(pack(f"{json.dumps(full)}\n\n{json.dumps({'html': '<p>'})}".encode()))
    first, second = pages(tmp_path / name)
    assert first == GoldPage(
        "news", "a", "<p>Été</p>", f"{tmp_path / name}:1", text="Été", url="https://www.a.example/1", site="a",
        language="fr", headline="H", date="2020-01-01", page_type="article", authors=("Ann",), includes=("in",),
        excludes=("out", "off"),
    )  # fmt: skip
    assert second == GoldPage("news", "3", "<p>", f"{tmp_path / name}:3")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"html": "<p>', "Invalid control character"),
        ("[1]", "a list, not an object with fields"),
        ("null", "null, not an object with fields"),
        ('{"text": "x"}', "html is missing"),
        ('{"html": 5}', "html is a number, not text"),
        ('{"html": "<p>", "text": ["x"]}', "text is a list, not text"),
        ("[" * 100_000, "recursion depth"),
    ],
)
def test_reports_a_broken_line_and_reads_on(tmp_path: Path, line: str, reason: str) -> None:
    path = lines(tmp_path / "c.jsonl", LINE, line, LINE)
    first, bad, last = read_corpus(path)
    assert isinstance(bad, BadRecord)
    assert bad.place == f"{path}:2"
    assert reason in bad.reason
    assert isinstance(first, GoldPage)
    assert isinstance(last, GoldPage)
    assert last.place == f"{path}:3"


CUT = "Compressed file ended before the end-of-stream marker was reached"


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("xz", lzma.compress)])
def test_reads_a_truncated_archive_as_far_as_it_goes(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"c.jsonl.{ending}"
    noise = "".join(chr(0x4E00 + i * i * 7919 % 20000) for i in range(20_000))
    packed = pack("".join(json.dumps({"html": noise}) + "\n" for _ in range(20)).encode())
    path.write_bytes(packed[: len(packed) - 8])
    *found, bad = read_corpus(path)
    assert all(isinstance(record, GoldPage) for record in found)
    assert len(found) >= 19
    assert bad == BadRecord(f"{path}:{len(found) + 1}", CUT)


@pytest.mark.parametrize("ending", ["gz", "xz"])
def test_reports_a_file_that_is_no_archive(tmp_path: Path, ending: str) -> None:
    path = lines(tmp_path / f"c.jsonl.{ending}", LINE)
    (bad,) = read_corpus(path)
    assert isinstance(bad, BadRecord)
    assert bad.place == f"{path}:1"


def test_keeps_a_page_whose_facts_are_odd(tmp_path: Path) -> None:
    odd = {**LINE, "id": 7, "date": 2020, "headline": {}, "authors": [{"name": "Ann"}, None], "url": "http://[a"}
    (page,) = pages(lines(tmp_path / "c.jsonl", odd))
    assert (page.id, page.date, page.headline, page.authors, page.site) == ("7", "2020", None, ("Ann",), None)


def test_tells_an_empty_body_from_an_unknown_one(tmp_path: Path) -> None:
    empty, unknown = pages(lines(tmp_path / "c.jsonl", {**LINE, "text": ""}, {**LINE, "text": None}))
    assert (empty.text, unknown.text) == ("", None)


@pytest.mark.parametrize("name", ["nowhere", "empty", "list.csv"])
def test_says_what_would_be_a_corpus(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "list.csv").touch()
    with pytest.raises(CorpusError, match=rf"{name}.*a corpus is a file .jsonl") as error:
        read_corpus(tmp_path / name)
    assert isinstance(error.value, ValueError)


@pytest.mark.corpus
def test_reads_every_page_of_the_shared_corpora() -> None:
    if not (SHARED / "corpora").is_dir():
        pytest.skip("the corpora are not beside the repository")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", (SHARED / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    counts = {name: int(count) for name, count in rows}
    found = {name: sum(1 for _ in read_corpus(SHARED / "corpora" / f"{name}.jsonl.xz")) for name in counts}
    assert counts
    assert found == counts
