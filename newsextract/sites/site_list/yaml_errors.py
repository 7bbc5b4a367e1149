"""Joins the errors of a YAML file into one message, in the order of their lines, up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.sites.site_list.yaml_tree import YamlError

MAX_ERRORS = 10
"""Errors listed; the rest are only counted."""


def told(errors: Sequence[tuple[int, str]]) -> str:
    r"""Return the first errors, a line each, given each with the line of the file that it is in.

    >>> told([(7, "line 7: no"), (2, "line 2: no")])
    'line 2: no\nline 7: no'
    """
    more = len(errors) - MAX_ERRORS
    first = [text for _, text in sorted(errors, key=lambda error: error[0])[:MAX_ERRORS]]
    return "\n".join([*first, *([f"and {more} more"] if more > 0 else [])])


def place_of(error: YamlError) -> str:
    """Return the line and column of a YAML error, to append to the file's name."""
    return "".join(f", {name} {n}" for name, n in (("line", error.line), ("column", error.column)) if n)
