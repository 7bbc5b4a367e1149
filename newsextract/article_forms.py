"""An article in other forms: as a dictionary, JSON and Markdown, on one line, and for notebooks."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from html import escape
from typing import Any

_SHOWN_CHARS = 60
"""Characters of the headline on one line."""


class ArticleForms:
    """The methods of `Article`, which declares the fields; they change nothing."""

    url: str | None
    headline: str | None
    articleBody: str | None  # noqa: N815 - as in `Article`
    articleBodyHtml: str | None  # noqa: N815
    articleMarkdown: str | None  # noqa: N815
    datePublished: str | None  # noqa: N815
    authors: Any
    publisher: str | None
    wordCount: int | None  # noqa: N815

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, absent ones as `None`, with what lies in them as dictionaries and lists."""
        return plain(self)  # type: ignore[no-any-return]  # the class that has the fields is a dataclass

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the same as JSON, on one line without `indent`; letters of all scripts stay as they are."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    @property
    def markdown(self) -> str:
        """The headline and the body as Markdown (CommonMark, with GitHub's tables); an empty string without both.

        The body is `articleMarkdown` if that was asked for; else it is made of `articleBodyHtml`.
        """
        from newsextract.page.rendering.article_markdown import article_markdown  # noqa: PLC0415 - rarely needed

        return article_markdown(self.headline, self.articleMarkdown, self.articleBodyHtml, self.articleBody)

    def __repr__(self) -> str:
        title = self.headline or "without headline"
        cut = title if len(title) <= _SHOWN_CHARS else f"{title[: _SHOWN_CHARS - 1]}…"
        facts = (self.datePublished, f"{self.wordCount or 0} words", self.url)
        return f"<Article {cut!r}: {', '.join(filter(None, facts))}>"

    def _repr_html_(self) -> str:
        """Return the article for a notebook: nothing in it can run, whatever the fields were filled with."""
        import nh3  # noqa: PLC0415 - only notebooks need it here

        from newsextract.page.rendering.html_writer import paragraphs  # noqa: PLC0415 - likewise

        by = ", ".join(author.name for author in self.authors or ())
        facts = (by, self.publisher, self.datePublished, self.url)
        line = " · ".join(escape(fact) for fact in facts if fact)
        body = self.articleBodyHtml or paragraphs(self.articleBody or "")
        return nh3.clean(f"<h2>{escape(self.headline or '')}</h2><p><em>{line}</em></p>{body}")


def plain(value: Any) -> Any:
    """Return a value with dictionaries in place of dataclasses: as `asdict`, but several times quicker.

    >>> from newsextract.article import Author
    >>> plain([Author("Ann Lee")])
    [{'name': 'Ann Lee', 'nameRaw': None, 'url': None, 'type': 'Person'}]
    """
    if value is None or isinstance(value, str):
        return value  # most are
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    names = _field_names(type(value))  # type: ignore[arg-type]  # a class is hashable
    return value if names is None else {name: plain(getattr(value, name)) for name in names}


@cache
def _field_names(kind: Any) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None
