"""How a site is read by those who may: headers, cookies and a login, with the names of secrets in place of secrets."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from newsextract.sites.subscriptions.secrets import names_in

if TYPE_CHECKING:
    from collections.abc import Mapping


class SignKind(StrEnum):
    """Where a sign is looked for."""

    SELECTOR = "selector"
    """A CSS selector or XPath that finds something on the page."""
    TEXT = "text"
    """A text on the page."""
    COOKIE = "cookie"
    """The name of a cookie that the site has set."""


@dataclass(frozen=True, slots=True)
class Sign:
    """What a page, or a site's cookies, show."""

    kind: SignKind
    value: str


@dataclass(frozen=True, slots=True)
class Login:
    """The form of a site's login."""

    url: str
    fields: Mapping[str, str] = field(hash=False)
    """The fields that are filled in; the others keep what the form has in them."""
    sign: Sign
    """What shows that it worked."""
    form: str | None = None
    """Finds the form, if it is not the first that has all of the fields."""
    hosts: tuple[str, ...] = ()
    """Other hosts that the login may pass, such as that of the publisher's accounts: they may get the fields."""


@dataclass(frozen=True, slots=True)
class Access:
    """What is sent to a site besides usual requests; its texts may hold `${NAME}`, and no secret."""

    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    user_agent: str | None = None
    cookies: str | None = None
    """A reference to the text of a Cookie header, or the path of a file."""
    login: Login | None = None
    paywall: Sign | None = None
    """What a page shows to those who have no subscription."""

    def __bool__(self) -> bool:
        return bool(self.headers or self.user_agent or self.cookies or self.login)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the secrets that are needed, each once."""
        fields = self.login.fields.values() if self.login else ()
        texts = (*self.headers.values(), *fields, self.cookies or "", self.user_agent or "")
        return tuple(dict.fromkeys(name for text in texts for name in names_in(text)))
