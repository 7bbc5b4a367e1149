"""Finds the row of an article whose canonical URL is another page's.

A page that states the canonical URL of another, such as the AMP version of an article, shares its row if the two
are the same article. If they are not, the statement is wrong, and each has a row of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sqlalchemy import bindparam, select

from newsextract.reading.feed_article import EXTRACTOR, is_stand_in
from newsextract.sites.article_address import NO_SITES, address_of, disown
from newsextract.storage.copies.likeness import text_likeness
from newsextract.storage.ledger.ledger import address_id
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.row_moves import move_article

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.sites.site_list.site import SiteIndex

_HELD = articles.c.id.in_(bindparam("ids", expanding=True))
_HOLDERS = select(articles.c.id, articles.c.url, articles.c.extractor).where(_HELD)


@dataclass(frozen=True, slots=True)
class _Holder:
    """The page whose article is in a row."""

    url: str
    body: str | None = None
    """The text; read from the database only when needed, which is seldom."""
    is_stand_in: bool = False
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

    def settle(self, batch: Sequence[Article]) -> list[str | None]:
        """Return the URL that keys each article's row.

        It is `None` if the page at that URL is stored and the article is only another version of it, or a feed's text
        of it. A row that occupies the key of another article is moved to its own URL.
        """
        claims = [_Claim.of(article, self.sites) for article in batch]
        keys = {key for claim in claims for key in (claim.own_key, claim.key)}
        rows = self.connection.execute(_HOLDERS, {"ids": sorted(keys)})
        holders = {row[0]: _Holder(row[1], is_stand_in=row[2] == EXTRACTOR) for row in rows}
        found: dict[int, str | None] = {}
        # Pages at their canonical URL come first, because the others are compared with them.
        for number in sorted(range(len(batch)), key=lambda number: not claims[number].is_at_home):
            claim = claims[number]
            found[number] = address = self._settle(claim, holders)
            if address is not None:
                text = claim.article.articleBody
                holders[address_id(address)] = _Holder(claim.own, text, is_stand_in(claim.article))
        return [found[number] for number in range(len(batch))]

    def _settle(self, claim: _Claim, holders: dict[str, _Holder]) -> str | None:
        holder, own_holder = holders.get(claim.key), holders.get(claim.own_key)
        if is_stand_in(claim.article) and holder is not None and not holder.is_stand_in:
            return None
        if holder is None and own_holder is not None and own_holder.is_stand_in:
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
