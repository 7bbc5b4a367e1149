"""Writes the files that describe a data set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from newsextract.archives.dataset.croissant import croissant
from newsextract.archives.dataset.dataset_card import card
from newsextract.archives.dataset.dataset_figures import measure
from newsextract.archives.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CARD, CROISSANT = "README.md", "croissant.json"


def describe_dataset(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write `README.md` and `croissant.json` into a folder with `articles/**/*.parquet` and maybe `records/*.parquet`.

    `summary` holds the counts of the run, by name; what is in `ends` is counts by `RecordEnd`. Both files follow from
    the tables and the summary alone: the same folder has the same files, however often they are written.
    """
    figures = measure(folder)
    write_whole(folder / CARD, card(figures, summary))
    write_whole(folder / CROISSANT, json.dumps(croissant(figures), indent=2, ensure_ascii=False) + "\n")
