"""The compiled core: loops over numbers that cost numpy a call a step, built from `kernels.py` where a C compiler is.

It is optional. Without it numpy computes the same, to the last bit. `make core` builds it beside its source; where the
source has changed since, what was built is not used. `NEWSEXTRACT_CORE=0` switches it off.
"""

from __future__ import annotations

import os
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

SWITCH = "NEWSEXTRACT_CORE"
_FOLDER = Path(__file__).parent
SOURCES = ("kernels.py", "kernels.pxd")
_BUILT = f"{__name__}.built"


def fingerprint(folder: Path = _FOLDER) -> str:
    """Return a digest of the core's source, which the build puts into what it makes."""
    return sha256(b"\0".join((folder / name).read_bytes() for name in SOURCES)).hexdigest()


def _load() -> tuple[Any, str]:
    """Return the module of the compiled core, or `None`, and how that is."""
    if os.environ.get(SWITCH) == "0":
        return None, f"switched off by {SWITCH}=0"
    try:
        built = import_module(_BUILT)
    except ImportError as error:
        is_absent = error.name == _BUILT
        return None, "not built" if is_absent else f"cannot be loaded ({error}): build it again with `make core`"
    try:
        is_current = fingerprint() == built.SOURCE
    except (OSError, AttributeError):
        is_current = False
    return (built, "in use") if is_current else (None, "older than its source: build it again with `make core`")


core, state = _load()
"""The module, or `None` where numpy is used instead; and a phrase for people."""
