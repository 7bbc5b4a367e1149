"""Articles as rows of a database: one per URL, see `address_of`; writing one again changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sqlalchemy import Engine, bindparam, func, select

from newsextract.page.urls import site_of
from newsextract.page.word_folding import words
from newsextract.reading.feed_article import EXTRACTOR
from newsextract.sites.article_address import NO_SITES, address_of
from newsextract.storage.articles.address_claims import AddressClaims
from newsextract.storage.database.batches import write_rows
from newsextract.storage.database.connection import open_engine, writing
from newsextract.storage.database.value_fitting import fit, text_hash
from newsextract.storage.ledger.ledger import address_id
from newsextract.storage.revisions.change import Change, Stored
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS
from newsextract.storage.schema.crawl_tables import articles, ledger
from newsextract.storage.schema.full_text_index import WORD_TABLES
from newsextract.storage.schema.row_moves import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.sites.site_list.site import SiteIndex
    from newsextract.storage.revisions.change import Effect
    from newsextract.storage.schema.full_text_index import WordsOf

_KEPT_ON_UPDATE = ("id", "number", "date_first_seen")
_IS_ASKED = articles.c.id.in_(bindparam("ids", expanding=True))
_TEXTS = select(articles.c.id, articles.c.content_hash, articles.c.description, articles.c.extractor).where(_IS_ASKED)
_ROWS = select(articles).where(_IS_ASKED)
_OF_RUNS = select(articles.c.url, articles.c.text_hash).where(_IS_ASKED, articles.c.run_id.is_not(None))
_OPEN_PAGES = select(ledger.c.id).where(ledger.c.id.in_(bindparam("ids", expanding=True)), ledger.c.state.is_(None))


def row_of(article: Article, address: str | None = None) -> dict[str, Any]:
    """Return the values of the article's row, which fit into any database; `warnings` names what had to be cut.

    The row is keyed by `address`, or else by the URL that `address_of` returns.
    """
    row = {column.name: column.value_of(article) for column in ARTICLE_COLUMNS}
    url = article.url or article.canonicalUrl or ""
    downloaded = row["date_downloaded"] or datetime.now(UTC).isoformat(timespec="seconds")
    key = address_id(address_of(article) if address is None else address)
    row |= {
        "id": key,
        "number": number_of(key),
        "url": url,
        "canonical_url": article.canonicalUrl or url,
        "site": site_of(url),
        "content_hash": text_hash(f"{article.headline}\n{article.articleBody}"),
        "text_hash": text_key(article),
        "date_downloaded": downloaded,
        "date_first_seen": downloaded,
    }
    fitting, cut = fit(articles, row)
    if cut:
        fitting["warnings"] = [*(fitting["warnings"] or []), *(f"{name} was cut for the database" for name in cut)]
    return fitting


def text_key(article: Article) -> str | None:
    """Return the hash of the article's site and text, which two URLs of one text share; `None` without a text."""
    if not article.articleBody:
        return None
    return _text_key(site_of(article.url or article.canonicalUrl or ""), article.articleBody)


@lru_cache(maxsize=128)  # asked for half a dozen times on an article's way into the database
def _text_key(site: str, body: str) -> str:
    return text_hash(f"{site}\n{body}")


class ArticleStore:
    """The `articles` table of one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to a database by its SQLAlchemy URL, and bring its tables up to date.

        Raises:
            StorageError: the URL is invalid, a driver is missing, the database does not answer, or it is too new.
        """
        return cls(open_engine(url))

    def put(self, article: Article) -> Stored:
        """Store one article, replacing its earlier version if there is one; repeating it changes nothing."""
        with writing(self.engine) as connection:
            return put_articles(connection, [article])[0]

    def count(self) -> int:
        """Return the number of stored articles."""
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
    connection: Connection,
    batch: Sequence[Article],
    *,
    run_id: str | None = None,
    effects: Sequence[Effect] = (),
    sites: SiteIndex = NO_SITES,
    words_of: WordsOf = words,
) -> list[Stored]:
    """Store articles in few statements, and return a `Stored` for each; repeating it changes nothing.

    The transaction is the caller's. Of two versions of one article in a batch the later one is stored; a lead is kept
    if a newer version states none. `sites` is the list of sites, which may join several hosts; `words_of` may know the
    words of their texts.
    """
    places = list(zip(batch, AddressClaims(connection, sites).settle(batch), strict=True))
    kept = [(article, address) for article, address in places if address is not None]
    done = iter(_put(connection, kept, run_id, effects, words_of))
    return [Stored.UNCHANGED if address is None else next(done) for _, address in places]


