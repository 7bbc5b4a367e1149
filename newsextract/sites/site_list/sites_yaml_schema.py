"""The schema of `sites.yml`: its tables and their fields."""

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
    """A table of the file; an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class LimitsTable(Table):
    """How much of a site to fetch, and how fast."""

    articles: Count | None = None
    pages: Count | None = None
    since: Since | None = None
    delay: Delay | None = None
    concurrency: Concurrency | None = None


class SectionsTable(Table):
    """The wanted paths, and the excluded ones."""

    only: Paths = []
    excluded: Paths = Field([], alias="except")


class ExtractorTable(Table):
    """An existing extractor with valid options."""

    name: Name
    options: Options = {}

    @model_validator(mode="after")
    def can_be_made(self) -> Self:
        """Create the extractor once, to check it; raises what `create_extractor` raises."""
        create_extractor(self.name, **self.options)
        return self


class DefaultsTable(Table):
    """The fields that sites may share."""

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
    """A site: its URL and its other fields."""

    name: Name | None = None
    start: Addresses = []
    url: Addresses = []

    @model_validator(mode="after")
    def has_one_address(self) -> Self:
        """Raise `ValueError` for a site without a start page, or with both `start` and `url`."""
        if bool(self.start) == bool(self.url):
            given = "both start and url are given; keep one of them" if self.start else "no address"
            raise ValueError(given if self.start else f"{given}; write start: https://example.com/")
        return self


class FileTable(Table):
    """The file: shared defaults, and the sites, which are checked one by one."""

    defaults: dict[str, Any] = {}
    sites: list[Any]


TABLES: dict[tuple[str, ...], type[Table]] = {
    (): SiteTable,
    ("limits",): LimitsTable,
    ("sections",): SectionsTable,
    ("extractor",): ExtractorTable,
}
"""The tables of a site, by their path in it."""
