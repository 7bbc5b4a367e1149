"""Checks the subscriptions in the list of sites: whether their secrets are set, and who else can read the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.crawl.subscription import subscriptions_of
from newsextract.settings import SECRETS, BadSetting
from newsextract.sites.site import SiteListError
from newsextract.sites.site_list import read_sites
from newsextract.sites.subscriptions import SecretError, Secrets
from newsextract.tools.doctor.finding import failure, ok

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.tools.doctor.finding import Finding, Subject


def secrets(subject: Subject) -> Iterator[Finding]:
    """Look up the secrets that the list of sites names, and read its files of cookies; no value is shown."""
    try:
        sites = [site for site in read_sites(subject.sites) if site.access and site.enabled] if subject.sites else []
        known = Secrets.read(SECRETS.of(subject.settings))
    except (SiteListError, BadSetting, OSError):
        return  # the checks of the list and of the settings tell it
    except SecretError as error:
        yield failure(str(error), "correct the file, or name another: NEWSEXTRACT_SECRETS")
        return
    for site in sites:
        try:
            subscriptions_of([site], known)
        except SecretError as error:
            yield failure(str(error), "docs/how-to/subscriptions.md says where secrets are")
        else:
            yield ok(f"the subscription to {site.name} has what it needs")
