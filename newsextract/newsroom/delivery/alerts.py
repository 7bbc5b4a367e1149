"""Alerts: what Apprise tells people by mail, chat or push, at once or as a digest by hour, day or week.

What waits for its time waits in the outbox: the position of an alert moves on when its digest was taken. A digest has
the messages up to a fixed moment, so that one that is made once more after a crash says the same. It is told twice only
if the process dies between the service's answer and the note of it in the database.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from sqlalchemy import select

from newsextract.newsroom.delivery.messages import HEADLINE, MATCH, REMOVED, RESTORED, SITE
from newsextract.newsroom.delivery.targets import Away, Target
from newsextract.sites.sites_yaml import Name  # noqa: TC001 - a table's types are looked up
from newsextract.storage.database import make_engine
from newsextract.storage.rows import chunks, moment
from newsextract.storage.schema import articles, story_articles
from newsextract.yaml_files import STRICT, YamlFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsextract.storage.outbox import Letter


_MAX_BYTES = 1 << 20
_DAYS = "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
_MOST_PASSAGES = 3
TEMPLATE = Path(__file__).with_name("digest.html")

logging.getLogger("apprise").setLevel(logging.CRITICAL)  # it would log addresses, which hold passwords


# The file.


class AlertFileError(ValueError):
    """The file of alerts is invalid; the message says where and what would be right, one error per line."""


def _clock(text: str) -> str:
    try:
        time.fromisoformat(text)
    except ValueError:
        raise ValueError('is not a time of day; write "08:00"') from None
    return text


def _quiet(text: str) -> str:
    start, sign, end = text.partition("-")
    if not sign:
        raise ValueError('is not a part of the day; write "22:00-07:00"')
    return f"{_clock(start.strip())}-{_clock(end.strip())}"


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("is not a time zone; write one such as Europe/Paris") from None
    return text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Kind = Literal["match", "removed", "restored", "headline", "site"]


class AlertTable(BaseModel):
    """An alert: what is told, to whom, and when."""

    model_config = STRICT

    name: Name = Field(description="name: and a name of your choice")
    to: Annotated[list[str], BeforeValidator(_listed)] = Field(description="to: and an Apprise URL, such as mailto://…")
    kinds: list[Kind] = ["match", "removed", "restored", "site"]
    rules: list[str] = []
    every: Literal["hour", "day", "week"] | None = None
    at: Annotated[str, AfterValidator(_clock)] = "08:00"
    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = "monday"
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    quiet: Annotated[str, AfterValidator(_quiet)] | None = None
    template: str | None = None


class _FileTable(BaseModel):
    model_config = STRICT

    alerts: list[Any] = Field(description="alerts: and list them below it")


def read_alerts(path: Path, database: str | None = None) -> list[Alert]:
    """Return the alerts of a file, one for each address; `$NAME` in an address is read from the environment.

    Raises:
        AlertFileError: something in it is wrong; addresses are never quoted.
    """
    file = YamlFile(path, AlertFileError, _MAX_BYTES)
    whole = file.checked(_FileTable, file.value, ())
    found: dict[str, Alert] = {}
    for number, entry in enumerate(whole.alerts if whole else ()):
        place = ("alerts", number)
        table = file.checked(AlertTable, entry, place)
        if table is None:
            continue
        template = path.parent / table.template if table.template else TEMPLATE
        if not template.is_file():
            file.note((*place, "template"), f"there is no file {template}")
        for url in table.to:
            try:
                alert = Alert(table, _address(url), template, database)
            except ValueError as error:
                file.note((*place, "to"), str(error))
            else:
                found[alert.name] = alert
    file.raise_errors()
    return list(found.values())


def _address(written: str) -> str:
    """Return an address with its secrets; raises `ValueError` if Apprise does not know such."""
    from apprise import Apprise  # noqa: PLC0415 - an extra, and slow to load

    try:
        url = Template(written).substitute(os.environ)
    except KeyError as error:
        raise ValueError(f"the environment has no {error.args[0]}") from None
    except ValueError:
        raise ValueError("a $ that begins no name is written $$") from None
    if Apprise.instantiate(url, suppress_exceptions=True) is None:
        raise ValueError(
            "Apprise knows no such address; write one as its page on the service says, mailto://…, slack://…"
        )
    return url


# When.


def next_time(table: AlertTable, after: datetime) -> datetime:
    """Return when what has happened then is told: at once, or with the next digest; quiet hours not counted.

    >>> table = AlertTable(name="a", to="json://x", every="day", at="08:00", zone="Europe/Paris")
    >>> next_time(table, datetime(2026, 3, 28, 12, tzinfo=UTC))
    datetime.datetime(2026, 3, 29, 6, 0, tzinfo=datetime.timezone.utc)
    """
    if table.every is None:
        return after
    local, clock = after.astimezone(ZoneInfo(table.zone)), time.fromisoformat(table.at)
    if table.every == "hour":
        found, step = local.replace(minute=clock.minute, second=0, microsecond=0), timedelta(hours=1)
    else:
        found, step = local.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0), timedelta(days=1)
    while found <= local or (table.every == "week" and found.weekday() != _DAYS.index(table.day)):
        found += step  # of the clock on the wall
    return found.astimezone(UTC)


def is_quiet(table: AlertTable, now: datetime) -> bool:
    """Return whether a moment is in the alert's quiet hours, which may go beyond midnight."""
    if table.quiet is None:
        return False
    start, end = map(time.fromisoformat, table.quiet.split("-"))
    clock = now.astimezone(ZoneInfo(table.zone)).time()
    return start <= clock < end if start <= end else clock >= start or clock < end


