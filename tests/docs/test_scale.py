"""What 1, 10 and 100 nodes do: the page has what the script computes, and the script computes what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.scale import DATABASE, NODE, SERVER, STORIES, limits, tables
from benchmarks.scale_figures import Crawl
from tests.docs.examples import DOCS

PAGE = (DOCS / "explanation" / "scale.md").read_text("utf-8")


@pytest.mark.parametrize("number", range(len(tables())))
def test_the_page_has_the_tables_of_the_script(number: int) -> None:
    assert tables()[number] in PAGE


def test_a_node_is_as_fast_as_its_main_process() -> None:
    assert NODE.pages_a_second == pytest.approx(112, abs=1)
    assert NODE.cores == pytest.approx(3.1, abs=0.1)


def test_limits_are_in_the_order_in_which_they_are_reached() -> None:
    found = [limit.pages_a_day for limit in limits(DATABASE, SERVER, Crawl())]
    assert found == sorted(found)
    assert all(each > 0 for each in found)


def test_a_limit_moves_with_what_it_is_computed_from() -> None:
    def stories(crawl: Crawl, factor: float = 1) -> float:
        changed = replace(DATABASE, stories_a_second=factor * DATABASE.stories_a_second)
        return next(limit.pages_a_day for limit in limits(changed, SERVER, crawl) if limit.name == STORIES)

    assert stories(Crawl(), 10) == pytest.approx(10 * stories(Crawl()))
    assert stories(Crawl(new_share=0.25)) == pytest.approx(2 * stories(Crawl(new_share=0.5)))


def test_every_figure_is_set() -> None:
    assert all(value > 0 for value in vars(DATABASE).values())
