"""The contract of extractors: what one is, what it returns, and how it is chosen by name."""

from __future__ import annotations

import importlib
import importlib.util
import json
import pkgutil
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, TypeVar, cast

from newsextract.page.blocks import RULES
from newsextract.page.lazy import cached_property
from newsextract.page.media import illustrations_among
from newsextract.page.rendering import renderer
from newsextract.page.rendering.document import EVERYTHING
from newsextract.page.text import count_words
from newsextract.reading.notices import BadExtractorOption, UnknownExtractor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from newsextract.article_parts import Comment
    from newsextract.page.blocks import Block
    from newsextract.page.media import Illustrations
    from newsextract.page.page import Page
    from newsextract.page.rendering.document import BodyContent


class UnknownOption(BadExtractorOption):
    """The extractor has no option of this name; the message lists its options."""


Segment: TypeAlias = tuple[str, str]
"""`h` for a heading or `p`, and the text."""

CONVINCING_WORDS = 150
"""Words outside links at which the uncalibrated confidence is one half."""


@dataclass(frozen=True)
class Extraction:
    """The blocks that an extractor kept, in the order of the page. Falsy when there are none."""

    extractor: str
    blocks: tuple[Block, ...] = ()
    estimate: float | None = None
    """The extractor's own probability, 0 to 1, that it found the article, if it makes one."""
    sources: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    """`Notice` objects, whose code and values can be read; a third-party extractor may give plain text."""
    segments: tuple[Segment, ...] | None = field(default=None, repr=False, compare=False)
    """The text as the method's source has it, where that is not the text of the blocks."""

    posts: tuple[Comment, ...] = field(default=(), repr=False, compare=False)
    """The posts of a thread, the question first, whose texts the blocks are; `datePublished` as written."""
    content: BodyContent = field(default=EVERYTHING, repr=False, compare=False)
    """What is shown besides the paragraphs; see `showing`."""
    held_in: Mapping[str, object] | None = field(default=None, repr=False, compare=False)
    """The object that holds the text, if it is from the data for the page's scripts."""

    stripped: frozenset[HtmlElement] = field(default=frozenset(), repr=False, compare=False)
    """Elements of the page whose images, videos and embeds are left out."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.segments)

    def __repr__(self) -> str:
        words = sum(count_words(block.text) for block in self.blocks)
        return (
            f"<Extraction {self.extractor}: {len(self.blocks)} blocks, {words} words, confidence {self.confidence:.2f}>"
        )

    def _repr_html_(self) -> str:
        return self.html  # sanitised

    def showing(self, content: BodyContent) -> Self:
        """Return the same extraction with no more tables, links and images than these."""
        return replace(self, blocks=content.blocks(self.blocks), content=content)

    @cached_property
    def text(self) -> str:
        """The kept text, a paragraph a line."""
        return renderer.text(self.blocks) if self.segments is None else "\n".join(text for _, text in self.segments)

    @cached_property
    def html(self) -> str:
        """The kept blocks as clean, sanitised HTML with absolute URLs."""
        return renderer.html(self.blocks, content=self.content, illustrations=self.illustrations)

    @cached_property
    def markdown(self) -> str:
        """The kept blocks as Markdown."""
        return renderer.markdown(self.blocks, self.content, self.illustrations)

    @cached_property
    def illustrations(self) -> Illustrations:
        """The images, videos, recordings and embeds among the blocks of one page."""
        return illustrations_among(self.blocks).outside(self.stripped)

    @property
    def by_page(self) -> tuple[Extraction, ...]:
        """The extraction of each page."""
        return (self,)

    @cached_property
    def confidence(self) -> float:
        """How likely this is the article, from 0 to 1; 0 if empty.

        Extractors without an estimate of their own get an uncalibrated one that grows with the words outside links,
        half at `CONVINCING_WORDS`: good for ranking pages, not a probability.
        """
        if not self.blocks:
            return 0.0
        if self.estimate is not None:
            return self.estimate
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
_FOLDER = "newsextract.reading.extraction"


def register(extractor: _E) -> _E:
    """Make an extractor class selectable by its `name`."""
    known = _REGISTRY.setdefault(extractor.name, extractor)
    if (known.__module__, known.__qualname__) != (extractor.__module__, extractor.__qualname__):
        raise ValueError(f"two extractors are called {extractor.name!r}: {known!r} and {extractor!r}")
    return extractor


def extractor_names() -> tuple[str, ...]:
    """Return the names that `create_extractor` accepts, sorted: those whose packages are installed."""
    _import_all()
    return tuple(sorted(name for name, kind in _REGISTRY.items() if not _missing(kind)))


def reader_names() -> list[str]:
    """Return the names that `create_reader` accepts: an extractor that must see a site first has a method `fit`."""
    return [name for name in extractor_names() if not hasattr(_REGISTRY[name], "fit")]


def create_extractor(name: str, /, **options: Any) -> Extractor:
    """Return the extractor of this name, or of this dotted path to a class, with these options.

    Options may stand behind the name, too, as in `eatiht:version=2:cleaning=wutsi`. Besides its own, every extractor
    takes `cleaning`, the name of a mask (see `page/blocks.py`) that is put over the page first.

    Raises:
        UnknownExtractor: there is no such extractor, or its package is missing.
        BadExtractorOption: it does not accept one of the options or its value.
    """
    name, *written = name.split(":")
    options = dict(map(_named_value, written)) | options
    kind = _find(name)
    cleaning = options.pop("cleaning", None)
    if cleaning is not None and cleaning not in RULES:
        raise BadExtractorOption(f"cleaning: {cleaning!r} is not among {', '.join(sorted(RULES))}")
    _check_options(kind, name, options)
    try:
        extractor: Extractor = kind(**options)
    except (TypeError, ValueError) as error:
        raise BadExtractorOption(f"extractor {name!r}: {error}") from error
    if cleaning is not None and getattr(extractor, "reads_source", False):
        raise BadExtractorOption(
            f"extractor {name!r}: these options read the page's source, where cleaning hides nothing"
        )
    return extractor if cleaning is None else cast("Extractor", Masked(extractor, cleaning))


def create_reader(name: str, /, **options: Any) -> Extractor:
    """Return an extractor that reads a page alone; raises what `create_extractor` raises."""
    extractor = create_extractor(name, **options)
    if hasattr(extractor, "fit"):
        least = getattr(extractor, "min_pages", 2)
        raise UnknownExtractor(f"{extractor.name!r} needs {least} pages of a site or more, see `newsextract template`")
    return extractor


def _named_value(written: str) -> tuple[str, Any]:
    """Return the name and value of an option as people write it, the value parsed as JSON if possible, else as text.

    >>> _named_value("min_chars=20"), _named_value("cleaning=wutsi")
    (('min_chars', 20), ('cleaning', 'wutsi'))
    """
    name, sign, value = written.partition("=")
    if not sign or not name.isidentifier():
        raise BadExtractorOption(f"{written!r} is no option with a value; write it like eatiht:min_chars=20")
    try:
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except ValueError:
        return name, value


def options_of(name: str) -> dict[str, Any]:
    """Return the options of a named extractor with their defaults."""
    kind = _find(name)
    return {option.name: option.default for option in fields(kind) if option.init} if is_dataclass(kind) else {}


@dataclass(frozen=True)
class Masked:
    """Runs another extractor on the page as seen through a mask."""

    inner: Extractor
    cleaning: str

    @property
    def name(self) -> str:
        """The other extractor's name."""
        return self.inner.name

    def extract(self, page: Page) -> Extraction:
        """Return what the other extractor keeps of the masked page."""
        return self.inner.extract(page.masked(RULES[self.cleaning]))