# What.


@dataclass(frozen=True, slots=True)
class Item:
    """One line of news, as templates get it."""

    headline: str
    url: str
    site: str
    date: str
    """Of publication, or an empty text."""
    passages: Sequence[Mapping[str, Any]] = ()
    """Of a match: each `text` with `marks`, the starts and ends of the hits."""
    note: str = ""


@dataclass(slots=True)
class Story:
    """News that is in one story."""

    first: Item | None
    """The story's first article, if it is none of the items."""
    items: list[Item] = field(default_factory=list)


_TITLES = {REMOVED: "Removed", RESTORED: "Back again", HEADLINE: "New headlines", SITE: "Sites"}


def _section(envelope: Mapping[str, Any]) -> str:
    return str(envelope["match"]["rule"]) if envelope["kind"] == MATCH else _TITLES[envelope["kind"]]


def _item(envelope: Mapping[str, Any]) -> Item:
    kind, site = envelope["kind"], envelope["site"]
    if kind == SITE:
        return Item(site, "", "", envelope["time"][:16], note="; ".join(envelope["problems"]) or "has recovered")
    article, note = envelope["article"], ""
    if kind == REMOVED:
        note = envelope["removal"]["reason"] or ""
    elif kind == HEADLINE:
        note = f"before: {envelope['headline']['before']}"
    passages = envelope["match"]["passages"][:_MOST_PASSAGES] if kind == MATCH else ()
    return Item(
        article["headline"] or "", article["url"] or "", site, (article["datePublished"] or "")[:16], passages, note
    )


