"""What helps with the obstacles of a site, and the document that says how."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.tools.probing.recipes import Recipe, for_access, for_scripts
from newsextract.tools.probing.samples import Sample

ROOT = Path(__file__).parents[3]
READ = Sample("https://a.example/1", "https://a.example/1", kind="article", words=300)
EMPTY = Sample("https://a.example/2", "https://a.example/2", needs_script=True)
WALL = Sample("https://a.example/3", "https://a.example/3", is_wall=True)
ASKING = Sample("https://a.example/4", "https://a.example/4", trouble="http 402")


def only(recipes: list[Recipe], document: str) -> str:
    """Return the sentence of the one recipe, whose document is there."""
    (recipe,) = recipes
    assert recipe.document == document
    assert (ROOT / document).is_file()
    return recipe.told


def test_pages_that_need_scripts_are_rendered() -> None:
    told = only(list(for_scripts([EMPTY, READ, EMPTY], is_home_empty=False)), "docs/how-to/render.md")
    assert told == "2 of 3 pages are empty without JavaScript: `render: auto` reads them"


def test_a_home_page_that_needs_scripts_is_rendered_only_if_nothing_else_lists_articles() -> None:
    assert list(for_scripts([READ], is_home_empty=True)) == []
    assert "render: auto" in only(list(for_scripts([], is_home_empty=True)), "docs/how-to/render.md")
    assert list(for_scripts([], is_home_empty=False)) == []


@pytest.mark.parametrize(
    ("samples", "paid", "told"),
    [
        ([READ, WALL], 0.0, "the request for consent"),
        ([READ, READ], 0.5, "50% of the articles ask for a subscription"),
        ([READ, ASKING], 0.0, "1 of 2 pages ask for a subscription"),
    ],
    ids=["consent", "paid articles", "refusals"],
)
def test_walls_are_passed_with_cookies_or_a_subscription(samples: list[Sample], paid: float, told: str) -> None:
    recipes = list(for_access(samples, is_home_wall=False, paid=paid))
    assert told in only(recipes, "docs/how-to/subscriptions.md")


def test_free_articles_and_a_few_paid_ones_need_no_subscription() -> None:
    assert list(for_access([READ], is_home_wall=False, paid=None)) == []
    assert list(for_access([READ], is_home_wall=False, paid=0.2)) == []
