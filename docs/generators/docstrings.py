"""The strings that stand below attributes, which Python itself forgets."""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise


def attribute_docs(kind: type) -> dict[str, str]:
    """Return the docstring of each attribute of a class that has one, on one line.

    >>> from newsextract.reading.notices import PageState
    >>> attribute_docs(PageState)["PART"]
    'A further page of an article, joined to the first.'
    """
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(declared, ast.ClassDef)
    return {
        name: " ".join(doc.split())
        for statement, below in pairwise(declared.body)
        if (name := _name(statement)) and (doc := _text(below))
    }


def _name(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _text(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return ""
