"""The schema of `sites.yml`: its tables and their fields, and the messages for what it does not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.rules.site_rules import SiteRules
from newsextract.sites.site_list.access_tables import (
    CookieSource,
    Headers,
    LoginTable,
    SignTable,
    UserAgent,
    WallTable,
)
from newsextract.sites.site_list.sites_yaml_fields import (
    Addresses,
    Answer,
    Concurrency,
    Count,
    Delay,
    Expressions,
    ExtractorForm,
    FileAddresses,
    Name,
    Options,
    Paths,
    Render,
    Schedule,
    Since,
    Sources,
    Tags,
)
from newsextract.sites.site_list.yaml_file import STRICT, unknown_field
from newsextract.sites.subscriptions.access import Access

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class Table(BaseModel):
    """A table of the file."""

    model_config = STRICT


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


class RulesTable(Table):
    """Where the parts of an article are on the site's pages."""

    body: Expressions = []
    headline: Expressions = []
    authors: Expressions = []
    date: Expressions = []
    strip: Expressions = []
    strip_text: Expressions = []
    next_page: Expressions = []
    single_page: Expressions = []
    when_unsure: Answer = False

    def made(self) -> SiteRules:
        """Return the rules; raises `BadRule`."""
        given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in self}
        return SiteRules(**given)

    @model_validator(mode="after")
    def can_be_made(self) -> Self:
        """Make the rules once, to check them; raises `BadRule`, which names rule and expression."""
        self.made()
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
    render: Render | None = None
    enabled: Answer = True


class SiteTable(DefaultsTable):
    """A site: its URL and its other fields."""

    name: Name | None = None
    start: Addresses = []
    rules: RulesTable | None = None
    test_urls: Addresses = []
    headers: Headers = {}
    user_agent: UserAgent | None = None
    cookies: CookieSource | None = None
    login: LoginTable | None = None
    wall: WallTable | None = None
    url: Addresses = []

    @property
    def access(self) -> Access | None:
        """The subscription; `None` if there is none."""
        login = self.login.made() if self.login else None
        wall = self.wall.made() if self.wall else None
        return Access(self.headers, self.user_agent, self.cookies, login, wall) or None

    @model_validator(mode="after")
    def has_use_for_wall(self) -> Self:
        """Raise `ValueError` for a sign of a wall without a subscription."""
        if self.wall and not self.access:
            raise ValueError("wall: is of use beside headers, cookies or login only")
        return self

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


TABLES: dict[tuple[str, ...], type[BaseModel]] = {
    (): SiteTable,
    ("limits",): LimitsTable,
    ("sections",): SectionsTable,
    ("extractor",): ExtractorTable,
    ("rules",): RulesTable,
    ("login",): LoginTable,
    ("login", "sign"): SignTable,
    ("wall",): WallTable,
}
"""The tables of a site, by their path in it."""

_STRUCTURE = {
    "missing": "is missing; the file begins with sites: and lists them below",
    "list_type": "is not a list; write each site in a line of its own that begins with -",
    "dict_type": "is not a table; write fields such as schedule: 30m below it",
    "model_type": "is not a table; write its fields as name: value",
}
"""Messages for a wrong structure, by pydantic's name of the error."""

_NO_TABLE: dict[type[BaseModel], str] = {
    FileTable: "the file is not a table; it begins with sites: and lists them below",
    SiteTable: "is neither a URL nor a table; write https://example.com/, or start: and other fields",
}
"""The same for a file or site as a whole."""


_MISSING: dict[tuple[int | str, ...], str] = {
    ("extractor", "name"): "write the name of an extractor",
    ("login", "url"): "write the URL of the page with the form",
    ("login", "fields"): "write those to fill in, such as password: ${NAME}",
    ("login", "sign"): "write what shows that it worked, such as selector: a.logout",
}


def explain(detail: ErrorDetails, kind: type[BaseModel]) -> str:
    """Return what is wrong with a value and what would be right, from pydantic's error."""
    if detail["type"] == "extra_forbidden":
        *inner, field = map(str, detail["loc"])
        table: type[BaseModel] = TABLES[tuple(inner)] if inner else kind
        return unknown_field(field, (info.alias or name for name, info in table.model_fields.items()))
    if not detail["loc"] and detail["type"] == "model_type":
        return _NO_TABLE[kind]
    if detail["type"] == "missing" and (advice := _MISSING.get(detail["loc"][-2:])):
        return f"is missing; {advice}"
    return _STRUCTURE.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
