from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import Author
from newsextract.evaluation import results as evaluation_results
from newsextract.evaluation.contest import Run
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.evaluation.metadata_contest import (
    METADATA,
    OURS,
    READERS,
    GoldFields,
    MetadataContest,
    MetadataResult,
    Statement,
    differences_as_tsv,
    reader_names,
    run_metadata,
    statement_of,
)
from newsextract.reading.metadata.clues import Metadata
from tests.scrapy_runs import run_verb

if TYPE_CHECKING:
    from pathlib import Path

    from newsextract.evaluation.results import Results
    from tests import scrapy_runs

STORY = "<p>A flood came down the valley and took the bridge with it, as the people there tell.</p>" * 3


def record(number: int, **fields: object) -> dict[str, object]:
    """Return a page that states its fields, with other gold if given."""
    headline, author = f"Flood number {number} takes a bridge", f"Ann Lee{'abcdefghij'[number]}"
    html = (
        f"<html lang=en><head><title>{headline}</title><meta name=author content='{author}'>"
        f"<meta property=article:published_time content='2023-05-0{1 + number}T10:00:00+02:00'></head>"
        f"<body><h1>{headline}</h1>{STORY}</body></html>"
    )
    gold = {"headline": headline, "date": f"2023-05-0{1 + number}", "authors": [author], "language": "en"}
    return {"id": str(number), "html": html, "url": f"https://news.example/{number}", **gold, **fields}


def corpus(folder: Path, name: str = "made") -> Path:
    """Write a corpus of six pages: three have gold that differs from the page, and one has none."""
    nothing = dict.fromkeys(("headline", "date", "authors"))
    pages = [
        record(0),
        record(1, headline="Snow on the moon"),
        record(2, date="2023-05-03T09:00:00Z"),
        record(3, authors=["Ann Leed, PhD and Bo Chen"], date="soon"),
        record(4, **nothing),
        record(5),
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, pages)))
    return path


def results_of(run: Run[MetadataResult], *readers: str) -> Results:
    return evaluation_results.results_of(run, METADATA, readers or [OURS], "test")


def cases_of(run: Run[MetadataResult]) -> list[dict[str, Any]]:
    return [difference for page in run.pages for difference in page.differences]


def means(results: Any, reader: str = OURS) -> dict[str, float]:
    return {name: interval["mean"] for name, interval in results["summary"][reader]["all"]["measures"].items()}


def test_the_figures_are_those_of_the_pages_with_gold(tmp_path: Path) -> None:
    results = results_of(run_metadata([corpus(tmp_path)], [OURS]))
    assert means(results) == {
        "headline_exact": pytest.approx(4 / 5),
        # Two headlines without a word in common.
        "headline_f1": pytest.approx(4 / 5),
        "date_day": 1,
        "date_minute": 0,
        # Of two authors one: 2 · 1 / (1 + 2), beside four pages that are right.
        "author_f1": pytest.approx((4 + 2 / 3) / 5),
        "author_exact": pytest.approx(4 / 5),
        # Ten of 5 found and 6 in the gold.
        "author_micro_f1": pytest.approx(10 / 11),
    }
    group = results["summary"][OURS]["all"]
    assert group["known"] == {"headline_exact": 5, "headline_f1": 5, "date_day": 4, "date_minute": 1,
                              "author_f1": 5, "author_exact": 5}  # fmt: skip
    assert (results["corpora"][0]["pages"], results["corpora"][0]["scored"]) == (6, 5)


def test_every_difference_is_a_row_with_our_source_and_the_other_answers(tmp_path: Path) -> None:
    readers = [OURS, *(name for name in ("trafilatura", "readability") if name in reader_names())]
    cases = cases_of(run_metadata([corpus(tmp_path)], readers))
    found = [(row["id"], row["field"], row["gold"], row["ours"], row["source"]) for row in cases]
    assert found == [
        ("1", "headline", "Snow on the moon", "Flood number 1 takes a bridge", "heading"),
        ("2", "date", "2023-05-03T09:00:00+00:00", "2023-05-03T10:00:00+02:00", "meta_tags"),
        ("3", "authors", "ann leed; bo chen", "ann leed", "meta_tags"),
    ]
    others = {row["field"]: row["others"] for row in cases}
    # Who does not give a field has no answer in it.
    assert {name: set(given) for name, given in others.items()} == {
        "headline": set(readers[1:]), "date": set(readers[1:]) - {"readability"},
        "authors": set(readers[1:]) - {"readability"},
    }  # fmt: skip
    assert set(others["headline"].values()) <= {"Flood number 1 takes a bridge"}


