"""What a training needs before it can start."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def missing_for(corpora: Path, names: Iterable[str], packages: Iterable[str]) -> str | None:
    """Return which of the packages, or else of the corpora in their folder, are missing, if any."""
    if absent := [name for name in packages if importlib.util.find_spec(name) is None]:
        return f"training needs {', '.join(absent)}: pip install 'newsextract[train]'"
    absent = [f"{name}.jsonl.xz" for name in names if not (corpora / f"{name}.jsonl.xz").exists()]
    return f"training needs annotated corpora, and {corpora} has no {', '.join(absent)}" if absent else None
