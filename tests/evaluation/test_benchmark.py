"""Contests of all extractors on all pages: figures, failures, limits; and extractors that need sites.

Extractors that compare pages of a site, before the judge: fitted on the site first, left out where it is small.
"""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from newsextract.evaluation import contest
from newsextract.evaluation.contest import Limits, run_contest
from newsextract.evaluation.results import assemble
from newsextract.reading.notices import UnknownExtractor
from tests.reading.extraction.site_pages import body_of, story
from tests.scrapy_runs import run_verb

if TYPE_CHECKING:
    from pathlib import Path

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from tests.scrapy_runs import Run

STORY = [f"Paragraph {n} tells of the flood in the valley, of bridges and of the people there." for n in range(4)]


def corpus(folder: Path, *, pages: int = 9) -> Path:
    """Write a corpus in two languages, with a broken line in it."""
    path = folder / "made.jsonl"
    lines = []
    for n in range(pages):
        story = STORY[: 1 + n % 4]
        html = f"<nav><a href=/>Menu {n}</a></nav><h1>T</h1>" + "".join(f"<p>{line}</p>" for line in story)
        page = {"id": str(n), "html": html, "text": "\n".join(story), "language": "fr" if n % 2 else "en"}
        lines.append(json.dumps(page | {"page_type": "listing" if n == 8 else "article"}))
    lines.insert(3, "{broken")
    path.write_text("\n".join(lines))
    return path


class Raising:
    """Fails on every page."""

    name: ClassVar[str] = "raising"

    def extract(self, page: Page) -> Extraction:
        raise KeyError(page.url)


class Endless:
    """Never returns."""

    name: ClassVar[str] = "endless"

    def extract(self, page: Page) -> Extraction:
        while True:
            page.has_no_end = True  # type: ignore[attr-defined]


def without_times(value: Any) -> Any:
    """Return results without measured times."""
    if isinstance(value, dict):
        clocked = ("ms", "x_parse", "parse_ms", "created")
        return {key: without_times(inner) for key, inner in value.items() if key not in clocked}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def test_the_figures_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    path = corpus(tmp_path)
    names = ["mss", "everything"]
    results = [assemble(run_contest([path], names, limits=Limits(jobs=jobs)), names, "test") for jobs in (1, 2)]
    assert without_times(results[0]) == without_times(results[1])
    assert results[0]["corpora"][0]["pages"] == 9
    assert results[0]["summary"]["everything"]["all"]["measures"]["token_recall"]["mean"] == 1


class Stuck:
    """Never returns, and no signal reaches it, as in a C library."""

    name: ClassVar[str] = "stuck"

    def extract(self, page: Page) -> Extraction:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        time.sleep(1000)
        raise AssertionError(page.url)


def test_failures_and_slowness_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{__name__}.Raising", f"{__name__}.Endless"]
    path = corpus(tmp_path, pages=2)
    run = run_contest([path], names, limits=Limits(seconds=1.0))
    results = assemble(run, names, "test")
    raising, endless = (results["summary"][name]["all"] for name in names)
    assert (raising["errors"], raising["too_slow"], raising["measures"]["token_f1"]["mean"]) == (2, 0, 0)
    assert (endless["errors"], endless["too_slow"]) == (0, 2)
    monkeypatch.setattr(contest, "MEASURING_SECONDS", 1.0)
    stuck = f"{__name__}.Stuck"
    run = run_contest([path], [stuck], limits=Limits(seconds=1.0))
    assert assemble(run, [stuck], "test")["summary"][stuck]["all"]["too_slow"] == 2


def test_pages_of_another_type_are_not_judged_and_languages_can_be_corpora(tmp_path: Path) -> None:
    run = run_contest([corpus(tmp_path)], ["mss"], limits=Limits(page_type="article"))
    assert len(run.pages) == 8
    run.split_languages({"made"})
    assert {page.corpus for page in run.pages} == {"made en", "made fr"}


def test_an_unknown_name_is_an_error_before_a_page_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownExtractor):
        run_contest([corpus(tmp_path)], ["nosuch"])


def evaluate(*arguments: str, folder: Path) -> Run:
    return run_verb(folder, "evaluate", *arguments, SCRAPY_SETTINGS_MODULE="")


