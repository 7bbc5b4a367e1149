"""Reads `sites.yml`: its tables as pydantic models, and the sites made from them.

Every error names file, line, column and field. A secret that is written out is refused, and never quoted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from urllib.parse import urljoin

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from newsextract.reading.extraction.contract import create_reader
from newsextract.reading.rules import BadRule, SiteRules, check
from newsextract.sites.site import (
    HAS_USER,
    MAX_PATTERN_CHARS,
    Limits,
    Sections,
    Site,
    SiteListError,
    has_user,
    is_language,
    read_address,
)
from newsextract.sites.site_files import parse_age, parse_since
from newsextract.sites.subscriptions import REFERENCE, Access, Login, Sign, SignKind, names_in
from newsextract.yaml_files import STRICT, YamlFile

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping


MAX_SITES_FILE_BYTES = 5 * 1024 * 1024
"""Some 20,000 sites with a few fields each; longer lists come from programs, which can write CSV."""

MAX_NAME_CHARS = 100
"""Characters of a site's name, which appears in tables and stats."""

MIN_SCHEDULE, MAX_SCHEDULE = timedelta(minutes=15), timedelta(days=7)
"""More often is impolite, and less often than weekly misses what a site no longer lists."""

MAX_DELAY = 3600.0
"""Seconds; at one page an hour nothing gets read."""

MAX_CONCURRENCY = 16
"""Concurrent requests to one host; more would be an attack."""

HARMLESS_HEADERS = frozenset(
    ("accept", "accept-language", "cache-control", "dnt", "from", "pragma", "referer", "upgrade-insecure-requests")
)
"""Headers that may be written out; whatever another one holds may be a key."""

OTHER_FIELDS = {"cookie": "cookies:", "user-agent": "user_agent:"}
"""Headers that have a field of their own."""

