"""The extractor in a pipeline of datatrove."""

from __future__ import annotations

import pytest

from newsextract.reading.notices import UnknownExtractor

datatrove = pytest.importorskip("datatrove.data", reason="wants datatrove, whose extractors these are")

HTML = "<html><body><nav><a href=/>Home</a></nav><h1>Bridge</h1>{}<footer>Imprint</footer></body></html>".format(
    "<p>The bridge is open again, and the trams run on it, said the mayor on Monday.</p>" * 5
)


def test_documents_become_their_articles() -> None:
    from newsextract.archives.datatrove import NewsExtract

    pages = [datatrove.Document(HTML, "1"), datatrove.Document("<html></html>", "2")]
    (found,) = NewsExtract(timeout=60).run(pages)
    assert found.id == "1"
    assert "The bridge is open again" in found.text
    assert "Imprint" not in found.text


def test_a_wrong_name_is_an_error_at_once() -> None:
    from newsextract.archives.datatrove import NewsExtract

    with pytest.raises(UnknownExtractor):
        NewsExtract("autoo")