def test_the_command_skips_broken_records_aloud(tmp_path: Path) -> None:
    done = evaluate(str(corpus(tmp_path)), "-x", "mss", "--json", "o.json", "--html", "o.html", folder=tmp_path)
    assert done.code == 1
    assert "made.jsonl:4" in done.err
    assert "token F1" in done.out or "F1" in done.out
    assert json.loads((tmp_path / "o.json").read_text())["corpora"][0]["bad_records"]
    assert "<html" in (tmp_path / "o.html").read_text()


def test_one_extractor_is_judged_with_several_options(tmp_path: Path) -> None:
    pages = [{"id": str(n), "html": f"<h1>T</h1><p>{'word ' * n}b</p><h1>U</h1><p>c</p>", "text": "b"} for n in (3, 9)]
    (tmp_path / "made.jsonl").write_text("\n".join(map(json.dumps, pages)))
    names = ["html_killer", "html_killer:rules=script", "everything:cleaning=wutsi"]
    done = evaluate("made.jsonl", "-x", ",".join(names), "--json", "o.json", folder=tmp_path)
    assert done.code == 0, done.err
    results = json.loads((tmp_path / "o.json").read_text())
    assert results["extractors"] == names
    report, script = (results["summary"][name]["all"]["measures"] for name in names[:2])
    # Only the script stops at the second title.
    assert report["token_recall"]["mean"] == script["token_recall"]["mean"] == 1
    assert report["token_precision"]["mean"] < script["token_precision"]["mean"]
    assert "cleaneval_kept" not in report


def test_shows_the_measures_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "made.jsonl").write_text(
        json.dumps({"id": "1", "html": "<p>a b c", "text": "a b c", "site": "x.example"})
    )
    done = evaluate("made.jsonl", "-x", "everything", "--by", "site", "--measures", "cosine,exact", folder=tmp_path)
    assert done.code == 0, done.err
    assert "cosine by site" in done.out
    assert "exact answers by site" in done.out
    assert "token F1" not in done.out
    wrong = evaluate("made.jsonl", "-x", "everything", "--measures", "beauty", folder=tmp_path)
    assert "--measures: beauty is not among" in wrong.err + wrong.out


@pytest.mark.parametrize(("arguments", "said"), [
    (("{corpus}", "-x", "eatiht:version"), "'version' is no option with a value"),
    (("{corpus}", "-x", ","), "-x names nothing"),
    (("{corpus}", "-x", "eatiht:version=9"), "`version` must be 1 or 2"),
    (("nowhere.jsonl",), "nowhere.jsonl"),
    (("{corpus}", "-x", "nosuch"), "nosuch"),
    (("{corpus}", "--by", "weather"), "--by"),
    ((), "CORPUS"),
    (("{corpus}", "--jobs", "0"), "--jobs"),
])  # fmt: skip
def test_the_command_refuses_what_cannot_work(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    path = str(corpus(tmp_path))
    done = evaluate(*(argument.format(corpus=path) for argument in arguments), folder=tmp_path)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


pytest.importorskip("sklearn", reason="sklearn is not installed: pip install 'newsextract[evaluate]'")


@pytest.fixture
def two_sites(tmp_path: Path) -> Path:
    """Twelve pages of a large site between three of a small one, and a page with nothing in it."""
    records = [{"id": f"a{n}", "site": "large", "html": story(n), "text": body_of(n)} for n in range(12)]
    records[4:4] = [{"id": f"b{n}", "site": "small", "html": story(n), "text": body_of(n)} for n in range(3)]
    records.insert(9, {"id": "empty", "site": "large", "html": "", "text": ""})
    path = tmp_path / "news.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_judges_a_site_that_is_large_enough_and_leaves_out_the_other(two_sites: Path, jobs: int) -> None:
    run = run_contest([two_sites], ["template", "mss"], limits=Limits(jobs=jobs))
    results = assemble(run, ["template", "mss"], "")
    sites = results["summary"]["template"]["site"]
    assert sites["large"]["measures"]["exactitude"]["mean"] == 1
    assert "exactitude" not in sites["small"]["measures"]
    assert results["summary"]["template"]["all"]["known"]["exactitude"] == 13
    assert results["summary"]["mss"]["all"]["known"]["exactitude"] == 16
    assert all(page.scores["template"]["error"] is None for page in run.pages)
    assert next(page for page in run.pages if page.id == "a0").scores["template"]["ms"]
