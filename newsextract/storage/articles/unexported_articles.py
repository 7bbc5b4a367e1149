"""Articles that were stored by a run which broke off before it could hand them on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from newsextract.storage.ledger.ledger_rows import address_id
from newsextract.storage.schema.crawl_tables import articles, ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article


def unfinished(connection: Connection, found: Sequence[Article]) -> list[bool]:
    """Tell of articles that are stored whether they were so by a visit of the same page that never came to its end.

    The ledger has no end of that visit. An article that is stored under another address of it is a duplicate.
    """
    pages = {address_id(article.url or ""): article.url for article in found}
    query = select(ledger.c.id).where(ledger.c.id.in_(sorted(pages)), ledger.c.state.is_(None))
    open_pages = {pages[key] for key in connection.execute(query).scalars()}
    ids = [address_id(article.canonicalUrl or article.url or "") for article in found]
    urls = select(articles.c.id, articles.c.url).where(articles.c.id.in_(sorted(set(ids))))
    stored = {(row[0], row[1]) for row in connection.execute(urls)}
    return [article.url in open_pages and (key, article.url) in stored for key, article in zip(ids, found, strict=True)]
