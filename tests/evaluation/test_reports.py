from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html as lxml_html
from rich.console import Console

from newsextract.evaluation.report_html import embedded, headline, html_report, speed, write_html
from newsextract.evaluation.report_tables import MAX_ROWS, group_table, markdown_table, summary_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rich.table import Table

    from newsextract.evaluation.results import Results

NINE = (
    "mss", "eatiht", "wutsi", "dom_criteria", "html_killer", "everything", "boilerpipe", "readability", "trafilatura",
)  # fmt: skip


def shown(table: Table, width: int = 120) -> str:
    console = Console(width=width, record=True, quiet=False, file=None, force_terminal=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def content(page: str) -> Any:
    return json.loads(re.findall(r'<script type="application/json" id="results">(.*?)</script>', page, re.DOTALL)[0])


def test_the_terminal_shows_the_best_extractor_first(results: Results) -> None:
    text = shown(summary_table(results))
    assert [line.split()[0] for line in text.splitlines()[-4:] if line.strip()] == ["mss", "eatiht", "dom_criteria"]
    assert re.search(r"0\.\d{3} ±0\.010", text)


@pytest.mark.parametrize("kind", ["summary", "corpus", "language", "site"])
def test_nine_extractors_fit_in_a_terminal(results_of: Callable[..., Results], kind: Any) -> None:
    results = results_of(30, NINE)
    text = shown(summary_table(results) if kind == "summary" else group_table(results, kind), width=120)
    assert max(map(len, text.splitlines())) <= 120
    assert all(name.split("_")[-1] in text for name in NINE)


def test_the_terminal_limits_the_groups_to_the_lowest(results: Results) -> None:
    for summary in results["summary"].values():
        summary["site"] = {f"site{number}": summary["all"] for number in range(100)}
    text = shown(group_table(results, "site"))
    assert "… and 60 more" in text
    assert text.count("site") - 2 == MAX_ROWS


def test_names_are_no_markup(results: Results) -> None:
    results["corpora"][0]["name"] = "[red]corpus[/red][/]"
    assert "[red]corpus[/red][/]" in shown(summary_table(results))


def test_markdown_has_a_row_an_extractor_and_the_mean_of_the_corpora(results: Results) -> None:
    lines = markdown_table(results).splitlines()
    assert lines[0] == "| extractor | courier (12) | gazette (12) | mean | ms/page | × parse |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| `mss`", "| `eatiht`", "| `dom_criteria`"]
    first, second, mean = (float(cell.strip("* ")) for cell in lines[2].split("|")[2:5])
    assert mean == pytest.approx((first + second) / 2, abs=0.001)


def test_a_measure_that_is_absent_is_a_dash_everywhere(results: Results) -> None:
    for summary in results["summary"].values():
        del summary["corpus"]["gazette"]["measures"]["token_f1"]
    assert "| – |" in markdown_table(results)
    assert "–" in shown(group_table(results, "corpus"))
    assert 'data-key="gazette">–</td>' in html_report(results)


def test_a_corpus_without_text_is_ranked_by_what_it_has(results: Results) -> None:
    results["measures"] = ["exact"]
    for summary in results["summary"].values():
        for group in (summary["all"], *summary["corpus"].values(), *summary["language"].values()):
            group["measures"] = {"exact": group["measures"]["exact"]}
    assert "in exact answers over 24 pages" in headline(results)
    assert content(html_report(results))["primary"] == "exact"


def test_says_who_leads_and_what_speed_costs(results: Results) -> None:
    assert headline(results).startswith("mss leads with 0.")
    assert speed(results) == ""
    results["summary"]["mss"]["all"]["ms"] = 90.0
    assert speed(results).startswith("eatiht gives up 0.0")


def test_copes_with_no_page_at_all(results: Results) -> None:
    empty: Results = {**results, "pages": [], "summary": {}, "worst": {}, "corpora": [], "extractors": []}
    assert headline(empty) == "No page could be scored."
    assert "<h1>No page could be scored.</h1>" in html_report(empty)
    assert shown(summary_table(empty))
    assert markdown_table(empty)


def test_hostile_text_stays_text(results: Results, hostile: str) -> None:
    page = html_report(results)
    tree = lxml_html.document_fromstring(page)
    assert len(tree.findall(".//script")) == 2
    assert not tree.findall(".//img")
    assert "\0" not in page
    assert content(page)["worst"][0][0]["segments"][1] == ["lost", hostile]


def test_links_only_to_the_web(results: Results) -> None:
    assert "javascript:" not in html_report(results)


def test_nothing_in_the_page_refers_to_the_outside(results: Results) -> None:
    tree = lxml_html.document_fromstring(html_report(results))
    for script in tree.findall(".//script[@type]"):
        script.drop_tree()
    addresses = [value for el in tree.iter() for name, value in el.items() if name in {"src", "href", "xlink:href"}]
    assert all(value.startswith(("#", "data:")) for value in addresses)
    assert not re.search(r"url\((?!#)|@import", lxml_html.tostring(tree, encoding="unicode"))


def test_tags_are_balanced(results: Results) -> None:
    open_tags: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
            if tag not in {"meta", "link", "input", "br"}:
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Balance().feed(html_report(results))
    assert open_tags == []


def test_extractor_names_may_be_anything(results_of: Callable[..., Results], hostile: str) -> None:
    name = hostile.replace("\0", "")
    page = html_report(results_of(12, ("mss", name)))
    assert len(lxml_html.document_fromstring(page).findall(".//script")) == 2


def test_writes_a_broken_character_too(results: Results, tmp_path: Path) -> None:
    results["worst"]["mss"][0]["segments"] = [("kept", "half \ud83d of a pair")]
    write_html(results, tmp_path / "report.html")
    assert "half ? of a pair" in (tmp_path / "report.html").read_text("utf-8")


def test_six_thousand_pages_stay_small(results_of: Callable[..., Results]) -> None:
    results = results_of(6000, NINE)
    results["measures"] = [f"measure_{number}" for number in range(20)] + results["measures"]
    for summary in results["summary"].values():
        summary["all"]["measures"].update({f"measure_{n}": {"mean": 0.5, "low": 0.4, "high": 0.6} for n in range(20)})
    for pages in results["worst"].values():
        pages.extend(pages * 4)
        pages[0]["segments"] = [("noise", "x" * 3_000_000)]
    assert len(html_report(results).encode()) < 8_000_000


def test_scores_that_are_no_number_are_absent(results: Results) -> None:
    results["pages"][0]["scores"]["mss"] = {"ms": float("nan"), "error": None, "token_f1": float("nan")}
    found = json.loads(embedded(results))
    rank = found["extractors"].index("mss")
    assert found["scores"]["token_f1"][rank][0] is None
    assert found["ms"][rank][0] is None
