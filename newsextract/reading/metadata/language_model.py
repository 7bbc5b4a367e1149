"""The language model of py3langid, unpacked once into the user's cache folder and shared by all processes via mmap.

The package ships it compressed. Unpacking takes more than half a second and 85 MB in every process; mapping takes
milliseconds. If the cache folder is not writable, each process unpacks the model for itself.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

logger = logging.getLogger(__name__)

_ARRAYS = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_row", "tk_output")
"""The attributes of an identifier that make up the model; one file each."""


def language_identifier(unwanted: Collection[str], cache: Path | None = None) -> LanguageIdentifier:
    """Return an identifier of all languages with a two-letter code, except the unwanted ones.

    `cache` is the folder for the unpacked model (60 MB); the default is the user's cache folder.
    """
    from platformdirs import user_cache_path  # noqa: PLC0415 - only pages that declare no language need the model

    model = _folder(unwanted, cache or user_cache_path("newsextract"))
    try:
        return _mapped(model)
    except (OSError, EOFError, ValueError):  # missing or incomplete
        unpacked = _unpacked(unwanted)
    try:
        _save(unpacked, model)
        return _mapped(model)
    except (OSError, EOFError, ValueError) as error:
        logger.debug("the language model is not kept in %s: %s", model, error)
        return unpacked


def _folder(unwanted: Collection[str], cache: Path) -> Path:
    """Return the folder for this py3langid version without these languages."""
    from importlib.metadata import version  # noqa: PLC0415 - only pages that declare no language need the model

    key = " ".join((version("py3langid"), *sorted(unwanted)))
    return cache / f"language-model-{sha256(key.encode()).hexdigest()[:16]}"


def _unpacked(unwanted: Collection[str]) -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - rarely needed, and slow to import

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([label for label in identifier.labels if len(label) == 2 and label not in unwanted])
    return identifier


def _save(identifier: LanguageIdentifier, folder: Path) -> None:
    """Write the model atomically: another process may do the same at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        for name in _ARRAYS:
            with (made / f"{name}.npy").open("wb") as file:
                np.save(file, np.asarray(getattr(identifier, name)), allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
        if folder.exists():  # unreadable remains
            shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _mapped(folder: Path) -> LanguageIdentifier:
    arrays: dict[str, NDArray[np.generic]] = {
        name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS
    }
    from py3langid.langid import LanguageIdentifier  # noqa: PLC0415 - likewise

    return LanguageIdentifier(
        arrays["nb_ptc"],
        arrays["nb_pc"],
        arrays["nb_classes"].tolist(),
        arrays["tk_nextmove"].data,  # single values of a memoryview are read faster than those of an array
        arrays["tk_output"].tolist(),
        norm_probs=True,
        tk_row=arrays["tk_row"].tolist(),
    )