def _put(
    connection: Connection,
    batch: Sequence[tuple[Article, str]],
    run_id: str | None,
    effects: Sequence[Effect],
    words_of: WordsOf,
) -> list[Stored]:
    """Store articles, each given with the URL that keys its row."""
    rows = [row_of(article, address) | {"run_id": run_id} for article, address in batch]
    results, changed = _compare(rows, _known_texts(connection, {row["id"] for row in rows}))
    # All writers use the same order, so that two never wait for each other.
    ordered = sorted(changed.values(), key=lambda row: str(row["id"]))
    before = _rows_before(connection, list(changed)) if effects else {}
    for row in ordered:
        row["date_first_seen"] = before.get(row["id"], row)["date_first_seen"]
    _write(connection, ordered, words_of)
    if effects and ordered:
        written = zip(rows, batch, results, strict=True)
        latest = {row["id"]: article for row, (article, _), result in written if result is not Stored.UNCHANGED}
        changes = [Change(latest[row["id"]], row, before.get(row["id"])) for row in ordered]
        for effect in effects:
            effect(connection, changes)
    return results


def _rows_before(connection: Connection, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    found = connection.execute(_ROWS, {"ids": ids}).mappings()
    return {row["id"]: dict(row) for row in found}


class _Known(NamedTuple):
    """What a row is compared with: the version of the article before."""

    content_hash: str
    """The hash of headline and body."""
    lead: str | None
    extractor: str | None


def _known_texts(connection: Connection, ids: set[str]) -> dict[str, _Known]:
    """Return what is known of each stored article, by id."""
    return {row[0]: _Known(*row[1:]) for row in connection.execute(_TEXTS, {"ids": sorted(ids)})}


def _compare(
    rows: Sequence[dict[str, Any]], known: dict[str, _Known]
) -> tuple[list[Stored], dict[str, dict[str, Any]]]:
    """Return a `Stored` for each row, and the rows to write by id; updates `known`."""
    results: list[Stored] = []
    changed: dict[str, dict[str, Any]] = {}
    for row in rows:
        key, before = row["id"], known.get(row["id"])
        if before is not None and _is_same(row, before):
            results.append(Stored.UNCHANGED)
            continue
        results.append(Stored.NEW if before is None else Stored.CHANGED)
        first = changed.get(key, row)
        # A missing lead is not a change, and neither is its return.
        lead = before.lead if before is not None and row["description"] is None else row["description"]
        changed[key] = row | {"date_first_seen": first["date_first_seen"], "description": lead}
        known[key] = _Known(row["content_hash"], lead, row["extractor"])
    return results, changed


def _is_same(row: Mapping[str, Any], before: _Known) -> bool:
    if before.extractor == EXTRACTOR != row["extractor"]:
        return False  # a feed's text stood in for the page, and now it is the page's, even if no word differs
    # Some pages state their lead only at times: a missing lead is not a change.
    return row["content_hash"] == before.content_hash and row["description"] in (None, before.lead)


def _write(connection: Connection, rows: Sequence[Mapping[str, Any]], words_of: WordsOf) -> None:
    write_rows(connection, articles, rows, _KEPT_ON_UPDATE)
    index = WORD_TABLES[connection.dialect.name]
    found = [index.row_of(row, words_of) for row in rows]
    write_rows(connection, index.table, found, kept=list(index.table.primary_key.columns.keys()))


def unfinished(connection: Connection, found: Sequence[Article]) -> list[bool]:
    """Return for each article whether an unfinished visit of the same page stored its text.

    The ledger has no end of that visit, and a run with a ledger wrote the row. An article stored under another of its
    URLs is a duplicate, and another text is a newer version.
    """
    pages = {address_id(article.url or ""): article.url for article in found}
    open_pages = {pages[key] for key in connection.execute(_OPEN_PAGES, {"ids": sorted(pages)}).scalars()}
    stated = {address_id(article.canonicalUrl) for article in found if article.canonicalUrl}
    rows = connection.execute(_OF_RUNS, {"ids": sorted({*pages, *stated})})
    stored = {(row.url, row.text_hash) for row in rows}
    return [article.url in open_pages and (article.url, text_key(article)) in stored for article in found]
