"""What the address of a page tells of its kind; each value is `UNKNOWN` where there is no address."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.page.urls.page_links import article_likeness
from newsextract.page.urls.url_parts import read_address

if TYPE_CHECKING:
    from collections.abc import Mapping

UNKNOWN = -1.0
"""Below every value that a page can have."""

WORDS: Mapping[str, frozenset[str]] = {
    "shop": frozenset(
        "product products produkt produkte producto productos produit produits produto prodotto prodotti prodotto "
        "produkty tovar p dp pd item items shop store tienda boutique negozio loja sklep magasin winkel buy sku "
        "商品 产品 товар منتج".split()
    ),
    "forum": frozenset(
        "forum forums foro foros foren board boards thread threads topic topics t viewtopic showthread discussion "
        "discussions question questions q community communities comunidad bbs 论坛 форум منتدى".split()
    ),
    "manual": frozenset(
        "doc docs documentation dokumentation documentacion manual manuals handbuch guide guides reference api sdk "
        "wiki help hilfe aide ayuda tutorial tutorials learn library latest stable master 文档 документация".split()
    ),
    "service": frozenset(
        "service services servicio servicios leistungen leistung servizi servicos uslugi pricing prices solutions "
        "solution platform features feature product-overview plans enterprise industries clients portfolio "
        "服务 услуги خدمات".split()
    ),
    "story": frozenset(
        "news blog blogs article articles story stories post posts opinion analysis sport sports politics world "
        "nachrichten noticias nouvelles actualite actualites notizie noticia wiadomosci novosti nieuws haber "
        "新闻 новости أخبار".split()
    ),
}
"""First labels of a host name and whole path segments, as they are usual in the languages of the press."""

_VISIBLE = ("depth", "slug_words", "has_date", "has_id", "is_document", "has_query", "is_paged")
_NAMED = ("listing", "endless", "house", "article")
NAMES = (
    "url_likeness", "url_is_home", "url_last_chars", "url_last_digits", "url_below_article",
    *(f"url_{name}" for name in (*_VISIBLE, *_NAMED, *WORDS)),
)  # fmt: skip


def of_address(url: str | None) -> dict[str, float]:
    """Return the features of an address; `about:blank`, or none, tells nothing.

    >>> set(of_address("about:blank").values())
    {-1.0}
    """
    host = _host(url)
    if not url or not host:
        return dict.fromkeys(NAMES, UNKNOWN)
    address = read_address(url)
    segments = address.segments
    last = segments[-1] if segments else ""
    named = {*segments, *host.split(".")[:-1]}
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


def _host(url: str | None) -> str:
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
