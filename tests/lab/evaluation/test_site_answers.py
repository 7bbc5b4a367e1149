"""Extractors that compare pages of a site, before the judge: fitted on the site first, left out where it is small."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from newsextract.lab.evaluation.contest.assembly import assemble
from newsextract.lab.evaluation.contest.contest import run_contest
from newsextract.lab.evaluation.corpora.corpora import CorpusError, read_sites
from tests.reading.extraction.page_comparison.conftest import body_of, story

if TYPE_CHECKING:
    from pathlib import Path

for package in ("sklearn", "apted"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'newsextract[template]'")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Twelve pages of a large site between three of a small one, and a page with nothing in it."""
    records = [{"id": f"a{n}", "site": "large", "html": story(n), "text": body_of(n)} for n in range(12)]
    records[4:4] = [{"id": f"b{n}", "site": "small", "html": story(n), "text": body_of(n)} for n in range(3)]
    records.insert(9, {"id": "empty", "site": "large", "html": "", "text": ""})
    path = tmp_path / "news.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_judges_a_site_that_is_large_enough_and_leaves_out_the_other(corpus: Path, jobs: int) -> None:
    run = run_contest([corpus], {"template": {}, "mss": {}}, jobs=jobs)
    results = assemble(run, ["template", "mss"], "")
    sites = results["summary"]["template"]["site"]
    assert sites["large"]["measures"]["exactitude"]["mean"] == 1
    assert "exactitude" not in sites["small"]["measures"]
    assert results["summary"]["template"]["all"]["known"]["exactitude"] == 13
    assert results["summary"]["mss"]["all"]["known"]["exactitude"] == 16
    assert all(page.scores["template"]["error"] is None for page in run.pages)
    assert next(page for page in run.pages if page.id == "a0").scores["template"]["ms"]


def test_the_pages_of_a_corpus_fall_into_sites(corpus: Path) -> None:
    assert {name: len(pages) for name, pages in read_sites(corpus).items()} == {"large": 13, "small": 3}
    assert list(read_sites(corpus, "small")) == ["small"]
    with pytest.raises(CorpusError, match="no page of nowhere"):
        read_sites(corpus, "nowhere")


def test_a_folder_of_pages_is_a_site(tmp_path: Path) -> None:
    folder = tmp_path / "gazette"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.html").write_text(story(number))
    ((site, pages),) = read_sites(folder).items()
    assert site == "gazette"
    assert [page.id for page in pages] == ["0.html", "1.html", "2.html"]
    assert all(page.text is None for page in pages)
