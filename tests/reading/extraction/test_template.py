""""""

from __future__ import annotations

import random
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.page.page import Page
from newsextract.reading.extraction import template as compared_site
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.extraction.page_structure import MAX_SAMPLE, distance_matrix, group_pages
from newsextract.reading.extraction.template import NO_MAPPING, OUTLIER, TOO_FEW, Method, SiteTemplate
from newsextract.reading.extraction.tree_distance import (
    Node,
    Profile,
    TemplateUnavailable,
    as_nodes,
    distance,
    edit_mapping,
    profile,
    tree_distance,
    tree_of,
)
from newsextract.reading.notices import BadExtractorOption
from tests.reading.extraction.site_pages import body_of, front, gallery, story

if TYPE_CHECKING:
    from collections.abc import Callable


if TYPE_CHECKING:
    from collections.abc import Callable

    Pages = Callable[..., list[Page]]

for package in ("sklearn", "apted"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'newsextract[template]'")

AWKWARD = (
    "", "<p>a", "<script>a</script>", "<body>" + "<div class=a><p>deep</p>" * 1_500, "<table><tr><td>a<td>b</table>",
    "<frameset><frame src=a></frameset>", "<div>" + "<p>word word</p>" * 500, "<ul>" + "<li>a</li>" * 50, "<p>\u200b",
    "<div class=comments><p>only this</p></div>", "<b>b</b>", "<html></html>after",
)  # fmt: skip


@pytest.fixture
def pages() -> Callable[..., list[Page]]:
    """Make the pages of a site: stories, then galleries, then the front page if wanted."""

    def make(stories: int, galleries: int = 0, *, with_front: bool = False) -> list[Page]:
        markup = [*map(story, range(stories)), *map(gallery, range(galleries)), *([front()] if with_front else [])]
        return [Page(text, f"https://news.example/{place}") for place, text in enumerate(markup)]

    return make


@pytest.mark.parametrize(
    "method",
    [
        Method(),
        Method("share"),
        Method(vote=True),
        Method("share", vote=True),
        Method(shares="own"),
        Method(distance="edit"),
    ],
)
def test_finds_the_body_of_every_story_and_nothing_else(pages: Pages, method: Method) -> None:
    made = pages(12, 4)
    site = SiteTemplate(made, method)
    assert [site.extract(page).text for page in made[:12]] == [body_of(number) for number in range(12)]


def test_reads_a_page_that_it_was_not_given(pages: Pages) -> None:
    site = SiteTemplate(pages(12))
    assert site.extract(Page(story(50))).text == body_of(50)


def test_an_outlier_is_left_alone(pages: Pages) -> None:
    made = pages(12, with_front=True)
    found = SiteTemplate(made).extract(made[-1])
    assert not found
    assert found.warnings == (OUTLIER,)


def test_two_copies_of_a_story_are_no_pair(pages: Pages) -> None:
    made = [*pages(11), *(Page(story(3), f"https://news.example/again/{n}") for n in range(3))]
    site = SiteTemplate(made)
    assert all(site.extract(page).text == body_of(3) for page in made[11:])


def test_two_copies_alone_in_their_group_are_no_pair(pages: Pages) -> None:
    made = [*pages(12), Page(gallery(1)), Page(gallery(1))]
    site = SiteTemplate(made)
    assert site.grouping.members(site.grouping.groups[12]) == (12, 13)
    assert site.pair(12) not in (None, 12, 13)


def test_needs_five_pages_of_the_site(pages: Pages) -> None:
    made = pages(4)
    found = create_extractor("template").fit(made).extract(made[0])  # type: ignore[attr-defined]
    assert found.warnings == create_extractor("template").extract(made[0]).warnings == (TOO_FEW,)
    assert not found


def test_two_runs_agree_and_edit_nothing(pages: Pages) -> None:
    texts = []
    for _ in range(2):
        made = pages(12, 5, with_front=True)
        site = SiteTemplate(made, Method(vote=True))
        texts.append([site.extract(page).text for page in made])
        assert [page.html for page in made] == [page.html for page in pages(12, 5, with_front=True)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("method", [Method(), Method(vote=True), Method(mapping=True)])
def test_takes_awkward_pages(method: Method) -> None:
    made = [Page(markup, f"https://news.example/{n}") for n, markup in enumerate(AWKWARD)]
    site = SiteTemplate(made, method)
    for page in made:
        found = site.extract(page)
        assert bool(found) == bool(found.text)
        assert len(site.states(page, found.blocks)) == len(page.blocks)


def test_the_mapping_weighs_the_tokens_that_differ() -> None:
    def page(words: str) -> Page:
        return Page(f"<body><div class=menu><a>home news sport</a></div><div class=body><p>{words}<p>{words} too</div>")

    made = [page(f"rain fell {n} on the town {n} {n} again") for n in range(12)]
    found = SiteTemplate(made, Method(mapping=True)).extract(made[4])
    assert "rain fell 4" in found.text
    assert "home" not in found.text


def test_the_mapping_is_for_small_pages() -> None:
    made = [Page(story(n) + "<p>word</p>" * 400) for n in range(12)]
    assert SiteTemplate(made, Method(mapping=True)).extract(made[0]).warnings == (NO_MAPPING,)


def test_says_what_became_of_each_block(pages: Pages) -> None:
    made = pages(12)
    site = SiteTemplate(made)
    states = dict(
        zip((block.text for block in made[0].blocks), site.states(made[0], site.extract(made[0]).blocks), strict=True)
    )
    assert states["Section number 3 of the paper"] == states["Share this story with your friends"] == "template"
    assert states[body_of(0).splitlines()[0]] == "kept"
    assert next(state for text, state in states.items() if text.startswith("Headline 0")) == "differs"


@pytest.mark.parametrize(
    "options", [{"choice": "third"}, {"min_share": 1.5}, {"vote": "yes"}, {"shares": "all"}, {"distance": "tree"}]
)
def test_refuses_a_wrong_option(options: dict[str, object]) -> None:
    with pytest.raises(BadExtractorOption, match="template"):
        create_extractor("template", **options)


def test_the_front_page_is_no_story() -> None:
    assert not SiteTemplate([Page(front())] * 3).extract(Page(front()))


def test_galleries_are_left_out_as_comments_are() -> None:
    captions = "".join(f"<p>A picture of the harvest, number {{0}} {n}, with many words</p>" for n in range(40))
    made = [
        Page(
            story(n).replace(
                "<div class=related>", f"<div class='photo-gallery'>{captions.format(n)}</div><div class=related>"
            )
        )
        for n in range(12)
    ]
    site = SiteTemplate(made)
    found = {number: site.extract(page).text for number, page in enumerate(made) if site.pair(number) is not None}
    assert len(found) > 9
    assert found == {number: body_of(number) for number in found}


def test_pages_that_are_too_large_for_edits_are_compared_by_their_pq_grams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared_site, "MAX_FORESTS", 10)
    made = [Page(story(n)) for n in range(6)]
    by_edits, by_grams = (SiteTemplate(made, Method(distance=name)).grouping for name in ("edit", "pqgrams"))
    assert (by_edits.distances == by_grams.distances).all()


pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'newsextract[template]'")


def profiles_of(pages: list[Page]) -> list[Profile]:
    return [profile(page.outline.tags, page.outline.parents) for page in pages]


def test_pages_of_a_layout_are_a_group_and_a_page_alone_is_an_outlier(pages: Callable[..., list[Page]]) -> None:
    found = group_pages(profiles_of(pages(9, 5, with_front=True)), distance)
    assert len(set(found.groups[:9])) == len(set(found.groups[9:14])) == 1
    assert len(set(found.groups)) == 3
    assert found.outliers == (14,)
    assert found.silhouette > 0.8


def test_every_page_is_paired_with_the_pivot_and_the_pivot_with_another(pages: Callable[..., list[Page]]) -> None:
    found = group_pages(profiles_of(pages(9, 5)), distance)
    assert len(found.pivots) == 2
    for page, pair in enumerate(found.pairs):
        assert pair is not None
        assert pair != page
        assert found.groups[pair] == found.groups[page]
        assert pair in found.pivots or page in found.pivots


def test_two_runs_agree(pages: Callable[..., list[Page]]) -> None:
    profiles = profiles_of(pages(70, 20, with_front=True))
    one, other = group_pages(profiles, distance), group_pages(profiles, distance)
    assert (one.groups, one.pivots, one.pairs) == (other.groups, other.pivots, other.pairs)
    assert (one.points == other.points).all()


def test_many_pages_join_the_pivots_of_a_sample(pages: Callable[..., list[Page]]) -> None:
    made = pages(80, 40)
    assert len(made) > MAX_SAMPLE
    found = group_pages(profiles_of(made), distance)
    assert set(found.groups[:80]).isdisjoint(found.groups[80:])
    assert not found.outliers
    assert np.isfinite(found.points).all()
    assert found.distances.shape == (len(found.sample), len(found.sample)) == (MAX_SAMPLE, MAX_SAMPLE)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_pages_are_grouped_too(pages: Callable[..., list[Page]], count: int) -> None:
    found = group_pages(profiles_of(pages(count)), distance)
    assert len(found.groups) == len(found.pairs) == count


def test_pages_without_a_difference_are_one_group() -> None:
    same = profile(["html", "body", "p"], [-1, 0, 1])
    found = group_pages([same] * 12, distance)
    assert set(found.groups) == {0}
    assert not found.outliers


def test_a_matrix_is_symmetric_with_nothing_on_its_diagonal(pages: Callable[..., list[Page]]) -> None:
    found = distance_matrix(profiles_of(pages(4, 2)), distance)
    assert (found == found.T).all()
    assert not found.diagonal().any()
    assert ((found >= 0) & (found <= 1)).all()


T1 = ["a", "a", "e", "b", "b", "c"], [-1, 0, 1, 1, 0, 0]
T2 = ["a", "a", "e", "b", "b", "x"], [-1, 0, 1, 1, 0, 0]
"""The trees a(a(e, b), b, c) and a(a(e, b), b, x): 13 pq-grams each, of which 9 are shared."""


def naive(tags: list[str], parents: list[int], p: int = 2, q: int = 3) -> Counter[tuple[str, ...]]:
    """The definition, taken literally."""
    found: Counter[tuple[str, ...]] = Counter()
    for node in range(len(tags)):
        stem: list[str] = []
        above = node
        for _ in range(p):
            stem.insert(0, tags[above] if above >= 0 else "*")
            above = parents[above] if above >= 0 else -1
        children = [tags[child] for child in range(len(tags)) if parents[child] == node]
        row = ["*"] * (q - 1) + children + ["*"] * (q - 1) if children else ["*"] * q
        for start in range(len(row) - q + 1):
            found[(*stem, *row[start : start + q])] += 1
    return found


def some_tree(noise: random.Random, count: int) -> tuple[list[str], list[int]]:
    parents, path = [-1], [0]
    for node in range(1, count):
        del path[noise.randrange(1, len(path) + 1) :]
        parents.append(path[-1])
        path.append(node)
    return noise.choices("abc", k=count), parents


def test_gives_the_distance_of_the_paper_example() -> None:
    one, other = profile(*T1), profile(*T2)
    assert (one.size, other.size) == (13, 13)
    assert distance(one, other) == pytest.approx(1 - 2 * 9 / 26)
    assert distance(one, one) == 0


@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3), (3, 2)])
def test_counts_what_the_definition_counts(p: int, q: int) -> None:
    noise = random.Random(5)  # noqa: S311 - a made-up tree
    for _ in range(30):
        trees = [some_tree(noise, noise.randrange(1, 25)) for _ in range(2)]
        bags = [naive(*tree, p, q) for tree in trees]
        one, other = (profile(*tree, p, q) for tree in trees)
        assert sorted(one.counts.tolist()) == sorted(bags[0].values())
        expected = 1 - 2 * (bags[0] & bags[1]).total() / (bags[0].total() + bags[1].total())
        assert distance(one, other) == pytest.approx(expected)


