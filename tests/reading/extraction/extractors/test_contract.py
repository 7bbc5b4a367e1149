from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from lxml import html

from newsextract.page.page import Page
from newsextract.reading.extraction import contract as registry
from newsextract.reading.extraction.contract import Extraction, create_extractor, extractor_names, register
from newsextract.reading.notices import BadExtractorOption, UnknownExtractor

if TYPE_CHECKING:
    from newsextract.page.blocks import Block


SENTENCE = "The rain fell on the town again, and nobody was surprised by it. "

PAGES = {
    "empty": "",
    "only scripts": "<script>var a = 1;</script><style>p {}</style><noscript>No script.</noscript>",
    "only links": "<ul>" + "<li><a href=/x>More of this news here</a></li>" * 30 + "</ul>",
    "deep nesting": "<body>" + f"<div><p>{SENTENCE}</p>" * 1_000,
    "one huge line": f"<p>{SENTENCE * 500}</p>",
    "one huge word": f"<p>{'a' * 30_000}</p>",
    "Chinese": "<div>"
    + "<p>昨天下午北京下了一场大雨，许多街道被水淹没。居民们希望交通早日恢复正常。</p>" * 5
    + "</div>",
    "Arabic": "<html dir=rtl><body>" + "<p>أعلنت الحكومة أمس عن خطة جديدة لدعم التعليم في المدن الصغيرة.</p>" * 5,
    "only tables": "<table>"
    + f"<tr><td>{SENTENCE}</td><td><table><tr><td>{SENTENCE}</table></td></tr>" * 5
    + "</table>",
    "only line breaks": "<body>" + f"{SENTENCE}<br><br>" * 10 + "<br>" * 100,
    "frameset": "<frameset><frame src=a.html><noframes>No frames.</noframes></frameset>",
    "no body": f"<html><head><title>{SENTENCE}</title></head></html>",
    "text after the body": f"<html><body></body>{SENTENCE * 5}</html>",
    "text after the page": f"<html></html>{SENTENCE * 5}",
    "headings and inline markup": f"<h1>Rain</h1><p>{SENTENCE}<em>{SENTENCE}</em> <a href=/x>{SENTENCE}</a></p>" * 5,
    "invisible": "<p>\u00ad\u200b</p>" * 10,
    "figures": f"<p>{SENTENCE}</p><figure><img src=/i.jpg><figcaption>{SENTENCE}</figcaption></figure><p>{SENTENCE}"
    * 3,
}


def is_of(block: Block, page: Page) -> bool:
    return any(whole.start <= block.start < block.stop <= whole.stop for whole in page.blocks)


@pytest.mark.parametrize("markup", PAGES.values(), ids=PAGES)
def test_every_extractor_keeps_the_contract(markup: str) -> None:
    page, same = (Page(markup, "https://news.example/a") for _ in range(2))
    before = html.tostring(page.tree)
    for name in extractor_names():
        found = create_extractor(name).extract(page)
        assert isinstance(found, Extraction)
        assert found.extractor == name
        assert bool(found) == bool(found.blocks) == bool(found.text)
        assert 0 <= found.confidence <= 1
        assert all(is_of(block, page) and block.text for block in found.blocks)
        assert all(one.stop <= other.start for one, other in zip(found.blocks, found.blocks[1:], strict=False))
        assert all(isinstance(form, str) for form in (found.text, found.html, found.markdown))
        assert html.tostring(page.tree) == before, name
        again = create_extractor(name).extract(same)
        assert (again.text, again.html, again.confidence) == (found.text, found.html, found.confidence)


class Fake:
    """Has only what the contract requires."""

    name: ClassVar[str] = "fake"

    def extract(self, page: Page) -> Extraction:
        return Extraction(self.name, page.blocks[:1])


def test_a_name_and_a_method_make_an_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    extractor_names()
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    assert register(Fake) is Fake
    assert "fake" in extractor_names()
    assert create_extractor("fake").extract(Page("<p>a<p>b")).text == "a"
    with pytest.raises(BadExtractorOption, match="fake"):
        create_extractor("fake", min_chars=3)


def test_a_dotted_path_names_a_class() -> None:
    path = "newsextract.reading.extraction.contract.Everything"
    assert create_extractor(path).extract(Page("<p>a<p>b")).text == "a\nb"


def test_two_extractors_cannot_share_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    extractor_names()
    monkeypatch.setattr(registry, "_REGISTRY", {**registry._REGISTRY, "fake": type("Other", (Fake,), {})})
    with pytest.raises(ValueError, match="two extractors are called 'fake'"):
        register(Fake)


def test_an_unknown_name_lists_the_names() -> None:
    with pytest.raises(UnknownExtractor, match=r"'mms'.*dom_criteria.*eatiht.*everything.*mss"):
        create_extractor("mms")


@pytest.mark.parametrize("path", [
    "no.such.Module", "newsextract.reading.extraction.mss.Nothing",
    "newsextract.reading.extraction.mss.best_run", ".", "..a", "a.",
])  # fmt: skip
def test_a_wrong_path_is_an_unknown_extractor(path: str) -> None:
    with pytest.raises(UnknownExtractor):
        create_extractor(path)


def test_a_wrong_option_lists_the_options() -> None:
    with pytest.raises(BadExtractorOption, match=r"'tags'.*tag_score, word_score"):
        create_extractor("mss", tags=1)
    with pytest.raises(BadExtractorOption, match="it has no options"):
        create_extractor("everything", tags=1)


@pytest.mark.parametrize(
    ("name", "options"), [("mss", {"tag_score": 1}), ("mss", {"word_score": 0}), ("auto", {"min_probability": 2.0})]
)
def test_an_impossible_value_is_refused_at_once(name: str, options: dict[str, float]) -> None:
    with pytest.raises(BadExtractorOption, match=name):
        create_extractor(name, **options)


def test_confidence_is_the_extractors_own_if_it_has_one() -> None:
    block = Page("<p>a").blocks
    assert Extraction("x", block, estimate=0.75).confidence == 0.75
    assert Extraction("x").confidence == 0
    assert 0 < Extraction("x", block).confidence < 0.1


REFERENCES = {"boilerpipe": "boilerpy3", "readability": "readability", "trafilatura": "trafilatura"}
FLOODS = "Floods closed three alpine passes on Monday, and the valley waits for the army's bridges. "
PAGE = f"""<html><head><title>Floods</title></head><body><nav><a href="/a">World</a> <a href="/b">Sport</a></nav>
<article><h1>Floods close passes</h1>{"".join(f"<p>{n}. {FLOODS * 3}</p>" for n in range(6))}</article>
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
