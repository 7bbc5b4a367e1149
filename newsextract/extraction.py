"""What an extractor is and what it returns, and the names under which extractors are chosen."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from newsextract import render
from newsextract.words import count_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.blocks import Block
    from newsextract.page import Page

CONVINCING_WORDS = 150
"""A selection of this many words outside links is as likely a story as not; for the uncalibrated confidence."""


class UnknownExtractor(ValueError):  # noqa: N818 - the name says that it is an error
    """No extractor has this name; the message lists those there are."""


class BadExtractorOption(ValueError):  # noqa: N818 - the name says that it is an error
    """The extractor has no such option, or the option cannot have this value."""


@dataclass(frozen=True)
class Extraction:
    """The blocks that an extractor kept, in the order of the page. Falsy when there are none."""

    extractor: str
    blocks: tuple[Block, ...] = ()
    estimate: float | None = None
    """The extractor's own probability, 0 to 1, that it found the article, if it makes one."""
    sources: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.blocks)

    @cached_property
    def text(self) -> str:
        """The kept text, a paragraph a line."""
        return render.text(self.blocks)

    @cached_property
    def html(self) -> str:
        """The kept blocks as clean, sanitised HTML with absolute URLs."""
        return render.html(self.blocks)

    @cached_property
    def markdown(self) -> str:
        """The kept blocks as Markdown."""
        return render.markdown(self.blocks)

    @cached_property
    def confidence(self) -> float:
        """How sure one may be that this is the article, from 0 to 1; 0 when empty.

        Extractors without an estimate of their own get an uncalibrated one that grows with the words outside links,
        half at `CONVINCING_WORDS`: good for ranking pages, not a probability.
        """
        if self.estimate is not None or not self.blocks:
            return self.estimate or 0.0
        plain_words = sum(count_words(block.text) * (1 - block.link_density) for block in self.blocks)
        return plain_words / (plain_words + CONVINCING_WORDS)


class Extractor(Protocol):
    """A function from a page to a selection of its blocks; its options are its fields."""

    name: ClassVar[str]

    def extract(self, page: Page) -> Extraction:
        """Return the blocks of the article; an empty extraction when there is none. Never edits the page."""
        ...


_E = TypeVar("_E", bound=type[Extractor])
_REGISTRY: dict[str, type[Extractor]] = {}


def register(extractor: _E) -> _E:
    """Make an extractor class selectable by its `name`."""
    known = _REGISTRY.setdefault(extractor.name, extractor)
    if (known.__module__, known.__qualname__) != (extractor.__module__, extractor.__qualname__):
        raise ValueError(f"two extractors are called {extractor.name!r}: {known!r} and {extractor!r}")
    return extractor


def extractor_names() -> tuple[str, ...]:
    """Return the names that `create_extractor` knows, sorted."""
    _import_all()
    return tuple(sorted(_REGISTRY))


def create_extractor(name: str, **options: Any) -> Extractor:
    """Return the extractor of this name, or of this dotted path to a class, with these options.

    Raises:
        UnknownExtractor: there is none.
        BadExtractorOption: it does not take one of the options, or not this value.
    """
    kind = _find(name)
    known = [option.name for option in fields(kind)] if is_dataclass(kind) else list(options)
    if unknown := sorted(set(options) - set(known)):
        can = f"its options are {', '.join(known)}" if known else "it has no options"
        raise BadExtractorOption(f"extractor {name!r} has no option {unknown[0]!r}; {can}")
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        raise BadExtractorOption(f"extractor {name!r}: {error}") from error


def _find(name: str) -> type[Extractor]:
    _import_all()
    if name in _REGISTRY:
        return _REGISTRY[name]
    if "." not in name:
        raise UnknownExtractor(f"no extractor is called {name!r}; there are {', '.join(sorted(_REGISTRY))}")
    module_name, _, attribute = name.rpartition(".")
    try:
        kind: type[Extractor] = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownExtractor(f"cannot import the extractor {name!r}: {error}") from error
    if not callable(getattr(kind, "extract", None)):
        raise UnknownExtractor(f"{name!r} is no extractor: it has no method `extract`")
    return kind


@cache
def _import_all() -> None:
    """Import every file of the extractors' folder, so that a new file is all that a new extractor takes."""
    package = importlib.import_module("newsextract.extractors")
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
