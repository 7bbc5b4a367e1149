"""Articles as rows of a database: one per URL, see address_of; writing one again changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sqlalchemy import bindparam, delete, insert, select, update

from newsextract.article import Article, ArticleMetadata, ExtractionReport, Image
from newsextract.page.urls import site_of
from newsextract.reading.feed_entry import EXTRACTOR, is_fallback
from newsextract.sites.article_address import NO_SITES, address_of, disown
from newsextract.storage.database_thread import each
from newsextract.storage.ledger import address_id
from newsextract.storage.likeness import text_likeness
from newsextract.storage.revisions import Change, Stored
from newsextract.storage.rights import note_articles, update_articles
from newsextract.storage.rows import chunks, fit, hold, text_hash, write_rows
from newsextract.storage.schema import (
    ARTICLE_COLUMNS,
    articles,
    fingerprint_keys,
    kept_pages,
    ledger,
    matches,
    revisions,
    rights,
    stories,
    story_articles,
)
from newsextract.storage.word_index import article_words, text_entries, write_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Column, Connection

    from newsextract.sites.site import SiteIndex
    from newsextract.storage.revisions import Effect
    from newsextract.storage.word_index import EntriesOf


_REFERENCES: tuple[Column[str], ...] = (
    revisions.c.article_id,
    story_articles.c.article_id,
    story_articles.c.story_id,
    stories.c.id,
    stories.c.merged_into,
    matches.c.article_id,
    kept_pages.c.article_id,
    rights.c.id,
)
"""Columns that have the id of an article; a story's is that of its first article.

Messages in the outbox are not among them: they stay as written.
"""


def number_of(article_id: str) -> int:
    """Return the number of an article in the full-text index and the fingerprints."""
    return int(article_id[:15], 16)


def move_article(connection: Connection, old: str, new: str) -> bool:
    """Give an article's row another id; return False and change nothing if a row has that id already."""
    if connection.execute(select(articles.c.id).where(articles.c.id == new)).first():
        return False
    # On SQLite, triggers do this.
    words = None if connection.dialect.name == "sqlite" else _take_words(connection, old)
    connection.execute(update(articles).where(articles.c.id == old).values(id=new, number=number_of(new)))
    if words is not None:
        connection.execute(insert(article_words).values(article_id=new, words=words))
    for place in _REFERENCES:
        connection.execute(update(place.table).where(place == old).values({place.name: new}))
    numbered = update(fingerprint_keys).where(fingerprint_keys.c.article_number == number_of(old))
    connection.execute(numbered.values(article_number=number_of(new)))
    return True


def _take_words(connection: Connection, article_id: str) -> str | None:
    """Delete the words of an article from the index, which refers to its row, and return them."""
    is_its = article_words.c.article_id == article_id
    words: str | None = connection.execute(select(article_words.c.words).where(is_its)).scalar()
    connection.execute(delete(article_words).where(is_its))
    return words


# Finds the row of an article whose canonical URL is another page's.
#
# A page that states the canonical URL of another, such as the AMP version of an article, shares its row if the two
# are the same article. If they are not, the statement is wrong, and each has a row of its own.

_HELD = articles.c.id.in_(bindparam("ids", expanding=True))
_HOLDERS = select(articles.c.id, articles.c.url, articles.c.extractor).where(_HELD)


