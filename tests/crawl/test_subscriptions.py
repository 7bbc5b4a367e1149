"""Sites that are read with a subscription: logging in, sessions that end, and secrets that are left nowhere."""

from __future__ import annotations

import asyncio
import base64
import gzip
import html as markup
import json
import logging
from contextlib import ExitStack
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, quote_plus

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from newsextract.crawl.sessions import LoginFailed, Session, SubscriptionHeaders, filled_form, shows
from newsextract.crawl.subscription import HiddenValues, Subscription
from newsextract.reading.notices import NoticeCode
from newsextract.sites.site import Site
from newsextract.sites.subscriptions import Access, Login, Secrets, Sign, SignKind
from newsextract.terminal import CleanLog
from tests.crawl.members_site import PATHS, WALL, MembersSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scrapy.http import Response

    from newsextract.crawl.sessions import Subscriptions
    from tests.scrapy_runs import Run, Scrapy


ENDS = ("wall", "login", "403")
KEY = "k3y-that-nobody-may-see"
SECRETS = {"NEWS_MAIL": "jane.reader@example.com", "NEWS_WORD": "correct horse/battery+staple", "NEWS_KEY": KEY}
LOGIN = """
    login:
      url: {home}login
      fields: {{email: "${{NEWS_MAIL}}", password: "${{NEWS_WORD}}"}}
      sign: {sign}
"""


@pytest.fixture
def members() -> Iterator[Callable[..., MembersSite]]:
    with ExitStack() as stack:

        def serve(host: str = "127.0.0.1") -> MembersSite:
            site = stack.enter_context(MembersSite(host))
            Thread(target=site.serve_forever, args=(0.02,), daemon=True).start()
            stack.callback(site.shutdown)
            return site

        yield serve


def written(
    folder: Path, sites: MembersSite | list[MembersSite], more: str = "", sign: str = "{selector: a.logout}"
) -> str:
    """Write a list of sites with their logins; return its path."""
    path = folder / "sites.yml"
    entries = (
        f"  - start: {site.home}\n    discover: links{LOGIN.format(home=site.home, sign=sign)}{more}"
        for site in (sites if isinstance(sites, list) else [sites])
    )
    path.write_text("sites:\n" + "".join(entries))
    return str(path)


def whole(run: Run) -> int:
    """Return how many articles were read in full."""
    return sum("Part 7 of the long story" in (line["articleBody"] or "") for line in run.lines)


