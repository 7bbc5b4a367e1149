from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html as lxml_html
from rich.console import Console

from newsextract.evaluation.report_tables import (
    MAX_ROWS,
    group_table,
    headline,
    html_report,
    markdown_table,
    summary_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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
    assert "<tr><th>gazette<td>12<td>–" in html_report(results)


def test_a_corpus_without_text_is_ranked_by_what_it_has(results: Results) -> None:
    results["measures"] = ["exact"]
    for summary in results["summary"].values():
        for group in (summary["all"], *summary["corpus"].values(), *summary["language"].values()):
            group["measures"] = {"exact": group["measures"]["exact"]}
    assert "in exact answers over 24 pages" in headline(results)
    assert "Mean exact answers by corpus" in html_report(results)


def test_says_who_leads(results: Results) -> None:
    assert headline(results).startswith("mss leads with 0.")


def test_copes_with_no_page_at_all(results: Results) -> None:
    empty: Results = {**results, "pages": [], "summary": {}, "worst": {}, "corpora": [], "extractors": []}
    assert headline(empty) == "No page could be scored."
    assert "<h1>No page could be scored.</h1>" in html_report(empty)
    assert shown(summary_table(empty))
    assert markdown_table(empty)


def test_hostile_text_stays_text(results: Results, hostile: str) -> None:
    page = html_report(results)
    tree = lxml_html.document_fromstring(page)
    assert len(tree.findall(".//script")) == 1
    assert not tree.findall(".//img")
    assert "\0" not in page
    assert tree.xpath("string(//details//span[@class='lost'])") == hostile.replace("\0", "\N{REPLACEMENT CHARACTER}")


def test_links_only_to_the_web(results: Results) -> None:
    assert 'href="javascript:' not in html_report(results)
