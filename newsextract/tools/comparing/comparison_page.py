"""The comparison as one self-contained HTML file: nothing is loaded, and only its own script may run."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Any

from newsextract.lab.evaluation.reports.embedding import broken_safe, script_safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_EVALUATION, _OWN = "newsextract.lab.evaluation.reports", __package__
_STYLES = ((_EVALUATION, "theme.css"), (_OWN, "compare.css"), (_OWN, "panel.css"))
"""The colours and type of all reports, then what is this one's."""
_SCRIPTS = ("model.js", "frame.js", "panel.js", "controls.js")


def report_page(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return the file for the results of `compare`, one for each page."""
    script = broken_safe("\n".join(_part(name) for name in _SCRIPTS))
    written = Template(_part("compare.html")).substitute(
        styles="\n".join(_part(name, room) for room, name in _STYLES),
        script=script,
        # A policy by hash: no handler and no other script runs, whatever else the file may hold.
        digest=b64encode(sha256(f"\n{script}\n".encode()).digest()).decode(),
        title=escape(str(pages[0]["title"])),
        pages=script_safe(list(pages)),
    )
    return broken_safe(written)


def write_report_page(pages: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the file."""
    path.write_text(report_page(pages), encoding="utf-8")


def _part(name: str, room: str = _OWN) -> str:
    return (resources.files(room) / "report" / name).read_text(encoding="utf-8")
