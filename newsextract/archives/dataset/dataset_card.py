"""The card of a data set: `README.md` with the header that the Hugging Face Hub and its `datasets` library read.

https://huggingface.co/docs/hub/datasets-cards
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from newsextract import __version__
from newsextract.archives.dataset.column_meanings import meaning_of
from newsextract.archives.dataset.dataset_figures import ARTICLES, FILES
from newsextract.archives.dataset.introduction import introduction
from newsextract.archives.tables.record_end import MEANINGS, RecordEnd
from newsextract.yaml_files import yaml_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from newsextract.archives.dataset.dataset_figures import Figures

TITLE = "News articles"

_SIZES = (("n<1K", 1_000), ("1K<n<10K", 10_000), ("10K<n<100K", 100_000), ("100K<n<1M", 1_000_000),
          ("1M<n<10M", 10_000_000), ("10M<n<100M", 100_000_000), ("100M<n<1B", 1_000_000_000))  # fmt: skip
"""The Hub's classes of size, each with the number of rows that is too many for it."""
_LARGEST = "n>1B"

_ENDS = "ends"
_MOST_LANGUAGES = 30
"""Lines of the table; the header names all."""

_RIGHTS = {
    "tdmReservation": "reserve the rights to text and data mining (`usage_rights.tdmReservation`)",
    "ai": "forbid training (`usage_rights.ai` is false)",
    "robots": "limit the use by directives for robots (`usage_rights.robots`)",
}

_USE = """The texts belong to their publishers; this file grants no licence to them. Rows are as their pages stated them
when they were fetched: filter by `usage_rights` as your purpose demands, and look up what has changed since. A page
that states nothing has not given its consent. Names of authors and of people in the news are personal data.

Columns that begin with `quality_` are signals for filters, after Gopher (Rae et al. 2021) and FineWeb (Penedo et al.
2024); nothing was left out by them."""


def card(figures: Figures, summary: Mapping[str, Any]) -> str:
    """Return the text of the card. `summary` holds further counts of the run, by name."""
    header = yaml_text(_header(figures))
    return "\n\n".join((f"---\n{header}---", f"# {TITLE}", introduction(figures), *_sections(figures, summary))) + "\n"


def _header(figures: Figures) -> dict[str, Any]:
    fits = (name for name, too_many in _SIZES if figures.articles < too_many)
    header: dict[str, Any] = {
        "pretty_name": TITLE,
        "license": "unknown",
        "language": sorted(filter(None, figures.languages)),
        "task_categories": ["text-generation"],
        "tags": ["news", "newsextract", "croissant"],
        "size_categories": [next(fits, _LARGEST)],
    }
    parts = [
        {"config_name": part, "data_files": FILES[part], **({"default": True} if part == ARTICLES else {})}
        for part in figures.schemas
    ]
    return header | ({"configs": parts} if parts else {})


def _sections(figures: Figures, summary: Mapping[str, Any]) -> Iterator[str]:
    if ARTICLES in figures.schemas:
        yield '```python\nfrom datasets import load_dataset\n\narticles = load_dataset("PATH", split="train")\n```'
    yield "## Use and rights"
    yield _USE
    yield _table(("articles whose pages", ""), ((f"{figures.rights[key]:,}", told) for key, told in _RIGHTS.items()))
    yield "## Counts"
    yield _table(("", "count"), _counts(summary))
    if ends := summary.get(_ENDS):
        known = ((end, f"{ends.get(end, 0):,}", MEANINGS[end]) for end in RecordEnd)
        yield _table(("end of a record", "records", ""), known)
    yield _table(("month", "articles"), ((month, f"{count:,}") for month, count in sorted(figures.months.items())))
    common = sorted(figures.languages.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_LANGUAGES]
    yield _table(("language", "articles"), ((code or "unknown", f"{count:,}") for code, count in common))
    for part, schema in figures.schemas.items():
        yield f"## Columns of `{part}`"
        yield _table(("column", "type", ""), _columns(schema))
    yield f"Made by newsextract {__version__}."


def _counts(summary: Mapping[str, Any], above: str = "") -> Iterator[Sequence[str]]:
    """Yield the numbers of a summary, those of its parts under both names; texts as they are."""
    for name, value in summary.items():
        told = f"{above}{name}".replace("_", " ")
        if isinstance(value, dict) and name != _ENDS:
            yield from _counts(value, f"{told}: ")
        elif isinstance(value, int):
            yield told, f"{value:,}"
        elif isinstance(value, str):
            yield told, value


def _columns(schema: pa.Schema) -> Iterator[Sequence[str]]:
    for column in schema:
        yield f"`{column.name}`", type_name(column.type), meaning_of(column)


def type_name(kind: pa.DataType) -> str:
    """Return the name of a type for people, the names of its parts in brackets.

    >>> import pyarrow as pa
    >>> type_name(pa.list_(pa.struct([("name", pa.string()), ("url", pa.string())])))
    'list of (name, url)'
    """
    if pa.types.is_list(kind):
        return f"list of {type_name(kind.value_type)}"
    return f"({', '.join(inner.name for inner in kind)})" if pa.types.is_struct(kind) else str(kind)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; what comes from pages or commands cannot leave its cell."""
    lines = (heads, ["---"] * len(heads), *rows)
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "\\<")
