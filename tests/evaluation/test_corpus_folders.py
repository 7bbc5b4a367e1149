"""Reading annotated corpora with a file per page."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.evaluation.corpora import BadRecord, CorpusError, GoldPage, read_corpus

if TYPE_CHECKING:
    from collections.abc import Mapping


def pages(path: Path) -> list[GoldPage]:
    records = list(read_corpus(path))
    assert not [record for record in records if isinstance(record, BadRecord)]
    return [record for record in records if isinstance(record, GoldPage)]


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
