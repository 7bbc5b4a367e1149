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
    from collections.abc import Callable, Mapping


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


@pytest.mark.parametrize(("line", "reason"), [
    ('{"html": "<p>', "Invalid control character"),
    ("[1]", "a list, not an object with fields"),
    ("null", "null, not an object with fields"),
    ('{"text": "x"}', "html is missing"),
    ('{"html": 5}', "html is a number, not text"),
    ('{"html": "<p>", "text": ["x"]}', "text is a list, not text"),
    ("[" * 100_000, "recursion depth"),
])  # fmt: skip
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


def files(folder: Path, contents: Mapping[str, str | bytes]) -> Path:
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def test_reads_two_folders_with_cleaneval_marks(tmp_path: Path) -> None:
    gold = "URL: http://www.a.example/1\n<h>Title\n<p>One.\n\n<l> Two"
    html = b"<p>One.\xe9</p>"
    (page,) = pages(files(tmp_path / "clean.d", {"html/1.html": html, "gold/1-cleaned.txt": gold}))
    assert (page.corpus, page.id, page.html) == ("clean.d", "1", html)
    assert page.marked == "<h>Title\n<p>One.\n\n<l> Two"
    assert page.text == "Title\nOne.\nTwo"
    assert (page.url, page.site) == ("http://www.a.example/1", "a.example")
    assert page.place == str(tmp_path / "clean.d/html/1.html")


@pytest.mark.parametrize("html", ["x.1.html", "x.1.htm", "x.1", "x.1.html.gz"])
@pytest.mark.parametrize("gold", ["x.1.txt", "x.1-cleaned.txt", "x.1.html", "x.1"])
def test_matches_files_by_stem_whatever_their_endings(tmp_path: Path, html: str, gold: str) -> None:
    body = gzip.compress(b"<p>") if html.endswith("gz") else b"<p>"
    (page,) = pages(files(tmp_path / "c", {f"html/{html}": body, f"gold/{gold}": "Plain"}))
    assert (page.id, page.html, page.text, page.marked) == ("x.1", b"<p>", "Plain", None)


def test_reports_gold_without_page_and_page_without_gold(tmp_path: Path) -> None:
    files(tmp_path / "c", {"html/1": "<p>", "html/2": "<p>", "gold/2": "x", "gold/3": "x", "html/.DS_Store": "x"})
    lone_page, page, lone_gold = read_corpus(tmp_path / "c")
    assert lone_page == BadRecord(str(tmp_path / "c/html/1"), "the page '1' has no gold")
    assert isinstance(page, GoldPage)
    assert lone_gold == BadRecord(str(tmp_path / "c/gold/3"), "the gold of '3' has no page")


def test_reads_one_file_with_all_the_gold(tmp_path: Path) -> None:
    truth = {"one": {"articleBody": "Body", "url": "http://a.example/"}, "two": {"url": "http://b.example/"}}
    packed = gzip.compress(b"<p>Body")
    files(tmp_path / "bench", {"html/one.html.gz": packed, "html/two.html.gz": packed})
    (tmp_path / "bench/ground-truth.json").write_text(json.dumps(truth))
    one, two = pages(tmp_path / "bench")
    assert (one.corpus, one.id, one.html, one.text, one.url) == (
        "bench",
        "one",
        b"<p>Body",
        "Body",
        "http://a.example/",
    )
    assert (two.text, two.site) == (None, "b.example")


def test_reports_what_is_wrong_with_one_file_of_gold(tmp_path: Path) -> None:
    truth = {"a": [], "b": {"articleBody": 1}, "c": {}, "d": {}}
    files(tmp_path / "c", {f"html/{name}.html.gz": gzip.compress(b"<p>") for name in "abe"})
    files(tmp_path / "c", {"html/d.html.gz": b"no archive"})
    (tmp_path / "c/ground-truth.json").write_text(json.dumps(truth))
    assert [(Path(record.place).name, getattr(record, "reason", "")) for record in read_corpus(tmp_path / "c")] == [
        ("ground-truth.json", "the gold of 'a': a list, not an object with fields"),
        ("b.html.gz", "text is a number, not text"),
        ("ground-truth.json", "the gold of 'c' has no page"),
        ("d.html.gz", "Not a gzipped file (b'no')"),
        ("e.html.gz", "the page 'e' has no gold"),
    ]


