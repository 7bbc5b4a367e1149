"""Former dotted paths, which projects use in their settings and imports, still find their modules, with a warning.

A module is the same object under both paths. Nothing is imported before such a path is asked for.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

_HERE = __name__.partition(".")[0]

UNTIL = "0.4"
"""The first version without these paths: two minor versions after they were deprecated, see docs/versions.md."""

MOVED = {
    "blocks": "page.blocks",
    "delivery": "newsroom.delivery",
    "delivery.announcing": "newsroom.delivery.envelope",
    "delivery.atom_xml": "newsroom.delivery.atom_files",
    "delivery.whole_lines": "newsroom.delivery.json_lines_file",
    "demo": "tools.demo",
    "deployment": "tools.deployment",
    "desk": "newsroom.desk",
    "desk.choice": "newsroom.desk.article_selection",
    "desk.serving": "newsroom.desk.application",
    "extensions": "crawl.extensions",
    "extensions.database": "crawl.extensions.database_writer",
    "extensions.delivery": "crawl.extensions.outbox_delivery",
    "extensions.health": "crawl.extensions.site_health",
    "extensions.history": "crawl.extensions.article_history",
    "extensions.watch": "crawl.extensions.watch_matching",
    "extraction": "reading.extraction.contract",
    "extractors": "reading.extraction.extractors",
    "metadata": "reading.metadata",
    "middlewares": "crawl.middlewares",
    "middlewares.articles": "crawl.middlewares.article_requests",
    "middlewares.private_addresses": "crawl.middlewares.private_address_guard",
    "outcome": "reading.page_state",
    "pipelines": "crawl.pipelines",
    "pipelines.database": "crawl.pipelines.article_storage",
    "pipelines.extraction": "crawl.pipelines.article_extraction",
    "pipelines.languages": "crawl.pipelines.language_filter",
    "spiders": "crawl.spiders",
    "storage.stories": "storage.copies.story_view",
    "training": "training",
}
"""Paths below `newsextract`; what lies in a package that moved has moved with it."""

ABSORBED = {
    "page": "page.page",
    "reading": "reading.reader",
    "storage.revisions": "storage.revisions.revision_store",
}
"""Modules whose path is now that of the package they lie in."""


def install() -> None:
    """Make imports follow `MOVED`."""
    if not any(isinstance(finder, _FormerPaths) for finder in sys.meta_path):
        # First: other finders would look into a package that moved, and load its files a second time.
        sys.meta_path.insert(0, _FormerPaths())


def former_names(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose path was a module's before."""
    module = f"{_HERE}.{ABSORBED[package.removeprefix(f'{_HERE}.')]}"

    def find(name: str) -> Any:
        if name.startswith("_") or find_spec(f"{package}.{name}"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(module), name)
        _warn(f"{package}.{name}", f"{module}.{name}")
        return found

    return find


class _FormerPaths(MetaPathFinder):
    """Finds modules by their former paths."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return how to load a module by its former path, `None` for all others."""
        now = _path_now(fullname) if fullname.startswith(f"{_HERE}.") else None
        present = find_spec(now) if now else None
        if present is None:
            return None
        is_package = present.submodule_search_locations is not None
        spec = ModuleSpec(fullname, _Alias(present), origin=present.origin, is_package=is_package)
        spec.submodule_search_locations = present.submodule_search_locations
        return spec


class _Alias(InspectLoader):
    """Loads a former path as the module that has moved."""

    def __init__(self, present: ModuleSpec) -> None:
        self.present = present

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module at its present path."""
        _warn(spec.name, self.present.name)
        module = import_module(self.present.name)
        self.present = cast("ModuleSpec", module.__spec__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back its own spec, which importing it under another name has replaced."""
        module.__spec__ = self.present

    def get_code(self, _: str) -> CodeType | None:
        """Return the code that `python -m` runs."""
        return self._loader.get_code(self.present.name)

    def get_source(self, _: str) -> str | None:
        """Return the source, for tracebacks."""
        return self._loader.get_source(self.present.name)

    @property
    def _loader(self) -> InspectLoader:
        return cast("InspectLoader", self.present.loader)


def _path_now(fullname: str) -> str | None:
    """Return where a module is now, `None` where it has not moved.

    >>> _path_now("newsextract.pipelines.database"), _path_now("newsextract.pipelines.duplicates")
    ('newsextract.crawl.pipelines.article_storage', 'newsextract.crawl.pipelines.duplicates')
    >>> _path_now("newsextract.article") is None
    True
    """
    former, below = fullname.removeprefix(f"{_HERE}."), ""
    while former and former not in MOVED:
        former, _, last = former.rpartition(".")
        below = f".{last}{below}"
    return f"{_HERE}.{MOVED[former]}{below}" if former else None


def _warn(former: str, now: str) -> None:
    warnings.warn(f"{former} is now {now}; version {UNTIL} ends the former path", DeprecationWarning, stacklevel=3)
