"""The tables of `sites.yml` about a subscription. A secret that is written out is refused, and never quoted."""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, model_validator

from newsextract.reading.rules.expressions import BadExpression, check
from newsextract.sites.site_list.site import HAS_USER, has_user, read_address
from newsextract.sites.site_list.yaml_file import STRICT
from newsextract.sites.subscriptions.access import Login, Sign, SignKind
from newsextract.sites.subscriptions.secrets import REFERENCE, names_in

HARMLESS = frozenset(
    ("accept", "accept-language", "cache-control", "dnt", "from", "pragma", "referer", "upgrade-insecure-requests")
)
"""Headers that may be written out; whatever another one holds may be a key."""

OUR_OWN = frozenset(
    (
        "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "if-modified-since",
        "if-none-match", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    )
)  # fmt: skip
"""Headers that the downloader sets."""

ELSEWHERE = {"cookie": "cookies:", "user-agent": "user_agent:"}

FLAGS = frozenset(("", "0", "1", "on", "off", "true", "false", "yes", "no"))
"""Values of a form's fields that may be written out."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")

_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::[0-9]{1,5})?", re.IGNORECASE)
"""A host as in a URL, with its port if that is another than usual; no `*`, which would name hosts of others."""

_SECRETLY = "write ${NAME}, and set NAME in the environment or in the file that NEWSEXTRACT_SECRETS names"


def _text(value: Any, what: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int) or not str(value).isprintable():
        raise ValueError(f"not {what}; write text in one line")  # without the value, which may be secret
    if "$" in str(value) and "{" in REFERENCE.sub("", str(value)):
        raise ValueError("has a ${ that is no name of a secret; a name has letters, digits and _")
    return str(value).strip()


def _table(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"not a table of {what}; write NAME: value")  # noqa: TRY004 - pydantic tells ValueError
    return {str(name): each for name, each in value.items()}


def _headers(value: Any) -> dict[str, str]:
    found = {}
    for name, each in _table(value, "headers").items():
        if not _TOKEN.fullmatch(name):
            raise ValueError("one of its names is not the name of a header, such as X-Api-Key")
        if place := ELSEWHERE.get(name.lower()):
            raise ValueError(f"{name} is not set here but in {place}")
        if name.lower() in OUR_OWN:
            raise ValueError(f"{name} is set by the downloader")
        text = _text(each, f"the value of {name}")
        if name.lower() not in HARMLESS and not names_in(text):
            raise ValueError(f"{name} may be a secret and is not written out here; {_SECRETLY}")
        found[name] = text
    return found


def _fields(value: Any) -> dict[str, str]:
    found = {name: _text(each, f"the value of {name}") for name, each in _table(value, "fields").items()}
    if not found:
        raise ValueError("no field; write those that are filled in, such as password: ${GAZETTE_PASSWORD}")
    for name, text in found.items():
        if text.lower() not in FLAGS and not names_in(text):
            raise ValueError(f"{name} is not written out here; {_SECRETLY}")
    return found


def _agent(value: Any) -> str:
    text = _text(value, "a user agent")
    if not text:
        raise ValueError("empty; write the name of your crawler and a contact")
    return text


def _cookies(value: Any) -> str:
    text = _text(value, "a file of cookies")
    if names_in(text):
        if REFERENCE.fullmatch(text) is None:
            raise ValueError("has more than ${NAME}; write ${NAME} alone, or the path of a file")
    elif not text or "=" in text or ";" in text:
        raise ValueError(f"cookies are not written out here; write the path of a file of cookies, or {_SECRETLY[6:]}")
    return text


def _page(value: Any) -> str:
    if isinstance(value, str) and has_user(value):
        raise ValueError(HAS_USER)
    address = read_address(value) if isinstance(value, str) else None
    if address is None:
        raise ValueError("not a URL; write that of the page with the form, https://example.com/login")
    return address


def _selector(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("not a selector; write CSS or XPath, such as form#login")
    try:
        check(value.strip())
    except BadExpression as error:
        raise ValueError(f"{value!r} {error}") from error
    return value.strip()


class SignTable(BaseModel):
    """One sign."""

    model_config = STRICT

    selector: str | None = None
    text: str | None = None
    cookie: str | None = None

    @model_validator(mode="after")
    def is_one(self) -> Self:
        """Raise `ValueError` unless there is exactly one sign, and it can be looked for."""
        given = {name: value for name, value in self if value}
        if len(given) != 1:
            raise ValueError("write one sign: selector: a.logout, text: Log out, or cookie: NAME")
        if self.selector:
            _selector(self.selector)
        return self

    def made(self) -> Sign:
        """Return the sign."""
        ((name, value),) = ((name, value) for name, value in self if value)
        return Sign(SignKind(name), value)


class WallTable(SignTable):
    """The sign of a wall, which is on the page."""

    @model_validator(mode="after")
    def is_on_page(self) -> Self:
        """Raise `ValueError` for a cookie."""
        if self.cookie:
            raise ValueError("a wall shows on the page; write selector: or text:")
        return self


def _hosts(value: Any) -> tuple[str, ...]:
    hosts = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) and _HOST.fullmatch(each) for each in hosts):
        raise ValueError("not a list of hosts; write their names in full, such as [accounts.example.com]")
    return tuple(each.lower() for each in hosts)


class LoginTable(BaseModel):
    """The form of a login."""

    model_config = STRICT

    url: Annotated[str, BeforeValidator(_page)]
    fields: Annotated[dict[str, str], BeforeValidator(_fields)]
    sign: SignTable
    form: Annotated[str, BeforeValidator(_selector)] | None = None
    hosts: Annotated[tuple[str, ...], BeforeValidator(_hosts)] = ()

    def made(self) -> Login:
        """Return the login."""
        return Login(self.url, self.fields, self.sign.made(), self.form, self.hosts)


Headers = Annotated[dict[str, str], BeforeValidator(_headers)]
UserAgent = Annotated[str, BeforeValidator(_agent)]
CookieSource = Annotated[str, BeforeValidator(_cookies)]
