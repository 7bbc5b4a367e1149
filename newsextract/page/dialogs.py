"""Take a page's dialogs out of its tree: consent banners, modal windows, boxes for newsletters, cookies and apps.

They lie over the page or interrupt it, and no text of theirs is part of an article. Many sites wrap all of a page into
a dialog, and libxml2 leaves one open whose end tag crosses another element: what holds the page is none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_ROOTS = frozenset(
    "onetrust-consent-sdk onetrust-banner-sdk onetrust-pc-sdk ot-sdk-cookie-policy cookiebotwidget cmpbox cmpbox2 "
    "cmpwrapper usercentrics-root usercentrics-cmp-ui usercentrics-button consent_blackbar teconsent klaro cc-main "
    "cc--main cc_div cc-window cc-revoke cc-banner cookie-law-info-bar cookie-law-info-again cli-modal "
    "clisettingspopup cookiefirst-root _evidon_banner wpconsent-root wt-cli-cookie-bar snigel-cmp-framework "
    "shopify-pc__banner osano-cm-window".split()
)
_ROOT_STARTS = tuple(
    "optanon-alert-box optanon-popup cybotcookiebotdialog didomi-host didomi-popup didomi-notice didomi-consent-popup "
    "sp_message_ uc-banner uc-embedding qc-cmp-ui qc-cmp2- qccmp truste-consent truste_overlay truste_box_overlay "
    "trustarc-banner fc-consent- fc-dialog- fc-ab-root fc-message-root iubenda-cs- cky-consent cky-modal cky-overlay "
    "cky-notice cmplz-cookiebanner cmplz-soft-cookiewall cmplz-manage-consent tarteaucitronroot tarteaucitronalert "
    "orejime borlabscookie moove_gdpr_cookie eu-cookie-compliance-banner eu-cookie-compliance-popup coi-consent-banner "
    "coi-banner axeptio_ cookiescript_ hs-eu-cookie-confirmation ppms_cm_ osano-cm-dialog".split()
)
"""Ids and classes of the roots that consent managers write into a page, and how such begin."""

_STEMS = "cookie consent gdpr ccpa privacy newsletter subscri -banner mc_embed app-".split()
_CONSENT = re.compile(
    r"(?:^|[\s_-])(?:cookies?[\w-]{0,12}(?:banner|bar|notice|notification|consent|law|popup|modal|dialog|overlay|layer"
    r"|disclaimer|wall|box|warning|hint|alert|message|msg|prompt|toast|info)"
    r"|(?:consent|gdpr|ccpa|privacy)[\w-]{0,12}(?:banner|bar|popup|modal|dialog|overlay|layer|wall|prompt|manager)"
    r")(?=$|[\s_-])"
)
_BOXES = re.compile(
    r"(?:^|[\s_-])(?:newsletter[\w-]{0,12}(?:sign-?up|form|box|widget|promo|subscri\w*|popup|modal|cta|banner|teaser)"
    r"|(?:inline|popup|sign-?up|subscribe)[_-]{1,2}newsletter|mc_embed_signup"
    r"|subscri(?:be|ption)[_-]{1,2}(?:box|form|popup|modal|banner)|(?:smart-?app|smart|app)-banner"
    r"|app-(?:promo|download|install)(?:-(?:banner|box|bar))?)(?=$|[\s_-])"
)
"""What sites call requests for consent, and other boxes, of their own."""

_NAMED = ("div", "section", "aside", "form", "dialog", "amp-consent")
_MAX_NAMES_CHARS = 300
_ROLES, _MODALS = etree.XPath("descendant::*/@role"), etree.XPath("descendant::*/@aria-modal")
_LABEL_CHARS, _SAME_CHARS = 60, 20
_MUCH = 1 / 3
"""Share of a page's running text; an article has more of it."""
_MOST_WHOLE = 16
"""Elements with a dialog's signs that hold the page, after which none is looked at: each costs as much as the page."""
_FIXED = re.compile(r"(?<![\w-])position\s*:\s*fixed", re.IGNORECASE)
_TEXTS, _SCRIPTS = (
    etree.XPath(path, smart_strings=False) for path in ("descendant::text()", "descendant::script/text()")
)


