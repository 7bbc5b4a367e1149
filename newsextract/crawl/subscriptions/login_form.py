"""Fills in the form of a login page: the fields that are given, and what the form has in the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urljoin

from scrapy.http import TextResponse

from newsextract.crawl.subscriptions.page_signs import tree_of
from newsextract.reading.rules import elements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import FormElement, HtmlElement
    from scrapy.http import Response


class LoginFailed(Exception):  # noqa: N818 - reads as what happened
    """A login did not work; the message is a reason without secrets."""


class LoginBroken(LoginFailed):
    """The server or the network broke a login off, so another may work."""


@dataclass(frozen=True)
class FilledForm:
    """A form that is ready to be sent."""

    url: str
    body: bytes = field(repr=False)


def filled_form(page: Response, fields: Mapping[str, str], selector: str | None) -> FilledForm:
    """Return the form of a page, filled in; raises `LoginFailed` if it has none that can be sent."""
    tree = tree_of(page) if isinstance(page, TextResponse) else None
    if tree is None:
        raise LoginFailed("the login page is not HTML")
    form = _form_of(tree, tuple(fields), selector)
    if (form.method or "GET").upper() != "POST":
        raise LoginFailed("the form sends its fields in the URL, which logs would show")
    pairs = [(name, value) for name, value in form.form_values() if name not in fields]
    pairs += [*_button(form, {name for name, _ in pairs}), *fields.items()]
    encoding = page.encoding if isinstance(page, TextResponse) else "utf-8"
    body = urlencode(pairs, encoding=encoding, errors="xmlcharrefreplace").encode("ascii")
    try:
        return FilledForm(urljoin(tree.base or page.url, (form.get("action") or page.url).strip()), body)
    except ValueError:  # from urllib: brackets without an IPv6 address
        raise LoginFailed("the form is sent to what is no URL") from None


def _form_of(tree: HtmlElement, names: Sequence[str], selector: str | None) -> FormElement:
    if selector is not None:
        found = [each for each in elements(selector, tree) if each.tag == "form"]
        if not found:
            raise LoginFailed("login.form finds no form on the login page")
        return found[0]  # type: ignore[return-value] # a form's element is a FormElement
    forms: Sequence[FormElement] = tree.forms
    missing = [set(names) - {each.get("name") for each in form.iter("input", "select", "textarea")} for form in forms]
    for form, lacking in zip(forms, missing, strict=True):
        if not lacking:
            return form
    if not forms:
        raise LoginFailed("the login page has no form: it may need JavaScript; use cookies instead")
    raise LoginFailed(f"no form of the login page has the fields {', '.join(names)}")


def _button(form: FormElement, known: set[str]) -> list[tuple[str, str]]:
    """Return the name and value of the button that sends the form, as a browser does."""
    for button in form.iter("button", "input"):
        kind = (button.get("type") or ("submit" if button.tag == "button" else "")).lower()
        name = button.get("name")
        if kind == "submit":
            return [(name, button.get("value") or "")] if name and name not in known else []
    return []