def test_a_single_element_is_a_tree() -> None:
    assert profile(["html"], [-1]).size == 1
    assert distance(profile(["html"], [-1]), profile(["p"], [-1])) == 1


SHARED = Path(__file__).parents[4].parent / "shared"

LEAST_CORRELATION = 0.8
"""Spearman's rho. Pages of different sites are all far apart, and in what order is nearly chance."""


@pytest.fixture
def _apted() -> None:
    pytest.importorskip("apted", reason="apted is not installed: pip install 'newsextract[template]'")


def tree(*tags: str, parents: tuple[int, ...]) -> Node:
    return as_nodes(tags, parents)[0]


def edits(one: Node, other: Node) -> int:
    """Return how many elements the cheapest edit inserts, deletes or renames."""
    return sum((here and here.name) != (there and there.name) for here, there in edit_mapping(one, other))


@pytest.mark.usefixtures("_apted")
def test_counts_what_is_inserted_deleted_and_renamed() -> None:
    one = tree("div", "p", "p", parents=(-1, 0, 0))
    assert edits(one, one) == 0
    assert edits(one, tree("div", "p", "ul", parents=(-1, 0, 0))) == 1
    assert edits(one, tree("div", "section", "p", "p", parents=(-1, 0, 1, 1))) == 1
    assert edits(one, tree("div", parents=(-1,))) == 2


