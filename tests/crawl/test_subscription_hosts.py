"""Which host gets what of a subscription."""

from __future__ import annotations

import asyncio
import base64
import html as markup
import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, quote_plus

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from newsextract.crawl.sessions import LoginFailed, Session, SubscriptionHeaders, filled_form, shows
from newsextract.crawl.subscription import HiddenValues, Subscription
from newsextract.sites.site import Site
from newsextract.sites.subscriptions import Access, Login, Secrets, Sign, SignKind
from newsextract.terminal import CleanLog

if TYPE_CHECKING:
    from scrapy.http import Response

    from newsextract.crawl.sessions import Subscriptions


SECRETS = Secrets({"KEY": "k3y-of-ours", "WORD": "pass word"})
LOGIN = Login("https://accounts.b.example/in", {"p": "${WORD}"}, Sign(SignKind.COOKIE, "sid"))
ACCESS = Access({"X-Key": "${KEY}"}, "ours/1", "${COOKIES}", LOGIN)


def subscription(home: str, access: Access = ACCESS) -> Subscription:
    secrets = Secrets({**SECRETS.environment, "COOKIES": "seen=1; sid=0123456789abcdef0"})
    return Subscription(Site(home, access=access), access, secrets)


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://www.a.example/1", {"User-Agent", "X-Key", "Cookie"}),
        ("https://a.example/1", {"User-Agent", "X-Key"}),
        ("https://sport.a.example/1", {"User-Agent"}),
        ("http://www.a.example/1", {"User-Agent"}),
        ("https://www.a.example:8443/1", set()),
        ("https://www.a.example.evil.example/1", set()),
        ("https://nota.example/1", set()),
        ("https://accounts.b.example/in", set()),
        ("https://b.example/", set()),
    ],
)
def test_a_host_gets_what_is_meant_for_it(url: str, names: set[str]) -> None:
    assert subscription("https://www.a.example/").headers_for(url).keys() == names


def test_plain_http_gets_it_where_the_start_page_is_plain_http() -> None:
    own = subscription("http://www.a.example/")
    assert own.headers_for("http://www.a.example/1")["X-Key"] == "k3y-of-ours"
    assert own.headers_for("https://www.a.example/1")["X-Key"] == "k3y-of-ours"
    assert "X-Key" not in own.headers_for("http://sport.a.example/1")


def test_cookies_of_a_host_stay_with_it() -> None:
    own = subscription("https://a.example/", Access(login=LOGIN))
    for host, cookie in (("a.example", "one=1"), ("accounts.b.example", "two=2; Domain=b.example")):
        asked = Request(f"https://{host}/")
        own.take_cookies(HtmlResponse(asked.url, headers={"Set-Cookie": cookie}), asked)
    evil = Request("https://c.example/")
    own.take_cookies(HtmlResponse(evil.url, headers={"Set-Cookie": "three=3; Domain=a.example"}), evil)
    found = {host: own.headers_for(f"https://{host}/") for host in ("a.example", "accounts.b.example", "b.example")}
    assert found == {"a.example": {"Cookie": "one=1"}, "accounts.b.example": {"Cookie": "two=2"}, "b.example": {}}
    own.forget_session()
    assert own.headers_for("https://a.example/") == {}


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://sso.c.example/in", True), ("https://sso.c.example:8443/in", False),
        ("https://c.example/in", False), ("https://x.sso.c.example/in", False), ("http://sso.c.example/in", False),
    ],
)  # fmt: skip
def test_a_login_may_pass_the_hosts_that_it_names(url: str, may: bool) -> None:
    own = subscription(
        "https://a.example/", Access({"X-Key": "${KEY}"}, login=replace(LOGIN, hosts=("sso.c.example",)))
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


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<p>no form</p>", "no form: it may need JavaScript"),
        ("<form method=post><input name=q></form>", "no form of the login page has the fields p"),
        ("<form><input name=p></form>", "sends its fields in the URL"),
    ],
)
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


@pytest.mark.parametrize(
    "form",
    [
        HARD.upper().replace("É", "é").encode(),
        json.dumps(HARD)[1:-1].encode(),
        json.dumps(HARD).replace("/", "\\/")[1:-1].encode(),
        rb"Jane\u002B\u00E9\u0020\u0040b.example\u002F\u0027\u003C\u005C",
        markup.escape(HARD).encode(),
        b"Jane&plus;&eacute;&#32;&commat;b.example&sol;&#x00027;&lt;&bsol;",
        HARD.encode("ascii", "xmlcharrefreplace").replace(b"@", b"&#64;"),
        quote(HARD, safe="").lower().encode(),
        quote_plus(HARD).encode(),
    ],
)
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