@dataclass(frozen=True, slots=True)
class _Holder:
    """The page whose article is in a row."""

    url: str
    body: str | None = None
    """The text; read from the database only when needed, which is seldom."""
    is_fallback: bool = False
    """Whether it is a feed's text."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """An article, the URL where it was fetched, and the URL that it claims."""

    article: Article
    own: str
    own_key: str
    address: str
    key: str

    @classmethod
    def of(cls, article: Article, sites: SiteIndex) -> Self:
        address = address_of(article, sites)
        own = article.url or address
        return cls(article, own, address_id(own), address, address_id(address))

    @property
    def is_at_home(self) -> bool:
        """Whether it was fetched at the URL that it claims."""
        return self.own_key == self.key


@dataclass(frozen=True, slots=True)
class AddressClaims:
    """Finds the row of each article."""

    connection: Connection
    sites: SiteIndex = NO_SITES
    """The list of sites, which may join several hosts."""

    def row_urls(self, batch: Sequence[Article]) -> list[str | None]:
        """Return the URL that keys each article's row.

        It is `None` if the page at that URL is stored and the article is only another version of it, or a feed's text
        of it. A row that occupies the key of another article is moved to its own URL.
        """
        claims = [_Claim.of(article, self.sites) for article in batch]
        keys = {key for claim in claims for key in (claim.own_key, claim.key)}
        rows = self.connection.execute(_HOLDERS, {"ids": sorted(keys)})
        holders = {row[0]: _Holder(row[1], is_fallback=row[2] == EXTRACTOR) for row in rows}
        found: dict[int, str | None] = {}
        # Pages at their canonical URL come first, because the others are compared with them.
        for number, claim in sorted(enumerate(claims), key=lambda pair: not pair[1].is_at_home):
            found[number] = address = self._row_of(claim, holders)
            if address is not None:
                text = claim.article.articleBody
                holders[address_id(address)] = _Holder(claim.own, text, is_fallback(claim.article))
        return [found[number] for number in range(len(batch))]

    def _row_of(self, claim: _Claim, holders: dict[str, _Holder]) -> str | None:
        holder, own_holder = holders.get(claim.key), holders.get(claim.own_key)
        if is_fallback(claim.article) and holder is not None and not holder.is_fallback:
            return None
        if holder is None and own_holder is not None and own_holder.is_fallback:
            # The page could not be read, and so its canonical URL was not known.
            move_article(self.connection, claim.own_key, claim.key)
            del holders[claim.own_key]
            return claim.address
        if claim.is_at_home:
            if holder is not None and address_id(holder.url) != claim.key and not self._is_same(claim, holder):
                move_article(self.connection, claim.key, address_id(holder.url))
            return claim.address
        # It may have a row of its own from when it stated no canonical URL, or one that was wrong.
        has_own = own_holder is not None and address_id(own_holder.url) == claim.own_key
        if not has_own and (holder is None or address_id(holder.url) == claim.own_key):
            return claim.address
        if not has_own and holder is not None and self._is_same(claim, holder):
            return None if address_id(holder.url) == claim.key else claim.address
        disown(claim.article)
        return claim.own

    def _is_same(self, claim: _Claim, holder: _Holder) -> bool:
        own, body = claim.article.articleBody, holder.body
        if body is None:
            body = self.connection.execute(select(articles.c.article_body).where(articles.c.id == claim.key)).scalar()
        return own == body or text_likeness(own, body).is_copy


_KEPT_ON_UPDATE = ("id", "number", "date_first_seen")
_IS_ASKED = articles.c.id.in_(bindparam("ids", expanding=True))
_TEXTS = select(
    *(articles.c[name] for name in ("id", "content_hash", "description", "extractor", "page_hash", "usage_rights"))
).where(_IS_ASKED)
_ROWS = select(articles).where(_IS_ASKED)
_OF_RUNS = select(articles.c.url, articles.c.text_hash, articles.c.date_downloaded).where(
    _IS_ASKED, articles.c.run_id.is_not(None)
)
_VISITS = select(ledger.c.id, ledger.c.date_visited).where(ledger.c.id.in_(bindparam("ids", expanding=True)))


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
        "page_hash": article.page_words.hash if article.page_words else None,
        "page_words": article.page_words.sequences if article.page_words else None,
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


def put_articles(
    connection: Connection,
    batch: Sequence[Article],
    *,
    run_id: str | None = None,
    effects: Sequence[Effect] = (),
    sites: SiteIndex = NO_SITES,
    entries_of: EntriesOf = text_entries,
) -> list[Stored]:
    """Store articles in few statements, and return a `Stored` for each; repeating it changes nothing.

    The transaction is the caller's. Of two versions of one article in a batch the later one is stored; a lead is kept
    if a newer version states none. `sites` is the list of sites, which may join several hosts; `entries_of` may know
    the words of their texts.
    """
    places = list(zip(batch, AddressClaims(connection, sites).row_urls(batch), strict=True))
    kept = [(article, address) for article, address in places if address is not None]
    done = iter(_put(connection, kept, run_id, effects, entries_of))
    return [Stored.UNCHANGED if address is None else next(done) for _, address in places]


def _put(
    connection: Connection,
    batch: Sequence[tuple[Article, str]],
    run_id: str | None,
    effects: Sequence[Effect],
    entries_of: EntriesOf,
) -> list[Stored]:
    """Store articles, each given with the URL that keys its row."""
    rows = [row_of(article, address) | {"run_id": run_id} for article, address in batch]
    texts = connection.execute(_TEXTS, {"ids": sorted({row["id"] for row in rows})})
    known = {row[0]: _Known(*row[1:]) for row in texts}
    results, changed = _compare(rows, known)
    note_articles(connection, rows)
    same = [row for row, result in zip(rows, results, strict=True) if result is Stored.UNCHANGED]
    update_articles(connection, [row for row in same if row["usage_rights"] != known[row["id"]].rights])
    if not changed:
        return results
    # All writers use the same order, so that two never wait for each other.
    ordered = sorted(changed.values(), key=lambda row: str(row["id"]))
    before = _rows_before(connection, list(changed))
    for row in ordered:
        row["date_first_seen"] = before.get(row["id"], row)["date_first_seen"]
    _write(connection, ordered, entries_of)
    written = zip(rows, batch, results, strict=True)
    latest = {row["id"]: article for row, (article, _), result in written if result is not Stored.UNCHANGED}
    changes = {row["id"]: Change(latest[row["id"]], row, before.get(row["id"])) for row in ordered}
    for effect in effects:
        effect(connection, [*changes.values()])
    # What is written and is no change of the page was only read differently: nobody is told.
    versions = Counter(row["id"] for row, result in zip(rows, results, strict=True) if result is Stored.CHANGED)
    reread = {key for key, count in versions.items() if count == 1 and changes[key].is_rereading}
    return [
        Stored.UNCHANGED if result is Stored.CHANGED and row["id"] in reread else result
        for row, result in zip(rows, results, strict=True)
    ]


def _rows_before(connection: Connection, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    found = connection.execute(_ROWS, {"ids": ids}).mappings()
    return {row["id"]: dict(row) for row in found}


class _Known(NamedTuple):
    """What a row is compared with: the version of the article before."""

    content_hash: str
    """The hash of headline and body."""
    lead: str | None
    extractor: str | None
    page_hash: str | None
    rights: dict[str, Any] | None


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
        known[key] = _Known(row["content_hash"], lead, row["extractor"], row["page_hash"], row["usage_rights"])
    return results, changed


def _is_same(row: Mapping[str, Any], before: _Known) -> bool:
    if before.extractor == EXTRACTOR != row["extractor"]:
        return False  # a feed's text stood in for the page, and now it is the page's, even if no word differs
    if row["page_hash"] and row["page_hash"] == before.page_hash and row["extractor"] == before.extractor:
        return True  # the same page
    # Some pages state their lead only at times: a missing lead is not a change.
    return row["content_hash"] == before.content_hash and row["description"] in (None, before.lead)


def _write(connection: Connection, rows: Sequence[Mapping[str, Any]], entries_of: EntriesOf) -> None:
    write_rows(connection, articles, rows, _KEPT_ON_UPDATE)
    write_words(connection, rows, entries_of)


def unfinished(connection: Connection, found: Sequence[Article]) -> list[str | None]:
    """Return for each article the text hash of its row if an unfinished visit of the same page stored it, else `None`.

    The ledger has no end of that visit: none at all, or one from before the row was written by a run with a ledger. An
    article stored under another of its URLs is a duplicate, and not meant.
    """
    pages = {address_id(article.url or ""): article.url for article in found}
    visited = {pages[row.id]: row.date_visited or "" for row in connection.execute(_VISITS, {"ids": sorted(pages)})}
    stated = {address_id(article.canonicalUrl) for article in found if article.canonicalUrl}
    rows = connection.execute(_OF_RUNS, {"ids": sorted({*pages, *stated})})
    stored = {row.url: row.text_hash for row in rows if visited.get(row.url, row.date_downloaded) < row.date_downloaded}
    return [stored.get(article.url) for article in found]


def values_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an article's row as the plain values of the article."""
    values = asdict(Article(row["url"]))
    parts: dict[str, dict[str, Any]] = {
        "metadata": asdict(ArticleMetadata()),
        "extraction": asdict(ExtractionReport("", 0.0)),
        "mainImage": asdict(Image("")),
    }
    for declared in ARTICLE_COLUMNS:
        *outer, name = declared.path
        if not outer:
            values[name] = row[declared.name]
        elif row[declared.name] is not None:
            values[outer[0]] = {**(values[outer[0]] or parts.get(outer[0], {})), name: row[declared.name]}
    return values


