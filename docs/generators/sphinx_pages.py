"""A Sphinx extension: puts what is generated where a page says `<!-- generated: NAME -->`.

And writes the texts that the search shows where the site is read from its files.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs.generators.commands import commands_reference, exit_codes
from docs.generators.dataset_tables import dataset_tables
from docs.generators.envelope import envelope_reference
from docs.generators.page_states import page_states, site_problems, warnings
from docs.generators.project_files import PAGES, page_of, with_pages
from docs.generators.python_api import python_api
from docs.generators.tables import tables_reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands_reference,
    "dataset tables": dataset_tables,
    "envelope": envelope_reference,
    "exit codes": exit_codes,
    "page states": page_states,
    "python api": python_api,
    "site problems": site_problems,
    "tables": tables_reference,
    "warnings": warnings,
    **{page.removesuffix(".md"): partial(page_of, name) for name, page in PAGES.items()},
}

_MARK = re.compile(r"^<!-- generated: ([a-z ]+) -->$(\n\*`make docs` writes this part .+\*$)?", re.MULTILINE)
"""What GitHub shows in place of it is a sentence on the line below."""

_CODE = re.compile(r"(?<![`:])`([^`]+)`(?!`)")
"""Code as our docstrings write it, with one backtick; reStructuredText wants two."""


def with_generated(page: str) -> str:
    r"""Return a page with what is generated in it.

    >>> with_generated("States:\n\n<!-- generated: page states -->\n").splitlines()[2:4]
    ['| state |  |', '| --- | --- |']
    """
    return _MARK.sub(lambda mark: GENERATED[mark[1]](), page)


def as_restructured(lines: list[str]) -> None:
    """Edit a docstring so that Sphinx reads what it writes as code.

    >>> lines = ["Takes `url`."]
    >>> as_restructured(lines)
    >>> lines
    ['Takes ``url``.']
    """
    lines[:] = [_CODE.sub(r"``\1``", line) for line in lines]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect them to Sphinx."""
    app.connect("source-read", _read_source)
    app.connect("autodoc-process-docstring", _process_docstring, priority=400)  # before napoleon looks for types
    app.connect("build-finished", _write_texts)
    return {"parallel_read_safe": True}


def _read_source(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = with_pages(with_generated(source[0]))


def _write_texts(app: Sphinx, error: Exception | None) -> None:
    """Write the texts of the pages into a script, as browsers fetch no files: see search_scorer.js."""
    if error is None and app.builder.name == "html":
        built = {name: (Path(app.outdir) / f"{name}.html").read_text("utf-8") for name in app.env.found_docs}
        main = {name: re.search(r'<article role="main".*?</article>', html, re.DOTALL) for name, html in built.items()}
        texts = {name: found[0] for name, found in sorted(main.items()) if found}
        (Path(app.outdir) / "_static" / "pages.js").write_text(f"var PAGES = {json.dumps(texts)};\n", "utf-8")


def _process_docstring(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    as_restructured(lines)
