"""A rule of `watch.yml`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.newsroom.watch.query_tree import And, Or, Term

if TYPE_CHECKING:
    from newsextract.newsroom.watch.query_tree import Query


@dataclass(frozen=True)
class Rule:
    """A named query, for the articles of some languages and sites, or of all."""

    name: str
    query: Query
    languages: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()

    @cached_property
    def condition(self) -> Query:
        """The whole condition: query, language and site."""
        values = (("language", self.languages), ("site", self.sites))
        choices = [Or(tuple(Term((value,), field) for value in among)) for field, among in values if among]
        return And((self.query, *choices)) if choices else self.query

    @cached_property
    def revision(self) -> str:
        """A hash of the rule's meaning, not its spelling: if it differs, the rule of this name has changed."""
        return hashlib.blake2b(str(self.condition).encode(), digest_size=16).hexdigest()
