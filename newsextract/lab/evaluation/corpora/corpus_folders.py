"""Read corpora with one file per page: two folders, a pair of files per page, or one file for all gold.

The pages are in one folder and the gold in another (`FOLDERS`), or both are side by side (`NAME.html.gz`, `NAME.json`),
or all gold is in one file beside `html/` (`TRUTHS`). Files with the same stem belong together. These are the layouts of
public corpora as they are checked out: article-extraction-benchmark, newspaper4k's, WCXB, dragnet's, DAnIEL's.

A language is that of the page's fields, else what a file `doc_lg.json` or `languages.json` has for its stem, else the
name of the sub-folder that the page is in, as in `html/el/1.html`.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from newsextract.lab.evaluation.corpora.gold_pages import (
    READ_ERRORS,
    BadRecord,
    GoldPage,
    as_fields,
    gold_page,
    has_marks,
    reason_of,
    split_url,
    without_wrapper,
)
from newsextract.page.charset import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    from newsextract.lab.evaluation.corpora.gold_pages import Fields

_HTML = (".html.gz", ".htm.gz", ".html", ".htm")
_ANY_HTML = (*_HTML, ".gz", "")
_ANY_GOLD = (".html.corrected.txt", "-cleaned.txt", ".txt", ".json", *_HTML, "")
"""Gold may have the page's file name; endings not in these tables are part of the stem, dots included."""

FOLDERS = (("html", "gold"), ("html", "ground-truth"), ("html", "reference"), ("HTML", "Corrected"))
"""Folders of pages and of their gold."""
TRUTHS = ("ground-truth.json", "articles.json")
"""Files with the gold of all pages in `html/`."""
_LANGUAGE_FILES = ("doc_lg.json", "languages.json")
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?")  # a folder of three letters may be a site
_NAMED = {"chinese": "zh", "english": "en", "greek": "el", "polish": "pl", "russian": "ru"}
"""The languages that DAnIEL's file gives by name."""
_COMMENTS = "!@#$%^&*()  COMMENTS"
"""What separates an article from the readers' comments in dragnet's gold."""


class _Gold(NamedTuple):
    """The file with a page's gold, and how to read its fields."""

    place: str
    read: Callable[[], Fields]


def has_truth(path: Path) -> bool:
    """Tell whether one file holds all gold."""
    return any((path / name).is_file() for name in TRUTHS)