FLAGS = frozenset(("", "0", "1", "on", "off", "true", "false", "yes", "no"))
"""Values of a form's fields that may be written out."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::[0-9]{1,5})?", re.IGNORECASE)
"""A host as in a URL, with its port if that is another than usual; no `*`, which would name hosts of others."""

_SECRETLY = "write ${NAME}, and set NAME in the environment or in the file that NEWSEXTRACT_SECRETS names"


def _quoted(value: Any) -> str:
    """Return a value as an error message shows it, cut if it is long."""
    shown = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _name(value: Any) -> str:
    # A site may be called 2026, which YAML reads as a number.
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not text or len(text) > MAX_NAME_CHARS or not text.isprintable():
        raise ValueError(f"{_quoted(value)} is not a name; write text of up to {MAX_NAME_CHARS} characters")
    return text


def _address(value: Any) -> str:
    if isinstance(value, str) and has_user(value):
        raise ValueError(HAS_USER)
    address = read_address(value) if isinstance(value, str) else None
    if address is None:
        raise ValueError(f"{_quoted(value)} is not a URL; write https://example.com/ or example.com")
    return address


def _file_address(value: Any) -> str:
    if isinstance(value, str) and re.match(r"/(?!/)\S+$", value):
        return value  # of the site's own host
    return _address(value)


def _extractor(value: Any) -> str:
    if not isinstance(value, str):
        known = "write mss, or with options eatiht:version=2"
        raise ValueError(f"{_quoted(value)} is not an extractor; {known}")  # noqa: TRY004 - for pydantic
    create_reader(value)
    return value


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith(("/", "*")) or len(value) > MAX_PATTERN_CHARS:
        raise ValueError(f"{_quoted(value)} is not a path of a section; write /international/ or /20*/sport")
    return value


def _language(value: Any) -> str:
    if not isinstance(value, str) or not is_language(value):
        raise ValueError(f"{_quoted(value)} is not a language code; write one such as fr, en or pt-BR")
    return value


def _since(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_quoted(value)} is neither an age nor a date; write 2d, 36h or 2026-11-01")  # noqa: TRY004 - pydantic wants ValueError
    parse_since(value, datetime.now(UTC))
    return value


def _schedule(value: Any) -> timedelta:
    interval = parse_age(value) if isinstance(value, str) else None
    if interval is None:
        raise ValueError(f"{_quoted(value)} is not an interval; write 30m, 2h or 1d")
    if not MIN_SCHEDULE <= interval <= MAX_SCHEDULE:
        raise ValueError(f"{_quoted(value)} is out of bounds; write from 15m to 7d")
    return interval


def _list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _text(value: Any, what: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int) or not str(value).isprintable():
        raise ValueError(f"{what} is not text in one line")  # without the value, which may be secret
    if "$" in str(value) and "{" in REFERENCE.sub("", str(value)):
        raise ValueError("has a ${ that is no name of a secret; a name has letters, digits and _")
    return str(value).strip()


def _headers(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    found = {}
    for name, each in value.items():
        if not _TOKEN.fullmatch(name):
            raise ValueError("one of its names is not the name of a header, such as X-Api-Key")
        if place := OTHER_FIELDS.get(name.lower()):
            raise ValueError(f"{name} is not set here but in {place}")
        found[name] = _text(each, f"the value of {name}")
        if name.lower() not in HARMLESS_HEADERS and not names_in(found[name]):
            raise ValueError(f"{name} may be a secret and is not written out here; {_SECRETLY}")
    return found


def _form_fields(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise ValueError("no field; write those to fill in, such as password: ${GAZETTE_PASSWORD}")
    found = {name: _text(each, f"the value of {name}") for name, each in value.items()}
    for name, text in found.items():
        if text.lower() not in FLAGS and not names_in(text):
            raise ValueError(f"{name} is not written out here; {_SECRETLY}")
    return found


def _agent(value: Any) -> str:
    text = _text(value, "the user agent")
    if not text:
        raise ValueError("empty; write the name of your crawler and a contact")
    return text


def _cookies(value: Any) -> str:
    text = _text(value, "the name of the file")
    if names_in(text):
        if REFERENCE.fullmatch(text) is None:
            raise ValueError("has more than ${NAME}; write ${NAME} alone, or the path of a file")
    elif not text or "=" in text or ";" in text:
        raise ValueError(f"cookies are not written out here; write the path of a file of cookies, or {_SECRETLY[6:]}")
    return text


def _login_page(value: Any) -> str:
    address = read_address(value) if isinstance(value, str) and not has_user(value) else None
    if address is None:
        raise ValueError("not a URL; write that of the page with the form, https://example.com/login")
    return address


def _selector(value: str) -> str:
    try:
        check(value.strip())
    except BadRule as error:
        raise ValueError(f"{value!r} {error}") from error
    return value.strip()


def _host(value: str) -> str:
    if not _HOST.fullmatch(value):
        raise ValueError("not a host; write its name in full, such as accounts.example.com")
    return value.lower()


OneOrMany = BeforeValidator(_list)
Addresses = Annotated[list[Annotated[str, BeforeValidator(_address)]], OneOrMany]
FileAddresses = Annotated[list[Annotated[str, BeforeValidator(_file_address)]], OneOrMany]
Paths = Annotated[list[Annotated[str, BeforeValidator(_path)]], OneOrMany]
Sources = Annotated[list[Literal["feeds", "sitemaps", "links"]], Field(min_length=1), OneOrMany]
Languages = Annotated[list[Annotated[str, BeforeValidator(_language)]], OneOrMany]
Expressions = Annotated[list[str], OneOrMany]
Hosts = Annotated[list[Annotated[str, BeforeValidator(str), BeforeValidator(_host)]], OneOrMany]
Selector = Annotated[str, Field(min_length=1), BeforeValidator(str), BeforeValidator(_selector)]
Count = Annotated[int, Field(gt=0)]
Name = Annotated[str, BeforeValidator(_name)]
Answer = Annotated[bool, Field(strict=False)]
"""Also `yes`, `no`, `on` and `off`, which YAML 1.2 reads as text."""


class Table(BaseModel):
    """A table of the file."""

    model_config = STRICT


class LimitsTable(Table):
    """How much of a site to fetch, and how fast."""

    articles: Count | None = None
    pages: Count | None = None
    since: Annotated[str, BeforeValidator(_since)] | None = None
    delay: Annotated[float, Field(ge=0, le=MAX_DELAY)] | None = None
    concurrency: Annotated[int, Field(gt=0, le=MAX_CONCURRENCY)] | None = None


class SectionsTable(Table):
    """The wanted paths, and the excluded ones."""

    only: Paths = []
    excluded: Paths = Field([], alias="except")


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

    @model_validator(mode="after")
    def can_be_made(self) -> Self:
        """Make the rules once, to check them; raises `BadRule`, which names rule and expression."""
        self.made()
        return self

    def made(self) -> SiteRules:
        """Return the rules; raises `BadRule`."""
        given: dict[str, Any] = {name: tuple(written.strip() for written in each) for name, each in self}
        return SiteRules(**given)


class SignTable(Table):
    """One sign."""

    selector: Selector | None = None
    text: str | None = None
    cookie: str | None = None

    @model_validator(mode="after")
    def is_one(self) -> Self:
        """Raise `ValueError` unless there is exactly one sign."""
        if len([value for _, value in self if value]) != 1:
            raise ValueError("write one sign: selector: a.logout, text: Log out, or cookie: NAME")
        return self

    def made(self) -> Sign:
        """Return the sign."""
        ((name, value),) = ((name, value) for name, value in self if value)
        return Sign(SignKind(name), value)


class PaywallTable(SignTable):
    """The sign of a paywall, which is on the page."""

    @model_validator(mode="after")
    def is_on_page(self) -> Self:
        """Raise `ValueError` for a cookie."""
        if self.cookie:
            raise ValueError("a paywall shows on the page; write selector: or text:")
        return self


class LoginTable(Table):
    """The form of a login."""

    url: Annotated[str, BeforeValidator(_login_page)] = Field(description="the URL of the page with the form")
    fields: Annotated[dict[str, str], BeforeValidator(_form_fields)] = Field(
        description="those to fill in, such as password: ${NAME}"
    )
    sign: SignTable = Field(description="what shows that it worked, such as selector: a.logout")
    form: Selector | None = None
    hosts: Hosts = []

    def made(self) -> Login:
        """Return the login."""
        return Login(self.url, self.fields, self.sign.made(), self.form, tuple(self.hosts))


class DefaultsTable(Table):
    """The fields that sites may share."""

    feeds: FileAddresses = []
    sitemaps: FileAddresses = []
    discover: Sources | None = None
    extractor: Annotated[str, BeforeValidator(_extractor)] | None = None
    sections: SectionsTable = SectionsTable.model_validate({})
    language: Languages = []
    schedule: Annotated[timedelta, BeforeValidator(_schedule)] | None = None
    limits: LimitsTable = LimitsTable()
    join_pages: Answer | None = None
    render: Literal["never", "auto", "always"] | None = None
    enabled: Answer = True


class SiteTable(DefaultsTable):
    """A site: its URL and its other fields."""

    name: Name | None = None
    start: Annotated[Addresses, Field(min_length=1, description="start: https://example.com/")]
    rules: RulesTable | None = None
    test_urls: Addresses = []
    headers: Annotated[dict[str, str], BeforeValidator(_headers)] = {}
    user_agent: Annotated[str, BeforeValidator(_agent)] | None = None
    cookies: Annotated[str, BeforeValidator(_cookies)] | None = None
    login: LoginTable | None = None
    paywall: PaywallTable | None = None

    @property
    def access(self) -> Access | None:
        """The subscription; `None` if there is none."""
        login = self.login.made() if self.login else None
        paywall = self.paywall.made() if self.paywall else None
        return Access(self.headers, self.user_agent, self.cookies, login, paywall) or None

    @model_validator(mode="after")
    def fits(self) -> Self:
        """Raise `ValueError` for a paywall without a subscription."""
        if self.paywall and not self.access:
            raise ValueError("paywall: is of use beside headers, cookies or login only")
        return self

    def made(self) -> Site:
        """Return the site."""
        home, *others = dict.fromkeys(self.start)
        return Site(
            home,
            feeds=tuple(dict.fromkeys(urljoin(home, each) for each in self.feeds)),
            more_starts=tuple(others),
            label=self.name or "",
            sitemaps=tuple(dict.fromkeys(urljoin(home, each) for each in self.sitemaps)),
            discover=frozenset(self.discover) if self.discover else None,
            extractor=self.extractor,
            sections=Sections(tuple(self.sections.only), tuple(self.sections.excluded)),
            languages=tuple(dict.fromkeys(self.language)),
            schedule=self.schedule,
            limits=Limits(**self.limits.model_dump()),
            join_pages=self.join_pages,
            rules=(self.rules.made() or None) if self.rules else None,
            test_urls=tuple(dict.fromkeys(self.test_urls)),
            access=self.access,
            render=self.render,
            enabled=self.enabled,
        )


class FileTable(Table):
    """The file: shared defaults, and the sites, which are checked one by one."""

    defaults: dict[str, Any] = {}
    sites: list[Any] = Field(description="sites: and list them below it, each beginning with -")


def read_sites_file(path: pathlib.Path) -> list[Site]:
    """Return the sites of a file, including those that are not enabled.

    Raises:
        SiteListError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    file = YamlFile(path, SiteListError, MAX_SITES_FILE_BYTES, "; write long lists as .csv")
    table = file.checked(FileTable, _without_empty(file.value), ())
    found: list[tuple[int, Site]] = []
    if table and table.defaults:
        file.checked(DefaultsTable, table.defaults, ("defaults",))
    for index, entry in enumerate(table.sites if table else ()):
        given = {"start": entry} if isinstance(entry, str) else entry
        if not isinstance(given, dict):
            file.note(("sites", index), "is neither a URL nor a table; write https://example.com/, or start: and more")
        elif file.checked(SiteTable, given, ("sites", index)) and table and not file.errors:
            found.append((index, SiteTable.model_validate(_merged(table.defaults, given)).made()))
    _reject_duplicates(file, found)
    file.raise_errors()
    return [site for _, site in found]


