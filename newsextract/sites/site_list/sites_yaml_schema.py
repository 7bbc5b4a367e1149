"""What may stand in `sites.yml`: its tables, with their fields."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from newsextract.reading.extraction.contract import create_extractor
from newsextract.sites.site_list.sites_yaml_fields import (
    Addresses,
    Answer,
    Concurrency,
    Count,
    Delay,
    ExtractorForm,
    FileAddresses,
    Name,
    Options,
    Paths,
    Schedule,
    Since,
    Sources,
    Tags,
)


class Table(BaseModel):
    """A table of the file: what it does not know is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LimitsTable(Table):
    """How much of a site, and how gently."""

    articles: Count | None = None
    pages: Count | None = None
    since: Since | None = None
    delay: Delay | None = None
    concurrency: Concurrency | None = None


class SectionsTable(Table):
    """The wanted paths, and those left out."""

    only: Paths = []
    excluded: Paths = Field([], alias="except")


class ExtractorTable(Table):
    """An extractor that there is, with options that it takes."""

    name: Name
    options: Options = {}

    @model_validator(mode="after")
    def can_be_made(self) -> Self:
        """Make it once; raises what `create_extractor` raises."""
        create_extractor(self.name, **self.options)
        return self


class DefaultsTable(Table):
    """What several sites may share."""

    feeds: FileAddresses = []
    sitemaps: FileAddresses = []
    discover: Sources = []
    extractor: Annotated[ExtractorTable, ExtractorForm] | None = None
    sections: SectionsTable = SectionsTable.model_validate({})
    language: Tags = []
    schedule: Schedule | None = None
    limits: LimitsTable = LimitsTable()
    join_pages: Answer | None = None
    enabled: Answer = True


class SiteTable(DefaultsTable):
    """A site: its address, and what else is said of it."""

    name: Name | None = None
    start: Addresses = []
    url: Addresses = []

    @model_validator(mode="after")
    def has_one_address(self) -> Self:
        """Refuse a site with no start, and one with both spellings of it."""
        if bool(self.start) == bool(self.url):
            given = "both start and url are given; keep one of them" if self.start else "no address"
            raise ValueError(given if self.start else f"{given}; write start: https://example.com/")
        return self


class FileTable(Table):
    """The file: what sites share, and the sites, which are checked one by one."""

    defaults: dict[str, Any] = {}
    sites: list[Any]


TABLES: dict[tuple[str, ...], type[Table]] = {
    (): SiteTable,
    ("limits",): LimitsTable,
    ("sections",): SectionsTable,
    ("extractor",): ExtractorTable,
}
"""The tables of a site by their path in it."""
