"""Alerts by mail and chat: what they say, when, and that a digest is told once."""

from __future__ import annotations

import email
import json
import threading
from datetime import UTC, datetime, timedelta
from email import policy
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("apprise", reason="alerts need the extra `alerts`")

from newsextract.newsroom.delivery.alerts import AlertFileError, AlertTable, is_quiet, next_time, read_alerts
from newsextract.newsroom.delivery.messages import site_message
from newsextract.newsroom.delivery.sending import Sender
from newsextract.newsroom.watch import RuleIndex, match_changes, read_rules
from newsextract.storage.database import writing
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.outbox import Letter, add, letters_after
from newsextract.storage.stories import link_stories
from tests.newsroom.delivery.messages import article, put

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from newsextract.newsroom.delivery.alerts import Alert
    from newsextract.storage.revisions import Change
    from tests.article_store import ArticleStore

TEXT = "The mayor opened the new bridge over the river, and <b>thousands</b> came. " * 12


class Mail(StreamRequestHandler):
    """Takes one mail by SMTP."""

    def handle(self) -> None:
        def say(line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        say("220 mail.example")
        while words := self.rfile.readline().split():
            verb = words[0].upper()
            if verb == b"DATA":
                say("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.mails.append(email.message_from_bytes(b"".join(lines), policy=policy.default))  # type: ignore[attr-defined]
            say("221 bye" if verb == b"QUIT" else "250 ok")


@pytest.fixture
def mails() -> Iterator[tuple[str, list[Any]]]:
    """The Apprise URL of a mail server, and what it got."""
    server = ThreadingTCPServer(("127.0.0.1", 0), Mail)
    server.mails = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    yield f"mailto://127.0.0.1:{port}?from=desk@news.example&to=me@news.example&mode=insecure", server.mails  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()


def alerts(folder: Path, written: str, database: str | None = None) -> list[Alert]:
    path = folder / "alerts.yml"
    path.write_text(f"alerts:\n{written}")
    return read_alerts(path, database)


def fill(engine: Engine, folder: Path) -> None:
    """Store two copies that a rule finds, and the news of a site."""
    (folder / "watch.yml").write_text("watches:\n  - {name: bridges, query: bridge}\n")
    index = RuleIndex(read_rules(folder / "watch.yml"))
    first = article(1, TEXT, datePublished="2026-05-20T07:00:00+00:00")
    copy = article(2, TEXT, datePublished="2026-05-20T08:00:00+00:00")

    def watch(connection: Connection, changes: Sequence[Change]) -> None:
        link_stories(connection, changes)
        match_changes(connection, index, changes)

    put(engine, [first, copy], watch)
    with writing(engine) as connection:
        add(connection, [site_message("c.example", "run", ["silent: nothing new for 9 days"])])


def send(engine: Engine, alert: Alert) -> tuple[int, int]:
    """Send what is due; return how many messages were delivered, and are left or wait."""
    sender = Sender(alert, DatabaseThread(engine))
    sender.start()
    sender.finish(30)
    assert sender.join(40)
    return sender.counts["delivered"], sender.left()


def test_a_mail_has_matches_by_rule_and_story_and_sites_and_is_sent_once(
    store: ArticleStore, tmp_path: Path, mails: tuple[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, got = mails
    monkeypatch.setenv("DESK_MAIL", url)
    database = store.engine.url.render_as_string(hide_password=False)
    (alert,) = alerts(tmp_path, "  - name: Desk\n    to: $DESK_MAIL\n", database)
    send(store.engine, alert)  # which makes it known: it gets what is new from then on
    fill(store.engine, tmp_path)
    assert send(store.engine, alert) == (3, 0)
    assert send(store.engine, alert) == (0, 0)
    (mail,) = got
    assert mail["subject"] == "Desk: 3 items"
    page, text = mail.get_body(("html",)).get_content(), mail.get_body(("plain",)).get_content()
    assert page.count("<h2") == 2
    assert page.index("bridges") < page.index("Bridge 1") < page.index("Sites") < page.index("silent: nothing new")
    assert "new <mark>bridge</mark> over" in page
    assert "&lt;b&gt;thousands" in page or "<b>thousands" not in page
    assert "Bridge 2" in text


def test_a_digest_waits_for_its_time_and_has_the_same_messages_whenever_it_is_made(
    store: ArticleStore, tmp_path: Path
) -> None:
    fill(store.engine, tmp_path)
    with store.engine.connect() as connection:
        letters = [one for one in letters_after(connection, 0, 100) if one.kind in ("match", "site")]
    moments = [datetime(2026, 5, 20, hour, tzinfo=UTC) for hour in (7, 9, 23)]
    timed = [
        Letter(each.position, each.id, each.kind, json.dumps(json.loads(each.payload) | {"time": at.isoformat()}))
        for each, at in zip(letters, moments, strict=True)
    ]
    (alert,) = alerts(
        tmp_path, "  - {name: d, to: 'json://127.0.0.1', every: day, at: '22:00', quiet: '23:00-07:00'}\n"
    )
    assert alert.due(timed, datetime(2026, 5, 20, 21, tzinfo=UTC)) == ()
    for later in (datetime(2026, 5, 20, 22, 30, tzinfo=UTC), datetime(2026, 5, 22, 12, tzinfo=UTC)):
        assert list(alert.due(timed, later)) == timed[:2]
    assert alert.due(timed, datetime(2026, 5, 20, 23, 30, tzinfo=UTC)) == ()  # quiet
    (other,) = alerts(tmp_path, "  - {name: d, to: 'json://127.0.0.1', rules: [roads], kinds: [match]}\n")
    assert len(other.due(timed, moments[0])) == 3  # none is of its rules: it is done with them
    assert other.deliver(timed) == 3  # and nothing is sent: no server is there


def test_what_waits_for_its_time_is_not_left(store: ArticleStore, tmp_path: Path) -> None:
    (alert,) = alerts(tmp_path, "  - {name: d, to: 'json://127.0.0.1:9', every: week}\n")
    sender = Sender(alert, DatabaseThread(store.engine))
    send(store.engine, alert)
    fill(store.engine, tmp_path)
    sender.start()
    sender.finish(30)
    assert sender.join(40)
    assert (sender.is_waiting, sender.counts["outages"], sender.left() > 0) == (True, 0, True)


def test_times_are_those_of_the_clock_on_the_wall() -> None:
    weekly = AlertTable(name="w", to=["json://x"], every="week", day="monday", at="08:30", zone="Europe/Paris")
    assert next_time(weekly, datetime(2026, 10, 24, 12, tzinfo=UTC)) == datetime(2026, 10, 26, 7, 30, tzinfo=UTC)
    hourly = AlertTable(name="h", to=["json://x"], every="hour", at="00:15")
    assert next_time(hourly, datetime(2026, 5, 20, 9, 15, tzinfo=UTC)) == datetime(2026, 5, 20, 10, 15, tzinfo=UTC)
    quiet = AlertTable(name="q", to=["json://x"], quiet="22:00-07:00", zone="Europe/Paris")
    midnight = datetime(2026, 5, 20, 22, tzinfo=UTC)
    assert [is_quiet(quiet, midnight + timedelta(hours=hours)) for hours in (-3, 0, 4, 8)] == [False, True, True, False]


@pytest.mark.parametrize(("written", "told"), [
    (
        "  - {name: d, to: 'nosuch://secret@host'}\n",
        "line 2, column 15, alerts[0].to: Apprise knows no such address",
    ),
    ("  - {name: d, to: $NO_SUCH_NAME}\n", "the environment has no NO_SUCH_NAME"),
    ("  - {name: d, to: 'json://x', quiet: 22h}\n", 'is not a part of the day; write "22:00-07:00"'),
    ("  - {name: d, to: 'json://x', zone: Mars/Base}\n", "write one such as Europe/Paris"),
    ("  - {name: d, to: 'json://x', template: no.html}\n", "there is no file"),
    ("  - {name: d, to: 'json://x', evry: day}\n", "evry"),
])  # fmt: skip
def test_a_file_that_cannot_work_says_where_and_what_would_be_right(tmp_path: Path, written: str, told: str) -> None:
    with pytest.raises(AlertFileError) as error:
        alerts(tmp_path, written)
    assert told in str(error.value)
    assert "secret" not in str(error.value)


def test_a_template_of_ones_own_is_used_and_can_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "own.html").write_text("{{ name }}: {{ sections | length }} {{ ''.__class__ }}")
    (alert,) = alerts(tmp_path, "  - {name: d, to: 'json://x', template: own.html}\n")
    message = json.loads(site_message("c.example", "run", []).payload)
    title, page = alert.written([message])
    assert (title, page.strip()) == ("Sites: c.example", "d: 1")
