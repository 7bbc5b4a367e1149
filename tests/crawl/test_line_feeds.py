"""The lines of articles are those that Scrapy's own exporter writes."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from scrapy.exporters import JsonLinesItemExporter

from newsextract.article import Article, Author, Image
from newsextract.crawl.feeds_export import WholeLines
from newsextract.reading.reader import read_article

PAGE = f"""<html lang="fr"><head><title>Un titre</title><meta name="author" content="Anne Petit">
<meta property="article:published_time" content="2026-05-20T10:00:00+02:00"></head><body><article><h1>Un titre</h1>
{"<p>La ville a ouvert son pont lundi, et beaucoup de gens sont venus le voir avant la pluie.</p>" * 20}
</article></body></html>"""


def written(kind: type[JsonLinesItemExporter], item: Any, **options: Any) -> bytes:
    file = BytesIO()
    kind(file, **options).export_item(item)
    return file.getvalue()


@pytest.mark.parametrize(
    "options",
    [{}, {"encoding": "utf-8"}, {"fields_to_export": ["headline", "authors"]}, {"fields_to_export": {"url": "link"}}],
    ids=["plain", "utf-8", "fields", "renamed"],
)
def test_a_line_is_the_one_that_scrapy_writes(options: dict[str, Any]) -> None:
    article = read_article(PAGE, "https://paper.example/un-titre.html")
    images = [Image("https://a.example/1.jpg", "A bridge"), Image("https://a.example/2.jpg")]
    for item in (
        article,
        Article("https://a.example/", authors=[Author("Ann Lee")], images=images),
        {"url": "of another spider"},
    ):
        line = written(WholeLines, item, **options)
        assert line == written(JsonLinesItemExporter, item, **options)
        assert line.endswith(b"}\n")
