"""Options of extractors as people write them in arguments."""

from __future__ import annotations

import json
from typing import Any


def named_value(written: str) -> tuple[str, Any]:
    """Return the name and value of an extractor's option, the value parsed as JSON if possible, else as text.

    Raises:
        ValueError: it has no name, or no value.

    >>> named_value("min_chars=20"), named_value("cleaning=wutsi")
    (('min_chars', 20), ('cleaning', 'wutsi'))
    """
    name, sign, value = written.partition("=")
    if not sign or not name.isidentifier():
        raise ValueError(f"{written!r} is not an option; write min_chars=20")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