def _reject_duplicates(file: YamlFile, sites: list[tuple[int, Site]]) -> None:
    names: dict[str, int] = {}
    hosts: dict[str, int] = {}
    for index, site in sites:
        first = names.setdefault(site.name.casefold(), index)
        shared = [host for host in site.hosts if hosts.setdefault(host, index) != index]
        if first != index:
            line = file.line(("sites", first))
            file.note(("sites", index), f"{site.name!r} is also the name of the site in line {line}; join them")
        elif shared:
            line = file.line(("sites", hosts[shared[0]]))
            file.note(("sites", index), f"the site in line {line} is on {shared[0]} too; join them")


def _without_empty(value: Any) -> Any:
    """Return a value without its empty fields, such as those whose lines are all commented out.

    >>> _without_empty({"limits": {"articles": None}, "sites": ["a", {"feeds": None}]})
    {'limits': {}, 'sites': ['a', {}]}
    """
    if isinstance(value, dict):
        return {name: _without_empty(each) for name, each in value.items() if each is not None}
    return [_without_empty(each) for each in value] if isinstance(value, list) else value


def _merged(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a site with defaults.

    >>> _merged({"limits": {"pages": 9, "delay": 1}, "schedule": "1h"}, {"limits": {"pages": 5}})
    {'limits': {'pages': 5, 'delay': 1}, 'schedule': '1h'}
    """
    merged = {**defaults, **own}
    for name in ("limits", "sections"):
        if name in defaults and name in own:
            merged[name] = {**defaults[name], **own[name]}
    return merged
