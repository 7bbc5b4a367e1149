from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from newsextract.page.outline import nest

_TREES = st.recursive(st.just(()), lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=40)


def _grow(root: etree._Element, children: tuple[object, ...]) -> None:
    for inner in children:
        assert isinstance(inner, tuple)
        _grow(etree.SubElement(root, "x"), inner)


@given(_TREES, st.data())
def test_agrees_with_a_walk_through_the_tree(children: tuple[object, ...], data: st.DataObject) -> None:
    root = etree.Element("x")
    _grow(root, children)
    elements = list(root.iter())
    nesting = nest([len(element) for element in elements])
    walked = [(event, elements.index(element)) for event, element in etree.iterwalk(root, events=("start", "end"))]
    for number, element in enumerate(elements):
        parent = element.getparent()
        assert nesting.parents[number] == (-1 if parent is None else elements.index(parent))
        assert nesting.stops[number] == number + len(list(element.iter()))
        assert walked[nesting.opened[number]] == ("start", number)
        assert walked[nesting.closed[number]] == ("end", number)

    chosen = data.draw(st.lists(st.booleans(), min_size=len(elements), max_size=len(elements)))
    lineages = [[elements.index(around) for around in (element, *element.iterancestors())] for element in elements]
    assert nesting.inside(np.array(chosen)).tolist() == [any(chosen[e] for e in lineage) for lineage in lineages]
    nearest = [next((e for e in lineage if chosen[e]), 0) for lineage in lineages]
    assert nesting.nearest(np.array(chosen)).tolist() == nearest


def test_nests_a_chain_and_a_fan_of_many_elements() -> None:
    chain = nest([*[1] * 2_000, 0])
    assert (chain.parents.tolist(), chain.stops.tolist()) == ([*range(-1, 2_000)], [2_001] * 2_001)
    fan = nest([100_000, *[0] * 100_000])
    assert fan.stops.tolist() == [100_001, *range(2, 100_002)]
    assert not fan.parents[1:].any()