def read_truth(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages of `html/`, with their gold from one file."""
    truth = next(path / name for name in TRUTHS if (path / name).is_file())
    try:
        entries = as_fields(json.loads(truth.read_bytes()))
    except READ_ERRORS as error:
        yield _bad(truth, error)
        return
    golds = {stem: _Gold(str(truth), partial(as_fields, entry)) for stem, entry in entries.items()}
    htmls = yield from _unique(path / "html", _ANY_HTML)
    yield from _paired(path, htmls, golds)


def has_two_folders(path: Path) -> bool:
    """Tell whether pages and gold have a folder each."""
    return any((path / pages).is_dir() and (path / gold).is_dir() for pages, gold in FOLDERS)


def read_two_folders(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages of one folder, with their gold from the other."""
    pages, gold = next(pair for pair in FOLDERS if all((path / name).is_dir() for name in pair))
    yield from _read_files(path, (path / pages, _ANY_HTML), (path / gold, _ANY_GOLD))


def has_pairs(path: Path) -> bool:
    """Tell whether a folder, or one of a language in it, holds a page beside its JSON file.

    Only they are looked into: a folder that is no corpus may hold half a disk.
    """
    folders = [path, *(each for each in path.glob("*") if _LANGUAGE.fullmatch(each.name))]
    htmls, jsons = ({file for each in folders for file in _stems(each, endings)} for endings in (_HTML, (".json",)))
    return not htmls.isdisjoint(jsons)


def _stems(folder: Path, endings: Iterable[str]) -> Iterator[Path]:
    return (folder / stem for stem, _ in _by_stem(folder, endings, "*"))


def read_pairs(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages of a folder, each with its gold from the JSON file of the same name."""
    yield from _read_files(path, (path, _HTML), (path, (".json",)))


def _read_files(
    path: Path, pages: tuple[Path, tuple[str, ...]], gold: tuple[Path, tuple[str, ...]]
) -> Iterator[GoldPage | BadRecord]:
    htmls = yield from _unique(*pages)
    files = yield from _unique(*gold)
    golds = {stem: _Gold(str(file), partial(_read_gold, file)) for stem, file in files.items()}
    yield from _paired(path, htmls, golds)


def _paired(path: Path, htmls: Mapping[str, Path], golds: Mapping[str, _Gold]) -> Iterator[GoldPage | BadRecord]:
    languages = _languages(path)
    for stem in sorted(htmls.keys() | golds.keys()):
        if stem not in htmls:
            yield BadRecord(golds[stem].place, f"the gold of {stem!r} has no page")
        elif stem not in golds:
            yield BadRecord(str(htmls[stem]), f"the page {stem!r} has no gold")
        else:
            yield _page(path, stem, htmls[stem], golds[stem], languages)


def _languages(path: Path) -> Mapping[str, object]:
    """Return the languages by stem; none if no file tells them, or it cannot be read."""
    file = next((path / name for name in _LANGUAGE_FILES if (path / name).is_file()), None)
    try:
        return {} if file is None else as_fields(json.loads(file.read_bytes()))
    except READ_ERRORS:
        return {}


def _language(stem: str, languages: Mapping[str, object]) -> str | None:
    told, folder = languages.get(stem), stem.partition("/")[0]
    if isinstance(told, str):
        return _NAMED.get(told.lower(), told)
    return folder if folder != stem and _LANGUAGE.fullmatch(folder) else None


def _page(path: Path, stem: str, html: Path, gold: _Gold, languages: Mapping[str, object]) -> GoldPage | BadRecord:
    try:
        fields = {"language": _language(stem, languages), **gold.read()}
    except READ_ERRORS as error:
        return _bad(gold.place, error, of=stem)
    try:
        body = gzip.decompress(html.read_bytes()) if html.suffix.lower() == ".gz" else html.read_bytes()
    except READ_ERRORS as error:
        return _bad(html, error)
    return gold_page(fields, body, corpus=path.resolve().name, page_id=stem, place=str(html))


def _read_gold(file: Path) -> Fields:
    """Return the fields of a JSON file, or of a plain or marked text."""
    content = file.read_bytes()
    if file.suffix.lower() == ".json":
        return as_fields(json.loads(content))
    url, text = split_url(decode(content).text)
    text = without_wrapper(text.partition(_COMMENTS)[0])
    return {"url": url, "marked" if has_marks(text) else "text": text}


def _bad(place: Path | str, error: BaseException, of: str | None = None) -> BadRecord:
    line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
    return BadRecord(f"{place}{line}", f"the gold of {of!r}: {reason_of(error)}" if of else reason_of(error))


def _unique(folder: Path, endings: Iterable[str]) -> Generator[BadRecord, None, dict[str, Path]]:
    """Return the files of a folder by their stem; a second file of the same stem is a bad record."""
    files: dict[str, Path] = {}
    for stem, file in _by_stem(folder, endings):
        if stem in files:
            yield BadRecord(str(file), f"{files[stem].name} is already the file of {stem!r}")
        files.setdefault(stem, file)
    return files


def _by_stem(folder: Path, endings: Iterable[str], which: str = "**/*") -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.glob(which)):
        name = file.relative_to(folder).as_posix()
        ending = next((ending for ending in endings if name.lower().endswith(ending)), None)
        is_hidden = name.startswith(".") or "/." in name
        if ending is not None and not is_hidden and file.is_file():
            yield name[: len(name) - len(ending)], file
