"""The compiled core: loops over numbers and texts, which cost numpy a call a step, built where a C compiler is.

It is optional. Without it numpy computes the same, to the last bit. `make core` builds it beside its source; if the
source has changed since, what was built is not used. `NEWSEXTRACT_CORE=0` switches it off.
"""

from __future__ import annotations

import os
import warnings
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

SWITCH = "NEWSEXTRACT_CORE"
PARTS = ("outline_loops", "feature_loops")
"""The sources, each of a `.py` and a `.pxd`; what is built of them has `_built` behind its name."""
_FOLDER = Path(__file__).parent
IN_USE = "in use"
NOT_BUILT = "not built"


def fingerprint(part: str, folder: Path = _FOLDER) -> str:
    """Return a digest of a part's source, which the build puts into what it makes."""
    return sha256(b"\0".join((folder / f"{part}{end}").read_bytes() for end in (".py", ".pxd"))).hexdigest()


def load(package: str = __name__, folder: Path = _FOLDER) -> tuple[Any, Any, str]:
    """Return the modules of the two parts, or `None` for both, and how that is."""
    if os.environ.get(SWITCH) == "0":
        return None, None, f"switched off by {SWITCH}=0"
    names = [f"{package}.{part}_built" for part in PARTS]
    try:
        built = [import_module(name) for name in names]
        is_current = all(fingerprint(part, folder) == each.SOURCE for each, part in zip(built, PARTS, strict=True))
    except ModuleNotFoundError as error:
        if error.name in names:
            return None, None, NOT_BUILT
        raise
    except (ImportError, AttributeError, OSError):
        is_current = False
    if is_current:
        return built[0], built[1], IN_USE
    state = "not that of this source: build it again with `make core`"
    warnings.warn(f"the compiled core is not used, because it is {state}", RuntimeWarning, stacklevel=2)
    return None, None, state


outline, features, state = load()
"""The parts for outlines of pages and for features of blocks, `None` where numpy computes; and a phrase for people."""
