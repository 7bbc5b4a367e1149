"""Finds texts that a site has already: an article is stored once, even if the site has it at two URLs.

The same text on two sites is two articles: who published what is the point of a watch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from newsextract.page.word_folding import words
from newsextract.sites.article_address import NO_SITES, address_of
from newsextract.storage.articles.article_store import put_articles, text_key, unfinished
from newsextract.storage.database.batches import chunks, hold
from newsextract.storage.ledger.ledger import address_id
from newsextract.storage.revisions.change import Stored
from newsextract.storage.schema.crawl_tables import articles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.sites.site_list.site import SiteIndex
    from newsextract.storage.revisions.change import Effect
    from newsextract.storage.schema.full_text_index import WordsOf

_LOCK = "texts"
_WITH_TEXTS = select(articles.c.text_hash, articles.c.id).where(
    articles.c.text_hash.in_(bindparam("hashes", expanding=True))
)


def put_new_texts(
    connection: Connection,
    batch: Sequence[Article],
    *,
    run_id: str | None = None,
    effects: Sequence[Effect] = (),
    sites: SiteIndex = NO_SITES,
    words_of: WordsOf = words,
) -> list[Stored]:
    """Store articles like `put_articles`, except for two kinds that are not written.

    `Stored.SAME_TEXT`: another article of the site has the text; the first one that is stored counts, whichever run or
    crawler does it. `Stored.UNFINISHED`: the text was stored by a visit of its page that never came to its end, and
    this visit, which repeats it, is not another version, even if the headline is read differently.
    """
    hold(connection, _LOCK)
    left = [
        Stored.UNFINISHED if is_begun else Stored.SAME_TEXT if is_repeated else None
        for is_begun, is_repeated in zip(unfinished(connection, batch), repeats(connection, batch, sites), strict=True)
    ]
    others = [article for article, result in zip(batch, left, strict=True) if result is None]
    results = iter(put_articles(connection, others, run_id=run_id, effects=effects, sites=sites, words_of=words_of))
    return [result or next(results) for result in left]


def repeats(connection: Connection, batch: Sequence[Article], sites: SiteIndex) -> list[bool]:
    """Return for each article whether another one of its site, stored or earlier in the batch, has its text."""
    keys = [text_key(article) for article in batch]
    holders = _holders(connection, {key for key in keys if key})
    own = [_ids(article, sites) for article in batch]
    return [key is not None and _is_repeated(ids, key, holders) for ids, key in zip(own, keys, strict=True)]


def _is_repeated(own: set[str], key: str, holders: dict[str, set[str]]) -> bool:
    if holders[key] and not own & holders[key]:
        return True
    for others in holders.values():
        others.difference_update(own)  # its former text no longer belongs to any article
    holders[key] |= own
    return False


def _ids(article: Article, sites: SiteIndex) -> set[str]:
    """Return the keys that the row of an article may have."""
    return {address_id(url) for url in (article.url, address_of(article, sites)) if url}


def _holders(connection: Connection, keys: set[str]) -> dict[str, set[str]]:
    """Return the ids of the articles that have each text."""
    found: dict[str, set[str]] = {key: set() for key in keys}
    for some in chunks(sorted(keys)):
        for key, holder in connection.execute(_WITH_TEXTS, {"hashes": some}):
            found[key].add(holder)
    return found
