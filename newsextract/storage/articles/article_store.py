"""Articles as rows of a database: one per canonical URL, written as often as wanted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Engine, bindparam, func, select

from newsextract.page.urls.clean_urls import site_of
from newsextract.storage.database.batches import write_rows
from newsextract.storage.database.connection import open_engine, writing
from newsextract.storage.database.value_fitting import fit, text_hash
from newsextract.storage.ledger.ledger_rows import address_id
from newsextract.storage.revisions.change import Change, Stored
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS
from newsextract.storage.schema.crawl_tables import articles, ledger
from newsextract.storage.schema.full_text_index import HAS_WORDS, article_words
from newsextract.storage.schema.search_words import spaced_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.storage.revisions.change import Effect

_KEPT_ON_UPDATE = ("id", "number", "date_first_seen")
_IS_ASKED = articles.c.id.in_(bindparam("ids", expanding=True))
_TEXTS = select(articles.c.id, articles.c.content_hash, articles.c.description).where(_IS_ASKED)
_ROWS = select(articles).where(_IS_ASKED)


def row_of(article: Article) -> dict[str, Any]:
    """Return the values of the article's row, such as any database can hold; `warnings` names what had to be cut."""
    row = {column.name: column.value_of(article) for column in ARTICLE_COLUMNS}
    address = article.canonicalUrl or article.url or ""
    downloaded = row["date_downloaded"] or datetime.now(UTC).isoformat(timespec="seconds")
    key = address_id(address)
    row |= {
        "id": key,
        "number": int(key[:15], 16),
        "url": article.url or address,
        "canonical_url": address,
        "site": site_of(article.url or address),
        "content_hash": text_hash(f"{article.headline}\n{article.articleBody}"),
        "date_downloaded": downloaded,
        "date_first_seen": downloaded,
    }
    row["characters"] = spaced_out(article.headline, article.description, article.articleBody)
    fitting, cut = fit(articles, row)
    if cut:
        fitting["warnings"] = [*(fitting["warnings"] or []), *(f"{name} was cut for the database" for name in cut)]
    return fitting


class ArticleStore:
    """The `articles` table of one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to a database by its SQLAlchemy URL, and bring its tables up to date.

        Raises:
            StorageError: the URL is none, a driver is missing, or the database does not answer or is a newer version's.
        """
        return cls(open_engine(url))

    def put(self, article: Article) -> Stored:
        """Store one article, over its earlier version if there is one; repeating it changes nothing."""
        with writing(self.engine) as connection:
            return put_articles(connection, [article])[0]

    def count(self) -> int:
        """Return how many articles there are."""
        with self.engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(articles)).scalar_one()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the stored rows, in no particular order."""
        with self.engine.connect() as connection:
            for row in connection.execute(select(articles)).mappings():
                yield dict(row)

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()


def put_articles(
    connection: Connection, batch: Sequence[Article], *, run_id: str | None = None, effects: Sequence[Effect] = ()
) -> list[Stored]:
    """Store articles in few statements, and return what was done with each; repeating it changes nothing.

    The transaction is the caller's. Of two versions of one article in a batch the later one stays, and a lead stays
    where a newer version states none.
    """
    rows = [row_of(article) | {"run_id": run_id} for article in batch]
    results, changed = _compare(rows, _known_texts(connection, {row["id"] for row in rows}))
    # In one order everywhere, so that two writers never wait for each other.
    ordered = sorted(changed.values(), key=lambda row: str(row["id"]))
    before = _rows_before(connection, list(changed)) if effects else {}
    for row in ordered:
        row["date_first_seen"] = before.get(row["id"], row)["date_first_seen"]
    _write(connection, ordered)
    if effects and ordered:
        written = zip(rows, batch, results, strict=True)
        latest = {row["id"]: article for row, article, result in written if result is not Stored.UNCHANGED}
        changes = [Change(latest[row["id"]], row, before.get(row["id"])) for row in ordered]
        for effect in effects:
            effect(connection, changes)
    return results


def _rows_before(connection: Connection, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    found = connection.execute(_ROWS, {"ids": ids}).mappings()
    return {row["id"]: dict(row) for row in found}


def _known_texts(connection: Connection, ids: set[str]) -> dict[str, tuple[str, str | None]]:
    """Return the hash of headline and body, and the lead, of the articles that there are."""
    return {row[0]: (row[1], row[2]) for row in connection.execute(_TEXTS, {"ids": sorted(ids)})}


def _compare(
    rows: Sequence[dict[str, Any]], known: dict[str, tuple[str, str | None]]
) -> tuple[list[Stored], dict[str, dict[str, Any]]]:
    """Return what storing each row does, and the rows to write, by their ids; `known` texts are brought up to date."""
    results: list[Stored] = []
    changed: dict[str, dict[str, Any]] = {}
    for row in rows:
        key, before = row["id"], known.get(row["id"])
        if before is not None and _is_same(row, *before):
            results.append(Stored.UNCHANGED)
            continue
        results.append(Stored.NEW if before is None else Stored.CHANGED)
        first = changed.get(key, row)
        # A lead that is missing today is no change, and must not become one when it is there again.
        lead = before[1] if before is not None and row["description"] is None else row["description"]
        changed[key] = row | {"date_first_seen": first["date_first_seen"], "description": lead}
        known[key] = row["content_hash"], lead
    return results, changed


def _is_same(row: Mapping[str, Any], content_hash: str, lead: str | None) -> bool:
    # A page may state its lead on some days only: that it is missing is no change.
    return row["content_hash"] == content_hash and row["description"] in (None, lead)


def _write(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    write_rows(connection, articles, rows, _KEPT_ON_UPDATE)
    words_of = HAS_WORDS.get(connection.dialect.name)
    if words_of is not None:
        words = [{"article_id": row["id"], "words": words_of(row)} for row in rows]
        write_rows(connection, article_words, words, kept=("article_id",))


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