def test_reads_pairs_of_files(tmp_path: Path) -> None:
    fields = json.dumps({"articleBody": "Body", "inLanguage": "en", "authors": [{"name": "Ann"}]})
    names: dict[str, str | bytes] = {
        "1.json": fields,
        "1.html.gz": gzip.compress(b"<p>"),
        "2.json": '{"text": "T"}',
        "2.html": "<b>",
    }
    first, second = pages(files(tmp_path / "pairs", {**names, "README": "not a page"}))
    assert (first.id, first.html, first.text, first.language, first.authors) == ("1", b"<p>", "Body", "en", ("Ann",))
    assert (second.html, second.text) == (b"<b>", "T")


def test_pairs_stand_in_the_folder_or_in_those_of_languages(tmp_path: Path) -> None:
    near = files(tmp_path / "near", {"el/1.html": "<p>", "el/1.json": '{"text": "T"}'})
    assert [page.language for page in pages(near)] == ["el"]
    far = files(tmp_path / "far", {"some/where/1.html": "<p>", "some/where/1.json": "{}", "2.html": "", "3.json": "{}"})
    with pytest.raises(CorpusError, match="has no known format"):
        read_corpus(far)


def test_reports_broken_pairs(tmp_path: Path) -> None:
    cut = gzip.compress(b"<p>" * 1000)[:20]
    names: dict[str, str | bytes] = {
        "1.json": "{\n\n",
        "1.html": "<p>",
        "2.json": "{}",
        "3.html": "<p>",
        "4.json": "{}",
        "4.html.gz": cut,
    }
    folder = files(tmp_path / "c", names)
    no_json = "Expecting property name enclosed in double quotes: line 3 column 1 (char 3)"
    assert list(read_corpus(folder)) == [
        BadRecord(f"{folder / '1.json'}:3", f"the gold of '1': {no_json}"),
        BadRecord(str(folder / "2.json"), "the gold of '2' has no page"),
        BadRecord(str(folder / "3.html"), "the page '3' has no gold"),
        BadRecord(str(folder / "4.html.gz"), "Compressed file ended before the end-of-stream marker was reached"),
    ]


def test_reads_public_corpora_as_they_are_checked_out(tmp_path: Path) -> None:
    wcxb = {
        "url": "https://a.example/1",
        "_internal": {"page_type": {"primary": "article"}},
        "ground_truth": {"title": "T", "author": "Ann", "publish_date": "2025-08-25", "main_content": "Body"},
    }
    files(tmp_path / "wcxb", {"html/0001.html.gz": gzip.compress(b"<p>"), "ground-truth/0001.json": json.dumps(wcxb)})
    (page,) = pages(tmp_path / "wcxb")
    assert (page.text, page.headline, page.date, page.page_type) == ("Body", "T", "2025-08-25", "article")
    assert (page.authors, page.site) == (("Ann",), "a.example")

    gold = "Body.\n!@#$%^&*()  COMMENTS\nFirst!"
    (page,) = pages(files(tmp_path / "dragnet", {"HTML/R1.html": "<p>", "Corrected/R1.html.corrected.txt": gold}))
    assert (page.id, page.text) == ("R1", "Body.\n")

    articles = {"x": {"articleBody": "Body", "title": "T"}}
    (page,) = pages(files(tmp_path / "n4k", {"html/x.html": "<p>", "articles.json": json.dumps(articles)}))
    assert (page.text, page.headline) == ("Body", "T")

    named = {
        "html/1_a.pl_x": "<p>",
        "reference/1_a.pl_x": "<p>One\n</p>\n<p>Two</p>",
        "doc_lg.json": '{"1_a.pl_x": "Polish"}',
    }
    (page,) = pages(files(tmp_path / "waddle", named))
    assert (page.language, page.text, page.marked) == ("pl", "One\nTwo", "<p>One\n\n<p>Two")


def test_the_document_around_the_gold_is_not_its_text(tmp_path: Path) -> None:
    wrapped = "<html><head><title>no</title></head><body>\n<h>Title</h>\n<p>One.</p>\n</body></html>\n"
    (page,) = pages(files(tmp_path / "c", {"html/1": "<p>", "gold/1": wrapped}))
    assert (page.text, page.marked) == ("Title\nOne.", "<h>Title\n<p>One.\n")