class Alert(Target):
    """One address that an alert goes to."""

    most = 500

    def __init__(self, table: AlertTable, url: str, template: Path, database: str | None = None) -> None:
        self.table = table
        self.url = url
        self.template = template
        self.database = database
        short = hashlib.blake2b(url.encode(), digest_size=4).hexdigest()
        self.service = url.partition(":")[0]
        self.name = f"alert {table.name[:200]} {self.service[:30]} {short}"

    def wants(self, kind: str) -> bool:
        """Tell whether it tells of messages of this kind."""
        return kind in self.table.kinds

    def due(self, letters: Sequence[Letter], now: datetime) -> Sequence[Letter]:
        """Return the first letters that it takes now: those that it does not tell of, or those whose time has come."""
        read = [json.loads(letter.payload) for letter in letters]
        first = next((number for number, one in enumerate(read) if self._tells_of(one)), len(read))
        if first:
            return letters[:first]
        latest = next_time(self.table, moment(read[0]["time"]))
        if now < latest or is_quiet(self.table, now):
            return ()
        if self.table.every is None:
            return letters
        return letters[: next((n for n, one in enumerate(read) if moment(one["time"]) > latest), len(read))]

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Tell of all that are given in one message."""
        from apprise import Apprise, NotifyFormat  # noqa: PLC0415 - an extra, and slow to load

        told = [one for one in (json.loads(letter.payload) for letter in letters) if self._tells_of(one)]
        if told:
            title, body = self.written(told)
            service = Apprise()
            service.add(self.url)
            if not service.notify(body=body, title=title, body_format=NotifyFormat.HTML):
                raise Away(f"{self.service} has not taken it")
        return len(letters)

    def written(self, envelopes: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
        """Return the title and the HTML of a message: each section's stories, with their first source."""
        from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415 - an extra

        ids = [one["articleId"] for one in envelopes if one["kind"] != SITE]
        stories = _stories(self.database, ids) if self.database and ids else {}
        sections: dict[str, dict[str, Story]] = {}
        # An article that was found twice by one rule is told once, as it was the last time.
        newest = {(_section(one), one.get("articleId") or one["site"]): one for one in envelopes}
        for (section, key), envelope in newest.items():
            story_id, first = stories.get(key) or (key, None)
            story = sections.setdefault(section, {}).setdefault(story_id, Story(first))
            story.items.append(item := _item(envelope))
            if first is not None and first.url == item.url:
                story.first = None
        title = f"{self.table.name}: {len(newest)} items" if len(newest) > 1 else _alone(*newest.items())
        environment = SandboxedEnvironment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        environment.filters["marked"] = marked
        page = environment.from_string(self.template.read_text("utf-8"))
        listed = {name: list(found.values()) for name, found in sections.items()}
        return title, page.render(title=title, name=self.table.name, sections=listed)

    def _tells_of(self, envelope: Mapping[str, Any]) -> bool:
        """Return whether a message is of this alert's kinds and rules; new headlines have no rules."""
        kind, rules = envelope["kind"], self.table.rules
        if not self.wants(kind):
            return False
        if not rules or kind == SITE:
            return True
        of = [envelope["match"]["rule"]] if kind == MATCH else (envelope.get("removal") or {}).get("rules") or ()
        return not set(rules).isdisjoint(of)


def _stories(database: str, ids: Sequence[str]) -> dict[str, tuple[str, Item]]:
    """Return the story of each article that is in one, with the story's first article."""
    columns = articles.c
    shown = columns.headline, columns.url, columns.site, columns.date_published
    by_date = columns.date_published_utc.is_(None), columns.date_published_utc, columns.date_first_seen
    query = select(story_articles.c.story_id, *shown).join(articles, columns.id == story_articles.c.article_id)
    of: dict[str, str] = {}
    firsts: dict[str, Item] = {}
    engine = make_engine(database)
    try:
        with engine.connect() as connection:
            for some in chunks(sorted(set(ids))):
                linked = select(story_articles.c.article_id, story_articles.c.story_id)
                of |= {
                    row[0]: row[1] for row in connection.execute(linked.where(story_articles.c.article_id.in_(some)))
                }
            wanted = query.where(story_articles.c.story_id.in_(sorted(set(of.values())))).order_by(*by_date)
            for row in connection.execute(wanted).mappings():
                date = (row["date_published"] or "")[:16]
                firsts.setdefault(row["story_id"], Item(row["headline"] or "", row["url"] or "", row["site"], date))
    finally:
        engine.dispose()
    return {key: (story, firsts[story]) for key, story in of.items() if story in firsts}


def _alone(found: tuple[tuple[str, str], Mapping[str, Any]]) -> str:
    (section, _), envelope = found
    return f"{section}: {_item(envelope).headline}"


def marked(passage: Mapping[str, Any]) -> Any:
    """Return the text of a passage as HTML, with its hits marked."""
    from markupsafe import Markup, escape  # noqa: PLC0415 - of the extra

    text, at, parts = passage["text"], 0, []
    for start, end in passage["marks"]:
        parts += [escape(text[at:start]), Markup("<mark>%s</mark>") % text[start:end]]
        at = end
    return Markup("").join([*parts, escape(text[at:])])
