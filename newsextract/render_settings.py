"""The settings of the browser; `newsextract.settings` has them with all others."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract.setting_types import SWITCH, Setting, Values, ValueType, number, optional_path, whole

NEVER, AUTO, ALWAYS = MODES = ("never", "auto", "always")
"""When pages are rendered."""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
"""Names of browsers that are looked for on the path, before Playwright's own."""


def read_mode(value: Any) -> str:
    """Return when pages are rendered; raises `ValueError`."""
    word = value.strip().lower() if isinstance(value, str) else value
    if word not in MODES:
        raise ValueError(f"{value!r} is not among {', '.join(MODES)}")
    return str(word)


def find_browser(wanted: Path | None) -> Path | None:
    """Return the browser's program: the wanted one, one on the path, or Playwright's own; `None` if there is none."""
    if wanted is not None:
        return wanted if wanted.is_file() and os.access(wanted, os.X_OK) else None
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found:
        return Path(found)
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    own = sorted(folder.glob("chromium-*/chrome-linux*/chrome"))
    return own[-1] if own else None


def browser_trouble(wanted: Path | None) -> str | None:
    """Return what is missing to render pages, and what would be right; `None` if nothing is."""
    if find_spec("playwright") is None:
        return "pages are rendered by the module playwright: pip install 'newsextract[render]'"
    if find_browser(wanted) is None:
        advice = "apt-get install chromium, or playwright install --with-deps chromium"
        return f"no browser is found: {advice}" if wanted is None else f"{wanted} is no program of a browser: {advice}"
    return None


def _check_render(mode: str, values: Values) -> None:
    if mode != NEVER and (trouble := browser_trouble(values["NEWSEXTRACT_RENDER_BROWSER"])):
        raise ValueError(f"{trouble}; or set it to 'never'")


def _check_browser(wanted: Path, _: Values) -> None:
    if find_browser(wanted) is None:
        raise ValueError(f"{wanted} is no program of a browser; try '/usr/bin/chromium'")


RENDER = Setting(
    "NEWSEXTRACT_RENDER", ValueType(f"one of {', '.join(MODES)}", read_mode), NEVER,
    "whether pages are rendered in a browser, see [Pages that need scripts](how-to/render.md); "
    "`render` in `sites.yml` says it for a site", check=_check_render,
)  # fmt: skip
RENDER_BROWSER = Setting(
    "NEWSEXTRACT_RENDER_BROWSER", optional_path("a browser", "/usr/bin/chromium"), None,
    "the program of a Chromium", shown="none: the one on the path, else Playwright's own",
    check=_check_browser,
)  # fmt: skip
RENDER_PAGES = Setting(
    "NEWSEXTRACT_RENDER_PAGES", whole("number of pages", 200), 200,
    "pages that are rendered of a site in a run; the rest is read without a browser",
)  # fmt: skip
RENDER_SECONDS = Setting(
    "NEWSEXTRACT_RENDER_SECONDS", number("number of seconds", 900), 900.0,
    "seconds that the browser spends on a site in a run; after that, likewise",
)  # fmt: skip
RENDER_PAGE_SECONDS = Setting(
    "NEWSEXTRACT_RENDER_PAGE_SECONDS", number("number of seconds", 20, above_zero=True), 20.0,
    "a page is read after three quarters of this time as it is then; one that hangs is closed after all of it",
)  # fmt: skip
RENDER_BROWSER_PAGES = Setting(
    "NEWSEXTRACT_RENDER_BROWSER_PAGES", whole("number of pages", 100, least=1), 100,
    "pages after which the browser is replaced",
)  # fmt: skip
RENDER_MEGABYTES = Setting(
    "NEWSEXTRACT_RENDER_MEGABYTES", whole("number of MB", 1500, least=200), 1500,
    "memory of all its processes above which the browser is replaced; above twice as much it is killed at once",
)  # fmt: skip
RENDER_SANDBOX = Setting(
    "NEWSEXTRACT_RENDER_SANDBOX", SWITCH, True,
    "the browser's own sandbox, which containers may not allow; root has none in any case",
)  # fmt: skip

RENDER_SETTINGS: tuple[Setting[Any], ...] = (
    RENDER, RENDER_BROWSER, RENDER_PAGES, RENDER_SECONDS, RENDER_PAGE_SECONDS, RENDER_BROWSER_PAGES, RENDER_MEGABYTES,
    RENDER_SANDBOX,
)  # fmt: skip
"""All of them, in the order of the docs."""
