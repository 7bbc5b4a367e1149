"""Compute the features by which the kind of a page is judged: one row of numbers, those of its URL first.

No feature uses the words of the text, so that they work in any language. Words are searched in URLs, with lists for
many languages, and in the names of elements, which are English everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.urls.page_links import article_likeness
from newsextract.page.urls.url_parts import read_address, split_url
from newsextract.reading.page_kinds.declared_features import of_head, of_metadata, of_types
from newsextract.reading.page_kinds.markup_features import of_names, of_names_around, of_tags, tag_numbers
from newsextract.reading.page_kinds.page_text_features import of_flow, of_kept, of_page, of_place, read_texts
from newsextract.reading.page_kinds.shape_features import of_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata

UNKNOWN = -1.0
"""A value below all that a page can have."""

WORDS: Mapping[str, frozenset[str]] = {
    "shop": frozenset(
        "product products produkt produkte producto productos produit produits produto prodotto prodotti prodotto "
        "produkty tovar p dp pd item items shop store tienda boutique negozio loja sklep magasin winkel buy sku "
        "商品 产品 товар منتج".split()
    ),
    "forum": frozenset(
        "forum forums foro foros foren board boards thread threads topic topics t viewtopic showthread discussion "
        "discussions question questions q community communities comunidad bbs 论坛 форум منتدى showtopic forumdisplay "
        "discuss ask answer answers qa conversation conversations comments frage fragen pregunta preguntas sujet "
        "sujets hilo hilos tema temas thema konu konular diskussion diskussionen discussione discussioni debate "
        "vlakno vraag 问答 帖子 тема вопрос вопросы".split()
    ),
    "manual": frozenset(
        "doc docs documentation dokumentation documentacion manual manuals handbuch guide guides reference api sdk "
        "wiki help hilfe aide ayuda tutorial tutorials learn library latest stable master 文档 документация man "
        "manpages quickstart get-started getting-started introduction developer developers kb knowledge-base "
        "knowledgebase support faq faqs howto how-to spec specs concepts installation install user-guide userguide "
        "lecture lectures chapter chapters anleitung anleitungen guia guias guida kilavuz przewodnik podrecznik manuel "
        "soporte assistance 帮助 教程 справка".split()
    ),
    "service": frozenset(
        "service services servicio servicios leistungen leistung servizi servicos uslugi pricing prices solutions "
        "solution platform features feature product-overview plans enterprise industries clients portfolio "
        "服务 услуги خدمات use-cases what-we-do capabilities offerings programs program programmes course courses "
        "class classes training degree degrees admissions tuition department departments consulting calculator "
        "calculators locations testimonials why-us contact about book-now quote demo preise precios tarifs prezzi "
        "precos cennik kurse cursos cours corsi diensten dienstleistungen tjanster ydelser hizmetler hizmetlerimiz "
        "palvelut sluzby szolgaltatasok prestations usluge".split()
    ),
    "story": frozenset(
        "news blog blogs article articles story stories post posts opinion analysis sport sports politics world "
        "nachrichten noticias nouvelles actualite actualites notizie noticia wiadomosci novosti nieuws haber "
        "新闻 новости أخبار newsroom actus actualidad attualita aktualnosci haberler berita".split()
    ),
}
"""Common labels of host names and whole path segments, a number at their end aside, in many languages."""

_NUMBERING = "0123456789-_."
"""The end of a segment such as `thread-268`."""

_VISIBLE = ("depth", "slug_words", "has_date", "has_id", "is_document", "has_query", "is_paged")
_NAMED = ("listing", "endless", "house", "article")
NAMES = (
    "url_likeness", "url_is_home", "url_last_chars", "url_last_digits", "url_below_article",
    *(f"url_{name}" for name in (*_VISIBLE, *_NAMED, *WORDS)),
)  # fmt: skip


def of_address(url: str | None) -> dict[str, float]:
    """Return the features of a URL; all are `UNKNOWN` for `None` or a URL without a host.

    >>> set(of_address("about:blank").values())
    {-1.0}
    """
    host = split_url(url or "").hostname
    if not url or not host:
        return dict.fromkeys(NAMES, UNKNOWN)
    address = read_address(url)
    segments = address.segments
    last = segments[-1] if segments else ""
    named = {*segments, *(segment.rstrip(_NUMBERING) for segment in segments), *host.split(".")[:-1]}
    found: dict[str, float] = {
        "url_likeness": article_likeness(url),
        "url_is_home": not segments and not address.has_query,
        "url_last_chars": len(last),
        "url_last_digits": sum(map(str.isdigit, last)),
        "url_below_article": address.is_below("article"),
        "url_depth": len(segments),
        "url_slug_words": address.slug_words,
        "url_has_date": address.has_date,
        "url_has_id": address.has_id,
        "url_is_document": address.is_document,
        "url_has_query": address.has_query,
        "url_is_paged": address.is_paged,
        "url_listing": address.names("listing"),
        "url_endless": address.names("endless"),
        "url_house": address.names("house"),
        "url_article": address.names("article"),
    }
    return found | {f"url_{kind}": float(not words.isdisjoint(named)) for kind, words in WORDS.items()}


@dataclass(frozen=True)
class PageFeatures:
    """The features of one page, by family and name."""

    families: Mapping[str, Mapping[str, float]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(chain.from_iterable(self.families.values()))

    @cached_property
    def row(self) -> NDArray[np.float32]:
        """The values, in order."""
        values = chain.from_iterable(family.values() for family in self.families.values())
        return np.array(list(values), np.float32)

    @property
    def places(self) -> dict[str, slice]:
        """The slice of the row for each family."""
        stops = list(accumulate(map(len, self.families.values())))
        return dict(zip(self.families, map(slice, [0, *stops], stops), strict=False))


def features_of(page: Page, extraction: Extraction, metadata: Metadata) -> PageFeatures:
    """Return the features of a page with a non-empty extraction.

    A page without a URL is judged by its canonical one. A page that shows no text, as before its scripts run, is judged
    by the text in its JSON-LD.
    """
    outline = page.outline
    tags = tag_numbers(outline)
    if outline.table.texts:
        texts = read_texts(outline, tags)
    else:
        kept = extraction.blocks[0].outline
        texts = read_texts(kept, tag_numbers(kept))
    around = _around(extraction)
    families = {
        "address": of_address(page.url or metadata.canonicalUrl),
        "declared": {**of_types(metadata, around), **of_head(outline), **of_metadata(metadata)},
        "names": {**of_names(outline), **of_names_around(around)},
        "tags": of_tags(tags),
        "text": {**of_page(texts), **of_flow(texts), **of_kept(texts, extraction)},
        "place": of_place(texts, extraction.blocks),
        "shape": of_shape(texts, extraction.blocks),
    }
    return PageFeatures(families)


def _around(extraction: Extraction) -> list[HtmlElement]:
    """Return the elements around the longest block kept."""
    block = max(extraction.blocks, key=lambda block: len(block.text))
    return [block.outline.elements[number] for number in block.outline.lineage(block.owner)]