def remove_dialogs(root: HtmlElement) -> bool:
    """Remove the dialogs of a page from its tree, and return whether there were any.

    A request for consent is known by its names. What is a dialog by other signs stays where it holds much of the
    page's text, alone or with others, or its title.
    """
    found = _candidates(root)
    if not found:
        return False
    much, titles = _MUCH * _running_chars(root), _count(root, "h1")
    dialogs: dict[HtmlElement, int] = {}
    covered: set[HtmlElement] = set()
    whole = 0
    for element, is_consent in found.items():
        if element in covered or _holds(element, "article", "main") or _has_data(element):
            continue
        chars, has_title = _running_chars(element), 0 < titles == _count(element, "h1") and _is_titled(root, element)
        is_large = chars > much
        if is_consent and is_large:
            is_page = has_title or _holds(element, "nav", "script")
        else:
            is_page = not is_consent and (is_large or has_title)
        if is_page:
            whole += 1
            if whole == _MOST_WHOLE:
                break
        else:
            dialogs[element] = 0 if is_consent else chars
            covered.update(element.iter())
    are_page = sum(dialogs.values()) > much
    gone = [element for element, chars in dialogs.items() if not (are_page and chars)]
    for element in gone:
        _remove(element)
    return bool(gone)


def _candidates(root: HtmlElement) -> dict[HtmlElement, bool]:
    """Return what looks like a dialog, outer ones first, and whether it asks for consent."""
    found = {}
    for element in root.iter(*_NAMED):
        get = element.get
        sign = _sign(get("class"), get("id"))
        if sign is not None or element.tag == "dialog" or ((style := get("style")) and _FIXED.search(style)):
            found[element] = sign is True
    values = [value for value in cast("list[Any]", _ROLES(root)) if value in ("dialog", "alertdialog")]
    values += [value for value in cast("list[Any]", _MODALS(root)) if value == "true"]
    by_role = [value.getparent() for value in values]
    # An inner one of these may come before an outer one of those, and is then removed first.
    return found | {each: found.get(each, False) for each in by_role if each.tag not in ("html", "body")}


@lru_cache(maxsize=4096)
def _sign(classes: str | None, name: str | None) -> bool | None:
    """Return whether an element of these names asks for consent, `None` if it is no box either."""
    names = f"{(classes or '')[:_MAX_NAMES_CHARS]} {(name or '')[:_MAX_NAMES_CHARS]}".lower()
    words = names.split()
    if not _ROOTS.isdisjoint(words) or any(word.startswith(_ROOT_STARTS) for word in words):
        return True
    if not any(stem in names for stem in _STEMS):
        return None
    return True if _CONSENT.search(names) else False if _BOXES.search(names) else None


def _is_titled(root: HtmlElement, element: HtmlElement) -> bool:
    """Tell whether a first heading inside an element is in the page's title, or there is no title."""
    title = " ".join((root.findtext(".//title") or "").split()).lower()
    headings = (" ".join("".join(heading.itertext()).split()).lower() for heading in element.iter("h1"))
    return not title or any(heading[:_SAME_CHARS] in title for heading in headings)


def _holds(element: HtmlElement, *tags: str) -> bool:
    return next(element.iter(*tags), None) is not None


def _has_data(element: HtmlElement) -> bool:
    """Tell whether an element holds JSON-LD, which is no dialog's: it stands at the end of many pages."""
    return any("ld+json" in script.get("type", "") for script in element.iter("script"))


def _count(element: HtmlElement, tag: str) -> int:
    return sum(1 for _ in element.iter(tag))


def _running_chars(element: HtmlElement) -> int:
    """Return how much running text an element holds: labels, and the texts of scripts, left out."""
    texts, scripts = (cast("list[str]", path(element)) for path in (_TEXTS, _SCRIPTS))
    chars, of_scripts = (sum(len(text) for text in part if len(text) > _LABEL_CHARS) for part in (texts, scripts))
    return chars - of_scripts


def _remove(element: HtmlElement) -> None:
    """Remove an element; one that parts two texts leaves an empty one, so that they do not run together."""
    parent, tail = element.getparent(), element.tail
    if parent is None:
        return
    if tail and not tail.isspace():
        element.clear(keep_tail=True)
    else:
        parent.remove(element)
