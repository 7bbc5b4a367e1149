"""Runs the commands of which a release is made."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LAST_LINES = 15

LONGEST_SECONDS = 900.0
"""A command that takes longer hangs: building takes seconds, an installation a minute or two on a slow line."""


class ReleaseError(RuntimeError):
    """A step failed; the message has the command and the end of what it printed."""


def run(*command: str | Path, folder: Path | None = None, more: Mapping[str, str] | None = None) -> str:
    """Run a command as a stranger to this checkout, and return what it printed.

    Raises:
        ReleaseError: it cannot be run, failed, or hangs.
    """
    words = [str(part) for part in command]
    # Nothing of the checkout or of the shell's own environment may stand in for what is missing.
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE")
    kept = {
        name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("NEWSEXTRACT_")
    }
    try:
        done = subprocess.run(
            words, cwd=folder, env=kept | dict(more or {}), text=True, check=False, timeout=LONGEST_SECONDS,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ReleaseError(f"{' '.join(words)}: {error}") from error
    if done.returncode:
        end = "\n  ".join(done.stdout.strip().splitlines()[-_LAST_LINES:])
        raise ReleaseError(f"{' '.join(words)} ended with exit code {done.returncode}:\n  {end}")
    return done.stdout
