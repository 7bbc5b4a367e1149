"""Report a replay in the terminal: by field, by site, and the largest changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from newsextract.tools.replaying.article_comparison import BODY, CHANGED, EMPTIED, FIELDS, FILLED, LONGER, SHORTER
from newsextract.tools.replaying.replay_summary import NO_ARTICLE, sentence, shown
from newsextract.tools.replaying.word_diff import GAP, Segment, word_diff

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from newsextract.tools.replaying.article_comparison import Comparison, FieldChange
    from newsextract.tools.replaying.replay_summary import Summary, Tally

MAX_SITES = 40
"""Rows of the table of sites; beyond that, only those that change most are shown."""

MAX_VALUE_CHARS = 300
"""Characters shown of a value other than the body."""

MAX_DIFF_CHARS = 4_000
"""Characters shown of the differences in one body."""

MAX_SEGMENT_CHARS = 400
"""Characters shown of a removed or added stretch; of a longer one only its ends are shown."""

_KINDS = (CHANGED, LONGER, SHORTER, EMPTIED, FILLED)
_STYLES = {"same": "dim", "removed": "red strike", "added": "green"}
"""Colours; without colour, `diff_text` uses brackets."""
_SIGNS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}


def report(summary: Summary, differences: int = 0) -> Group:
    """Return the report, with the differences of that many of the largest changes."""
    parts: list[RenderableType] = []
    if summary.total.fields:
        parts.append(_fields_table(summary.total))
    if summary.total.changed:
        parts.append(_sites_table(summary))
    for comparison in summary.largest(differences):
        parts.extend(_differences(comparison))
    return Group(*parts, Text(sentence(summary.total), "bold"))


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    for n, column in enumerate(columns):
        table.add_column(column, justify="right" if n else "left", overflow="fold", no_wrap=bool(n))
    return table


def _fields_table(total: Tally) -> Table:
    table = _table("field", "pages", *_KINDS)
    for name, told in FIELDS.items():
        if kinds := total.fields.get(name):
            table.add_row(told, str(kinds.total()), *(str(kinds[kind] or "") for kind in _KINDS))
    return table


def _sites_table(summary: Summary) -> Table:
    table = _table("site", "pages", "changed", "gone", "unread", "title", "date", "authors", "body", "F1")
    order = sorted(summary.by_site.items(), key=lambda item: (-item[1].changed, item[0]))
    for site, tally in order[:MAX_SITES]:
        counts = tally.pages, tally.changed, tally.ended, tally.unreadable
        fields = (tally.count(name) for name in ("headline", "date_published", "authors", BODY))
        score = "" if tally.mean_f1 is None else shown(tally.mean_f1)
        table.add_row(Text(site), *(str(count or "") for count in (*counts, *fields)), score)
    if len(order) > MAX_SITES:
        table.add_row(Text(f"and {len(order) - MAX_SITES} more", "dim"))
    return table


def _differences(comparison: Comparison) -> Iterator[RenderableType]:
    yield Text(f"\n{comparison.url}", "bold")
    if comparison.end is not None:
        yield Text(f"  {NO_ARTICLE}: {comparison.end}", "red")
    for change in comparison.changes:
        score = f" (F1 {shown(comparison.body_f1)})" if change.field == BODY else ""
        yield Text.assemble((f"  {FIELDS[change.field]}", "cyan"), f" {change.kind}{score}")
        yield _difference(change)


def _difference(change: FieldChange) -> Padding:
    before, after = (_written(value) for value in (change.before, change.after))
    limit = MAX_DIFF_CHARS if change.field == BODY else MAX_VALUE_CHARS
    text = diff_text(before, after)
    text.truncate(limit, overflow="ellipsis")
    return Padding(text, (0, 0, 0, 4))


def diff_text(before: str, after: str) -> Text:
    """Return two versions as one text: `[-what went-]` in red, `{+what came+}` in green."""
    parts = []
    for segment in word_diff(before, after) or [Segment("same", "white space only")]:
        opening, closing = _SIGNS[segment.role]
        stripped = segment.text.rstrip()
        gap = segment.text[len(stripped) :]
        told = f"{opening}{_with_ends(stripped)}{closing}{gap}".replace("\n", " ¶ ")
        parts.append((told, _STYLES[segment.role]))
    return Text.assemble(*parts)


def _with_ends(text: str) -> str:
    """Return a text, or the beginning and end of a long one."""
    if len(text) <= MAX_SEGMENT_CHARS:
        return text
    end = MAX_SEGMENT_CHARS // 4
    return f"{text[: MAX_SEGMENT_CHARS - end].rstrip()}{GAP}{text[-end:].lstrip()}"


def _written(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