@dataclass(frozen=True, slots=True)
class Flag:
    """A warning for a page's article, found by either of its URLs; a canonical URL may belong to another article."""

    url: str
    canonical_url: str
    warning: str


@each
def flag(connection: Connection, one: Flag) -> bool:
    """Add a warning to a row; return whether its article is stored. Repeating it changes nothing."""
    ids = {address_id(url) for url in (one.url, one.canonical_url) if url}
    is_it = articles.c.id.in_(sorted(ids)) & (articles.c.url == one.url)
    found = connection.execute(select(articles.c.warnings).where(is_it)).first()
    if found is None:
        return False
    known = list(found[0] or [])
    if one.warning not in known:
        connection.execute(update(articles).where(is_it).values(warnings=[*known, one.warning]))
    return True


# Finds texts that a site has already: an article is stored once, even if the site has it at two URLs.
#
# The same text on two sites is two articles: who published what is the point of a watch.

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
    entries_of: EntriesOf = text_entries,
) -> list[Stored]:
    """Store articles like `put_articles`, except for two kinds that are not written.

    `Stored.SAME_TEXT`: another article of the site has the text; the first one that is stored counts, whichever run or
    crawler does it. `Stored.UNFINISHED`: the article was stored by a visit of its page that never came to its end, and
    this visit, which repeats it, is not another version, even if the page is read differently.
    """
    hold(connection, _LOCK)
    begun = unfinished(connection, batch)
    left = [
        Stored.UNFINISHED if text and text == text_key(article) else Stored.SAME_TEXT if is_repeated else None
        for article, text, is_repeated in zip(batch, begun, repeats(connection, batch, sites), strict=True)
    ]
    others = [article for article, result in zip(batch, left, strict=True) if result is None]
    results = iter(put_articles(connection, others, run_id=run_id, effects=effects, sites=sites, entries_of=entries_of))
    stored = [result or next(results) for result in left]
    return [
        Stored.UNFINISHED if text and result is Stored.UNCHANGED else result
        for text, result in zip(begun, stored, strict=True)
    ]


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
