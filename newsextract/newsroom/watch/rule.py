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
    """A query with a name, for the articles of some languages and sites, or of all."""

    name: str
    query: Query
    languages: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()

    @cached_property
    def condition(self) -> Query:
        """What must be true of an article: query, language and site."""
        values = (("language", self.languages), ("site", self.sites))
        choices = [Or(tuple(Term((value,), field) for value in among)) for field, among in values if among]
        return And((self.query, *choices)) if choices else self.query

    @cached_property
    def revision(self) -> str:
        """A hash of what the rule says, however it is written: another one is another rule under the same name."""
        return hashlib.blake2b(str(self.condition).encode(), digest_size=16).hexdigest()