def places_of(values: list[str], run: Run) -> list[tuple[str, str]]:
    """Return the files and outputs of a run that have one of the values in any form."""
    found = {str(path.relative_to(run.folder)): path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    found |= {name: gzip.decompress(content) for name, content in found.items() if name.endswith(".gz")}
    found |= {"standard output": run.out.encode(), "standard error": run.err.encode()}
    forms = {form for value in values for form in forms_of(value)}
    return [(name, form.decode()) for name, text in found.items() for form in forms if form in text]


def forms_of(value: str) -> set[bytes]:
    texts = {value, quote(value), quote(value, safe=""), quote_plus(value), markup.escape(value)}
    return {each.encode() for each in texts}


def test_a_session_that_ends_in_mid_crawl_is_opened_again(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    sites = [members() for _ in ENDS]
    for site, end in zip(sites, ENDS, strict=True):
        site.rules.lasts, site.rules.end = 8, end
    run = crawl(tmp_path, written(tmp_path, sites, f'    paywall: {{text: "{WALL}"}}\n'), **SECRETS)
    assert whole(run) == len(sites) * len(PATHS) == run.states["article"]
    assert run.stats["newsextract/subscriptions/logins"] == 2 * len(sites)
    assert run.stats["newsextract/subscriptions/retried"] >= len(sites)
    assert run.stats["newsextract/subscriptions/pages"] == len(sites) * (len(PATHS) + 1)
    assert run.stats["newsextract/subscriptions/ended"] == len(sites)
    assert "newsextract/subscriptions/refused" not in run.stats
    for site in sites:
        assert f"site {site.name}: the session ended, and a login opened it again: " in run.out
        assert len(site.asked("/session", "POST")) == 2
    assert all(NoticeCode.WITH_SUBSCRIPTION in line["extraction"]["warnings"] for line in run.lines)
    assert run.adds_up()


def test_a_login_that_fails_is_told_and_the_site_is_read_without_it(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    site = members()
    site.rules.password = "another"
    run = crawl(tmp_path, written(tmp_path, site), **SECRETS)
    assert f"site {site.name}: subscription: the login failed: http 403 after the form was sent" in run.out
    assert len(site.asked("/session", "POST")) == 1
    assert whole(run) == 0
    assert run.lines
    assert not any(NoticeCode.WITH_SUBSCRIPTION in line["extraction"]["warnings"] for line in run.lines)
    assert all("Cookie" not in each.headers for each in site.log if each.path in PATHS)


def test_a_login_whose_connection_is_lost_is_tried_again(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    site = members()
    site.rules.lost_forms = 1
    run = crawl(tmp_path, written(tmp_path, site), "-a", "limit=2", **SECRETS)
    assert whole(run) == len(run.lines) == 2
    assert "newsextract/subscriptions/failed" not in run.stats
    assert len(site.asked("/session", "POST")) == 2


def test_sessions_that_keep_ending_are_opened_three_times_at_most(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    site = members()
    site.rules.lasts = 0
    run = crawl(
        tmp_path, written(tmp_path, site, f'    paywall: {{text: "{WALL}"}}\n', sign="{cookie: member}"), **SECRETS
    )
    assert len(site.asked("/session", "POST")) <= 3
    # Which of the two comes first depends on how many pages are under way when a session ends.
    assert any(f"newsextract/subscriptions/{name}" in run.stats for name in ("refused", "failed"))
    assert "subscription: " in run.out


def test_nothing_goes_to_another_host(crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path) -> None:
    site, other = members(), members("127.0.0.2")
    site.rules.moves = {PATHS[0]: f"{other.home}landing", PATHS[1]: f"{other.home.rstrip('/')}{PATHS[1]}"}
    more = '    headers: {X-Key: "${NEWS_KEY}", Accept-Language: fr}\n    user_agent: our-reader/1\n'
    run = crawl(tmp_path, written(tmp_path, site, more), **SECRETS)
    assert whole(run) == len(PATHS) - 2
    assert {each.headers["X-Key"] for each in site.log} == {KEY}
    assert {each.headers["User-Agent"] for each in site.log} == {"our-reader/1"}
    told = "".join(f"{each.path}{each.headers}{each.body}" for each in other.log)
    assert not any(value in told for value in (*SECRETS.values(), *site.issued, "our-reader"))


def test_a_login_on_another_host_is_sent_if_it_is_named(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    named, unnamed = members(), members()
    accounts, others = members("127.0.0.2"), members("127.0.0.2")
    for site, to in ((named, accounts), (unnamed, others)):
        site.rules.moves = {"/login": f"{to.home}login"}
    run = crawl(tmp_path, written(tmp_path, [unnamed, named], f"      hosts: [{accounts.name}]\n"), **SECRETS)
    assert [len(each.asked("/session", "POST")) for each in (accounts, others)] == [1, 0]
    assert run.stats["newsextract/subscriptions/logins"] == 1
    assert f"leads to {accounts.home.rstrip('/')}, which gets nothing" not in run.out
    assert f"leads to {others.home.rstrip('/')}, which gets nothing" in run.out
    assert all("Cookie" not in each.headers for site in (named, unnamed) for each in site.log)


def test_no_file_of_a_crawl_has_a_secret(
    crawl: Scrapy, scrapy: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    site, other = members(), members("127.0.0.2")
    site.rules.lasts, site.rules.moves = 6, {PATHS[0]: f"{other.home}landing"}
    more = f'    headers: {{X-Key: "${{NEWS_KEY}}"}}\n    paywall: {{text: "{WALL}"}}\n'
    options = ("LOG_LEVEL=DEBUG", "LOG_FILE=crawl.log", "NEWSEXTRACT_WARC=warc", "COOKIES_DEBUG=1",
               "HTTPCACHE_ENABLED=1", "HTTPCACHE_DIR=cache", "NEWSEXTRACT_WORKERS=1", "NEWSEXTRACT_ATOM=atom",
               "NEWSEXTRACT_PROMETHEUS=news.prom", "NEWSEXTRACT_MESSAGES=messages.jsonl")  # fmt: skip
    given = [part for each in options for part in ("-s", each)]
    cached = tmp_path / "cache"
    run = crawl(tmp_path, written(tmp_path, site, more), *given, "-s", f"HTTPCACHE_DIR={cached}", **SECRETS)
    assert run.stats["newsextract/subscriptions/logins"] == 2
    assert any((tmp_path / "warc").iterdir())
    assert "Crawled (200) <POST" not in (tmp_path / "crawl.log").read_text()
    assert "Crawled (302) <POST" in (tmp_path / "crawl.log").read_text()
    assert all((tmp_path / name).exists() for name in ("news.prom", "messages.jsonl", "atom"))
    assert places_of([*SECRETS.values(), *site.issued], run) == []
    sites = str(tmp_path / "sites.yml")
    for command in (("health", "--json"), ("search", "bridge"), ("doctor", "--sites", str(sites))):
        assert places_of([*SECRETS.values(), *site.issued], scrapy(tmp_path, *command, **SECRETS)) == []


def test_a_session_that_was_replaced_stays_hidden_in_pages_and_in_errors(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    site = members()
    site.rules.rotates = True
    run = crawl(tmp_path, written(tmp_path, site), "-s", "LOG_LEVEL=DEBUG", **SECRETS)
    assert "Your session was ***, as we tell you here." in run.lines[-1]["articleBody"]
    assert "Gave up retrying" in run.err
    assert places_of([*SECRETS.values(), *site.issued], run) == []


def test_a_crawl_that_is_stopped_leaves_no_secret_in_its_queue(
    crawl: Scrapy, members: Callable[..., MembersSite], tmp_path: Path
) -> None:
    site = members()
    # Articles that are tried again are put into the queue after they have been sent with their secrets.
    site.rules.busy_articles = 4
    more = '    headers: {X-Key: "${NEWS_KEY}"}\n    user_agent: "reader/${NEWS_KEY}"\n'
    options = ("JOBDIR=job", "NEWSEXTRACT_DATABASE=", "CLOSESPIDER_PAGECOUNT=8", "LOG_LEVEL=DEBUG",
               "CONCURRENT_REQUESTS=1", "RETRY_TIMES=2", "LOG_FILE=crawl.log")  # fmt: skip
    given = [part for each in options for part in ("-s", each)]
    run = crawl(tmp_path, written(tmp_path, site, more), *given, **SECRETS)
    assert run.stats["finish_reason"] == "closespider_pagecount"
    queued = b"".join(each.read_bytes() for each in (tmp_path / "job").rglob("*") if each.is_file())
    assert b"newsextract_visit" in queued
    assert b"retry_times" in queued
    assert b"X-Key" not in queued
    assert places_of([*SECRETS.values(), *site.issued], run) == []


def test_a_secret_that_cannot_be_had_stops_the_crawl_before_it_starts(crawl: Scrapy, tmp_path: Path) -> None:
    opened = tmp_path / "open.env"
    opened.write_text("NEWS_WORD=hush-hush\n")
    opened.chmod(0o644)
    (tmp_path / "sites.yml").write_text(
        'sites:\n- start: https://a.example/\n  headers: {Authorization: "Basic ${NEWS_WORD}"}\n'
    )
    for settings, told in (
        ((), "${NEWS_WORD} is not set; set NEWS_WORD in the environment"),
        (("-s", "NEWSEXTRACT_SECRETS=open.env"), "run chmod 600 open.env"),
    ):
        run = crawl(tmp_path, "sites.yml", *settings)
        assert run.code == 2
        assert told in run.err
        assert "hush-hush" not in run.err + run.out


HOST_SECRETS = Secrets({"KEY": "k3y-of-ours", "WORD": "pass word"})
HOST_LOGIN = Login("https://accounts.b.example/in", {"p": "${WORD}"}, Sign(SignKind.COOKIE, "sid"))
ACCESS = Access({"X-Key": "${KEY}"}, "ours/1", "${COOKIES}", HOST_LOGIN)


def subscription(home: str, access: Access = ACCESS) -> Subscription:
    secrets = Secrets({**HOST_SECRETS.environment, "COOKIES": "seen=1; sid=0123456789abcdef0"})
    return Subscription(Site(home, access=access), access, secrets)


@pytest.mark.parametrize(("url", "names"), [
    ("https://www.a.example/1", {"User-Agent", "X-Key", "Cookie"}),
    ("https://a.example/1", {"User-Agent", "X-Key"}),
    ("https://sport.a.example/1", {"User-Agent"}),
    ("http://www.a.example/1", {"User-Agent"}),
    ("https://www.a.example:8443/1", set()),
    ("https://www.a.example.evil.example/1", set()),
    ("https://nota.example/1", set()),
    ("https://accounts.b.example/in", set()),
    ("https://b.example/", set()),
])  # fmt: skip
def test_a_host_gets_what_is_meant_for_it(url: str, names: set[str]) -> None:
    assert subscription("https://www.a.example/").headers_for(url).keys() == names


def test_plain_http_gets_it_where_the_start_page_is_plain_http() -> None:
    own = subscription("http://www.a.example/")
    assert own.headers_for("http://www.a.example/1")["X-Key"] == "k3y-of-ours"
    assert own.headers_for("https://www.a.example/1")["X-Key"] == "k3y-of-ours"
    assert "X-Key" not in own.headers_for("http://sport.a.example/1")


def test_cookies_of_a_host_stay_with_it() -> None:
    own = subscription("https://a.example/", Access(login=HOST_LOGIN))
    for host, cookie in (("a.example", "one=1"), ("accounts.b.example", "two=2; Domain=b.example")):
        asked = Request(f"https://{host}/")
        own.take_cookies(HtmlResponse(asked.url, headers={"Set-Cookie": cookie}), asked)
    evil = Request("https://c.example/")
    own.take_cookies(HtmlResponse(evil.url, headers={"Set-Cookie": "three=3; Domain=a.example"}), evil)
    found = {host: own.headers_for(f"https://{host}/") for host in ("a.example", "accounts.b.example", "b.example")}
    assert found == {"a.example": {"Cookie": "one=1"}, "accounts.b.example": {"Cookie": "two=2"}, "b.example": {}}
    own.forget_session()
    assert own.headers_for("https://a.example/") == {}


@pytest.mark.parametrize(("url", "may"), [
    ("https://sso.c.example/in", True), ("https://sso.c.example:8443/in", False),
    ("https://c.example/in", False), ("https://x.sso.c.example/in", False), ("http://sso.c.example/in", False),
])  # fmt: skip
def test_a_login_may_pass_the_hosts_that_it_names(url: str, may: bool) -> None:
    own = subscription(
        "https://a.example/", Access({"X-Key": "${KEY}"}, login=replace(HOST_LOGIN, hosts=("sso.c.example",)))
    )
    assert own.is_trusted(url) is may
    assert own.headers_for(url) == {}


def page(body: str) -> HtmlResponse:
    return HtmlResponse("https://a.example/in", body=f"<body>{body}</body>".encode(), encoding="utf-8")


def test_a_form_keeps_its_hidden_fields_and_names_its_button() -> None:
    body = """<form action=/find><input name=q></form>
    <form action="go" method=POST><input type=hidden name=csrf value="a&amp;b"><input name=mail value=x>
    <input type=password name=p><input type=checkbox name=stay value=1><button name=do value=in>Go</button></form>"""
    form = filled_form(page(body), {"mail": "me@a.example", "p": "é &"}, None)
    assert form.url == "https://a.example/go"
    assert sorted(form.body.split(b"&")) == [b"csrf=a%26b", b"do=in", b"mail=me%40a.example", b"p=%C3%A9+%26"]


@pytest.mark.parametrize(("body", "told"), [
    ("<p>no form</p>", "no form: it may need JavaScript"),
    ("<form method=post><input name=q></form>", "no form of the login page has the fields p"),
    ("<form><input name=p></form>", "sends its fields in the URL"),
])  # fmt: skip
def test_a_form_that_cannot_be_sent_says_why(body: str, told: str) -> None:
    with pytest.raises(LoginFailed, match=told):
        filled_form(page(body), {"p": "hush"}, None)


def test_secrets_that_a_server_sends_back_are_hidden() -> None:
    hidden = HiddenValues(frozenset({"pass word/1", "fr"}))
    body = "<p lang=fr>pass word/1 pass%20word%2F1 pass+word%2F1</p>"
    assert hidden.without(body.encode()) == b"<p lang=fr>*** *** ***</p>"
    answer = HtmlResponse("https://a.example/", headers={"Set-Cookie": "a=1", "X-Who": "pass word/1"}, body=b"x")
    shown = hidden.hide_in(answer)
    assert (list(shown.headers), shown.headers["X-Who"], shown.body) == ([b"X-Who"], b"***", b"x")


HARD = "Jane+é @b.example/'<\\"
"""A secret whose characters are written in another way nearly everywhere."""


@pytest.mark.parametrize("form", [
    HARD.upper().replace("É", "é").encode(),
    json.dumps(HARD)[1:-1].encode(),
    json.dumps(HARD).replace("/", "\\/")[1:-1].encode(),
    rb"Jane\u002B\u00E9\u0020\u0040b.example\u002F\u0027\u003C\u005C",
    markup.escape(HARD).encode(),
    b"Jane&plus;&eacute;&#32;&commat;b.example&sol;&#x00027;&lt;&bsol;",
    HARD.encode("ascii", "xmlcharrefreplace").replace(b"@", b"&#64;"),
    quote(HARD, safe="").lower().encode(),
    quote_plus(HARD).encode(),
])  # fmt: skip
def test_secrets_are_hidden_plain_escaped_and_quoted(form: bytes) -> None:
    hidden = HiddenValues(frozenset({HARD}))
    assert hidden.without(b"<p>" + form + b"</p>") == b"<p>***</p>"


def test_the_log_has_no_secret_whoever_writes_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(CleanLog(subscription("https://www.a.example/").hidden.without_in))
    try:
        int("k3y-of-ours")
    except ValueError:
        logging.getLogger("a.library").exception("with %s", "k3y-of-ours")
    assert "with ***" in caplog.text
    assert "base 10: '***'" in caplog.text
    assert "k3y" not in caplog.text


def test_secrets_in_one_another_are_hidden_whole() -> None:
    hidden = HiddenValues(frozenset({"jane@b.example", "b.example/key", "b.exam"}))
    assert hidden.without(b"jane@b.example/key, b.exam, b.exa") == b"***, ***, b.exa"
    body = b"nothing of it"
    assert hidden.without(body) is body


def test_what_basic_authentication_holds_is_hidden() -> None:
    secrets = Secrets({"BASIC": base64.b64encode(b"jane:hush-hush").decode()})
    access = Access({"Authorization": "Basic ${BASIC}"})
    hidden = Subscription(Site("https://a.example/", access=access), access, secrets).hidden
    assert hidden.without(b"hush-hush amFuZTpodXNoLWh1c2g=") == b"*** ***"


class Known:
    """The subscriptions of a crawl that has one."""

    def __init__(self) -> None:
        self.session = Session(subscription("https://www.a.example/"), never)

    def of(self, _: Request) -> Session:
        return self.session


async def never(_: Request) -> Response:
    raise AssertionError("nothing is fetched")


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_request_has_secrets_only_while_it_is_sent(is_answered: bool) -> None:
    middleware = SubscriptionHeaders(cast("Subscriptions", Known()))
    request = Request("https://www.a.example/1", headers={"User-Agent": "usual", "Accept": "*/*"})
    before = dict(request.headers)
    middleware.process_request(request)
    assert (request.headers["X-Key"], request.headers["User-Agent"]) == (b"k3y-of-ours", b"ours/1")
    if is_answered:
        answer = HtmlResponse(request.url, headers={"Set-Cookie": "a=1"}, body=b"k3y-of-ours")
        answer = cast("HtmlResponse", asyncio.run(middleware.process_response(request, answer)))
        assert (answer.body, list(answer.headers), answer.flags) == (b"***", [], ["subscription"])
    else:
        middleware.process_exception(request, exception=OSError())
    assert dict(request.headers) == before
    assert "k3y" not in repr(request.to_dict())


def test_a_browser_gets_cookies_and_no_other_secret() -> None:
    own = subscription(
        "https://www.a.example/", Access({"X-Key": "${KEY}", "Accept-Language": "fr"}, "ours/${KEY}", "${COOKIES}")
    )
    assert set(own.headers_for("https://www.a.example/1")) == {"X-Key", "Accept-Language", "User-Agent", "Cookie"}
    assert set(own.headers_in_browser("https://www.a.example/1")) == {"Accept-Language", "Cookie"}


def test_a_form_that_is_sent_to_what_is_no_url_is_a_reason() -> None:
    with pytest.raises(LoginFailed, match="no URL"):
        filled_form(page('<form method=post action="http://[x/"><input name=p></form>'), {"p": "hush"}, None)


# The signs that a page shows to a subscriber, or to anybody else.


def _page(inside: str) -> HtmlResponse:
    return HtmlResponse("https://a.example/1", body=f"<body>{inside}</body>".encode(), encoding="utf-8")


@pytest.mark.parametrize("selector", ["a.out", "//a[@class='out']", "//a[@class='out']/text()"])
def test_a_selector_is_looked_for_on_the_page(selector: str) -> None:
    sign = Sign(SignKind.SELECTOR, selector)
    assert shows(sign, _page("<a class='out'>Log out</a>"))
    assert not shows(sign, _page("<a class='in'>Log in</a>"))
