"""The lines to paste into `sites.yml`."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

import yaml

from newsextract.sites.site_list.language_names import is_language

if TYPE_CHECKING:
    from newsextract.tools.probing.advice import Advice

_ENDLESS = 1 << 20
"""Lines are not wrapped, as URLs must stay whole."""


def site_block(start: str, advice: Advice, language: str | None = None) -> str:
    """Return a `sites.yml` with this one site; the lines below `sites:` can be pasted into a longer list."""
    entry: dict[str, Any] = {"start": start}
    if "feeds" in advice.discover and advice.feeds:
        entry["feeds"] = list(advice.feeds)
    if advice.sitemaps:
        entry["sitemaps"] = list(advice.sitemaps)
    entry["discover"] = list(advice.discover)
    if language and is_language(language):
        entry["language"] = language
    entry["schedule"] = advice.schedule_text
    written = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, default_flow_style=None, width=_ENDLESS)
    return f"sites:\n{indent(written, '  ')}"
