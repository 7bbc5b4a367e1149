"""`python -m docs.generators.settings_table`: writes the table of docs/settings.md from the declarations."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.settings import SETTINGS

if TYPE_CHECKING:
    from newsextract.settings import Setting

PAGE = Path("docs/settings.md")
BEGIN, END = "<!-- table: written by docs.generators.settings_table -->\n", "<!-- end of the table -->\n"


def table() -> str:
    """Return the table as Markdown."""
    rows = (
        f"| `{name}` | {each.type.words} | {_default(each)} | {each.doc}{each.needs and '; needs a database'} |"
        for name, each in SETTINGS.items()
    )
    return "\n".join(["| setting | type | default | |", "| --- | --- | --- | --- |", *rows, ""])


def with_table(page: str) -> str:
    """Return the page with the current table; raises `ValueError` if the page has no place for it."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.split(END)[1]}"


def _default(setting: Setting[Any]) -> str:
    value = setting.default
    if setting.shown or value is None:
        return setting.shown or "none"
    if isinstance(value, bool | int | float):
        return f"`{value}`" if isinstance(value, bool) else f"`{value:g}`"
    return f"`{json.dumps(value)}`"


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    path.write_text(with_table(path.read_text("utf-8")), "utf-8")