@pytest.mark.usefixtures("_apted")
def test_maps_what_stays_and_tells_what_does_not() -> None:
    one, other = tree("div", "p", "b", parents=(-1, 0, 0)), tree("div", "p", parents=(-1, 0))
    names = {(here and here.name, there and there.name) for here, there in edit_mapping(one, other)}
    assert names == {("div", "div"), ("p", "p"), ("b", None)}


def test_says_what_brings_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apted", None)
    with pytest.raises(TemplateUnavailable, match=r"needs apted: pip install 'newsextract\[template\]'"):
        edit_mapping(Node("a"), Node("b"))


@pytest.mark.usefixtures("_apted")
def test_the_distance_by_rows_is_that_of_the_mapping() -> None:
    noise = random.Random(7)  # noqa: S311 - made-up trees
    for _ in range(60):
        one, other = (some_tree(noise, noise.randrange(1, 25)) for _ in range(2))
        expected = edits(as_nodes(*one)[0], as_nodes(*other)[0])
        assert tree_distance(tree_of(*one), tree_of(*other)) == pytest.approx(expected / (len(one[0]) + len(other[0])))


def test_equal_trees_are_no_distance_apart_and_nothing_is_a_tree_too() -> None:
    one = tree_of("html body p p".split(), [-1, 0, 1, 1])
    assert tree_distance(one, one) == tree_distance(tree_of([], []), tree_of([], [])) == 0
    assert tree_distance(one, tree_of([], [])) == 1


