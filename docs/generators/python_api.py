"""The public names of the package, for Sphinx to read their docstrings."""

from __future__ import annotations

import inspect
from textwrap import indent

import newsextract

_FUNCTIONS = ("extract", "read_article", "fetch_article", "create_extractor", "extractor_names", "register")


def python_api() -> str:
    """Return a directive of autodoc for each public name."""
    assert {name for name in newsextract.__all__ if inspect.isfunction(getattr(newsextract, name))} == set(_FUNCTIONS)
    kinds = sorted(name for name in newsextract.__all__ if inspect.isclass(getattr(newsextract, name)))
    functions = "".join(f".. autofunction:: newsextract.{name}\n" for name in _FUNCTIONS)
    classes = "".join(f".. autoclass:: newsextract.{name}\n{indent(_wanted(name), '   ')}\n" for name in kinds)
    return f"## Functions\n\n{_rst(functions)}\n## Classes\n\n{_rst(classes)}"


def _wanted(name: str) -> str:
    return ":members:\n" + (":show-inheritance:\n" if issubclass(getattr(newsextract, name), Exception) else "")


def _rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text}```\n"