def _check_options(kind: type[Extractor], name: str, options: Mapping[str, Any]) -> None:
    """Raise `BadExtractorOption` for an option that is unknown, or of another type than its default."""
    known = options_of(name) if is_dataclass(kind) else dict(options)
    for option, value in options.items():
        if option not in known:
            can = f"its options are {', '.join(known)}" if known else "it has no options"
            raise UnknownOption(f"extractor {name!r} has no option {option!r}; {can}")
        wanted = type(known[option])
        if wanted is int and type(value) is int and value < 0:
            raise BadExtractorOption(f"extractor {name!r}: {option} is a number from 0 on, not {value}")
        is_fine = type(value) is wanted or (wanted is float and type(value) is int)
        if wanted in (bool, int, float, str) and not is_fine:
            raise BadExtractorOption(
                f"extractor {name!r}: {option} takes a value of type {wanted.__name__}, not {value!r}"
            )


def _missing(kind: type[Extractor]) -> list[str]:
    """Return the packages that an extractor needs and that are not installed."""
    return [package for package in getattr(kind, "requires", ()) if importlib.util.find_spec(package) is None]


def _find(name: str) -> type[Extractor]:
    if name not in _REGISTRY and not _import_one(name):
        _import_all()
    if name in _REGISTRY:
        if missing := _missing(_REGISTRY[name]):
            extra = getattr(_REGISTRY[name], "extra", "")
            brings = f"newsextract[{extra}]" if extra else " ".join(missing)
            raise UnknownExtractor(f"{name!r} needs {', '.join(missing)}: pip install '{brings}'")
        return _REGISTRY[name]
    if "." not in name:
        raise UnknownExtractor(f"no extractor is called {name!r}; there are {', '.join(extractor_names())}")
    module_name, _, attribute = name.rpartition(".")
    try:
        kind: type[Extractor] = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise UnknownExtractor(f"cannot import the extractor {name!r}: {error}") from error
    if not callable(getattr(kind, "extract", None)):
        raise UnknownExtractor(f"{name!r} is not an extractor: it has no method `extract`")
    return kind


def _import_one(name: str) -> bool:
    """Import the file that is named after an extractor, if there is one; tell whether that was enough."""
    if name.isidentifier() and importlib.util.find_spec(f"{_FOLDER}.{name}"):
        importlib.import_module(f"{_FOLDER}.{name}")
    return name in _REGISTRY


@cache
def _import_all() -> None:
    """Import every file of the extractors' folder, so that a new extractor needs only a new file."""
    package = importlib.import_module(_FOLDER)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


# Keep all text: the control in comparisons, which shows what a page holds.


@register
@dataclass(frozen=True)
class Everything:
    """Keeps every block of the page."""

    name: ClassVar[str] = "everything"

    def extract(self, page: Page) -> Extraction:
        """Return all the visible text."""
        return Extraction(self.name, page.blocks)
