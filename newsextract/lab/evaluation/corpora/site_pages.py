"""The pages of sites, from a corpus or from a plain folder of one site's pages."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.corpora.corpora import CorpusError, read_corpus
from newsextract.lab.evaluation.corpora.gold_pages import GoldPage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ENDINGS = (".html", ".htm")


def read_sites(path: Path, only: str | None = None) -> dict[str, list[GoldPage]]:
    """Return the pages of each site, or only of one, as a corpus tells them; a folder without gold is one site.

    Raises:
        CorpusError: there is nothing of the kind at the path.
    """
    sites: dict[str, list[GoldPage]] = defaultdict(list)
    for page in _read_folder(path) if _is_plain_folder(path) else read_corpus(path):
        if isinstance(page, GoldPage) and page.site is not None and only in (None, page.site):
            sites[page.site].append(page)
    if not sites:
        raise CorpusError(f"{path} has no page of {only}" if only else f"{path} has no page whose site is known")
    return sites


def _is_plain_folder(path: Path) -> bool:
    """Tell whether a folder holds pages and nothing that says what their text is."""
    if not path.is_dir():
        return False
    endings = {file.suffix.lower() for file in path.iterdir()}
    return ".json" not in endings and not endings.isdisjoint(_ENDINGS)


def _read_folder(path: Path) -> Iterator[GoldPage]:
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in _ENDINGS:
            yield GoldPage(path.name, file.name, file.read_bytes(), str(file), site=path.name)
