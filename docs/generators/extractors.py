"""`python -m docs.generators.extractors`: writes the options in docs/reference/extractors.md from the classes."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs.generators.docstrings import attribute_docs
from docs.generators.markdown import code, table
from newsextract import extractor_names
from newsextract.reading import extraction as extractors
from newsextract.reading.extraction import contract

if TYPE_CHECKING:
    from dataclasses import Field


PAGE = Path("docs/reference/extractors.md")
BEGIN = "<!-- table: written by docs.generators.extractors -->\n"


def with_options(page: str) -> str:
    """Return the page with the options of today."""
    return f"{page.split(BEGIN, maxsplit=1)[0]}{BEGIN}\n{extractors_reference()}"


def known_extractors() -> dict[str, type[Any]]:
    """Return the classes of our extractors by name, those too whose packages are not installed."""
    extractor_names()  # imports them all
    found = sorted(contract._REGISTRY.items())  # noqa: SLF001 - for programs, the names of those that work are enough
    return {name: kind for name, kind in found if kind.__module__.startswith(extractors.__name__)}


def extractors_reference() -> str:
    """Return a section for each extractor: the same on every machine, whatever is installed there."""
    return "\n".join(_section(name, kind) for name, kind in known_extractors().items())


def _section(name: str, kind: Any) -> str:
    docs = attribute_docs(kind)
    rows = [[code(f"{each.name}={_default(each)}"), docs.get(each.name, "")] for each in fields(kind) if each.init]
    about = " ".join(str(kind.__doc__).split("\n\n")[0].split())
    if extra := getattr(kind, "extra", ""):
        about += f" `pip install 'newsextract[{extra}]'` brings what it needs."
    options = table(["option and default", ""], rows).rstrip() if rows else "It has no options."
    return f"### `{name}`\n\n{about}\n\n{options}\n"


def _default(option: Field[Any]) -> str:
    return "…" if option.default is MISSING else str(option.default).lower()


if __name__ == "__main__":
    PAGE.write_text(with_options(PAGE.read_text("utf-8")), "utf-8")