@pytest.mark.corpus
@pytest.mark.usefixtures("_apted")
def test_pq_grams_rank_real_pages_as_the_exact_distance_does() -> None:
    if not (SHARED / "corpora").is_dir():
        pytest.skip("the corpora are not beside the repository")
    outlines = [page.outline for page in small_pages()]
    trees = [as_nodes(outline.tags, outline.parents)[0] for outline in outlines]
    profiles = [profile(outline.tags, outline.parents) for outline in outlines]
    sizes = [len(outline.tags) for outline in outlines]
    pairs = list(combinations(range(len(outlines)), 2))
    exact = [edits(trees[a], trees[b]) / (sizes[a] + sizes[b]) for a, b in pairs]
    quick = [distance(profiles[a], profiles[b]) for a, b in pairs]
    assert rank_correlation(exact, quick) >= LEAST_CORRELATION


def small_pages(max_elements: int = 125) -> list[Page]:
    """Pages of the corpora small enough for the exact distance, from as many sites as possible."""
    found: dict[tuple[str | None, int], Page] = {}
    for name in ("xmu", "daniel"):
        for gold in read_corpus(SHARED / "corpora" / f"{name}.jsonl.xz"):
            if isinstance(gold, GoldPage) and len(gold.html) < 60_000:
                page = Page(gold.html)
                if 30 < len(page.outline.tags) <= max_elements:
                    seen = sum(site == gold.site for site, _ in found)
                    found.setdefault((gold.site, seen), page)
    return [page for (_, place), page in sorted(found.items(), key=lambda item: str(item[0])) if place < 4]


def rank_correlation(one: list[float], other: list[float]) -> float:
    """Spearman's rho, equal values sharing the mean of their ranks."""
    here, there = (
        np.array([np.less(values, value).sum() + np.less_equal(values, value).sum() for value in values])
        for values in (one, other)
    )
    return float(np.corrcoef(here, there)[0, 1])
