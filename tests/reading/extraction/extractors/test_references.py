from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from newsextract import Page, create_extractor, extractor_names
from newsextract.reading.notices import UnknownExtractor

REFERENCES = {"boilerpipe": "boilerpy3", "readability": "readability", "trafilatura": "trafilatura"}
SENTENCE = "Floods closed three alpine passes on Monday, and the valley waits for the army's bridges. "
PAGE = f"""<html><head><title>Floods</title></head><body><nav><a href="/a">World</a> <a href="/b">Sport</a></nav>
<article><h1>Floods close passes</h1>{"".join(f"<p>{n}. {SENTENCE * 3}</p>" for n in range(6))}</article>
<footer><p>Imprint</p></footer></body></html>"""


@pytest.mark.parametrize("name", REFERENCES)
def test_keeps_the_story_as_blocks_of_the_page(name: str) -> None:
    if importlib.util.find_spec(REFERENCES[name]) is None:
        pytest.skip(f"{REFERENCES[name]} is not installed")
    page = Page(PAGE, "https://example.com/floods")
    extraction = create_extractor(name).extract(page)
    assert set(extraction.blocks) <= set(page.blocks)
    assert extraction.text.count("Floods closed three") == 18
    if name != "boilerpipe":  # which keeps a menu of two words before a long text
        assert "Sport" not in extraction.text


@pytest.mark.parametrize("name", REFERENCES)
def test_a_missing_package_is_named_with_what_brings_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def hide(module: str, *more: Any) -> Any:
        return None if module == REFERENCES[name] else find(module, *more)

    monkeypatch.setattr(importlib.util, "find_spec", hide)
    assert name not in extractor_names()
    with pytest.raises(UnknownExtractor, match=r"newsextract\[evaluate\]"):
        create_extractor(name)