def test_the_table_has_a_column_a_reader() -> None:
    told: dict[str, Any] = {
        "corpus": "c", "id": "1", "url": None, "field": "date", "gold": "a\tb", "ours": "", "source": "",
        "others": {"trafilatura": "2023"},
    }  # fmt: skip
    headline: dict[str, Any] = {**told, "field": "headline", "others": {"trafilatura": "x", "readability": "y"}}
    page = MetadataResult(0, "c", "1", None, None, None, differences=[told, headline])
    lines = differences_as_tsv([page]).splitlines()
    assert lines[0].split("\t")[-4:] == ["ours", "source", "trafilatura", "readability"]
    assert lines[1].split("\t") == ["c", "1", "", "date", "a b", "", "", "2023", ""]


def test_gold_that_cannot_be_read_is_left_out() -> None:
    gold = GoldPage("c", "1", "<p>", "place", date="NaT", authors=(" ; ",), language="de")
    assert not GoldFields.of(gold)
    assert GoldFields.of(GoldPage("c", "1", "<p>", "place", date="4.5.2023", language="de")).date == "2023-05-04"


def test_a_reader_is_not_judged_by_what_it_does_not_give() -> None:
    gold = GoldFields("A title", "2023-05-04T10:00:00", frozenset(("ann lee",)))
    given = {name: set(gold.scores(Statement(), reader.fields)) for name, reader in READERS.items()}
    assert given["readability"] == {"headline_exact", "headline_f1"}
    assert given["newsextract"] - given["trafilatura"] == {"date_minute"}


def test_organizations_are_told_from_persons() -> None:
    statement = statement_of(Metadata(authors=[Author("Ann Lee"), Author("The Courier", type="Organization")]))
    assert [set(statement.persons), set(statement.organizations)] == [{"ann lee"}, {"the courier"}]


def test_a_failing_reader_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> object:
        raise KeyError("date")

    monkeypatch.setattr(sys.modules[run_metadata.__module__], "read_metadata", fail)
    contest = MetadataContest([OURS], 10)
    golds = [gold for gold in read_corpus(corpus(tmp_path)) if isinstance(gold, GoldPage)]
    run = Run([contest.judge(n, gold) for n, gold in enumerate(golds)])
    assert results_of(run)["summary"][OURS]["all"]["errors"] == 5
    assert means(results_of(run))["headline_exact"] == 0
    assert cases_of(run) == []


def evaluate(*arguments: str, folder: Path) -> scrapy_runs.Run:
    return run_verb(folder, "evaluate", *arguments, SCRAPY_SETTINGS_MODULE="")


def test_the_command_writes_tables_and_cases(tmp_path: Path) -> None:
    files = ("--json", "o.json", "--markdown", "o.md", "--cases", "o.tsv")
    done = evaluate(str(corpus(tmp_path)), "--metadata", "--by", "corpus,site", *files, folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "headline exact" in done.out
    assert len(json.loads((tmp_path / "o.json").read_text())["pages"]) == 5
    assert "| `newsextract` |" in (tmp_path / "o.md").read_text()
    with (tmp_path / "o.tsv").open() as lines:
        assert [row["field"] for row in csv.DictReader(lines, delimiter="\t")] == ["headline", "date", "authors"]


def test_the_command_says_when_nothing_could_be_measured(tmp_path: Path) -> None:
    (tmp_path / "bare.jsonl").write_text(json.dumps({"id": "1", "html": "<p>Hello</p>"}))
    done = evaluate("bare.jsonl", "--metadata", folder=tmp_path)
    assert done.code == 1
    assert "nothing was measured: no page has a headline" in done.err
