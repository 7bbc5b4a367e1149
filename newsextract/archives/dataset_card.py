"""What describes a data set beside its tables: a card (`README.md`) and Croissant metadata (`croissant.json`).

In: a folder of Parquet files, and the counts of the run that made it. Both files follow from these alone.
https://huggingface.co/docs/hub/datasets-cards, https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from newsextract import __version__
from newsextract.archives.tables import MEANINGS, RecordEnd
from newsextract.archives.whole_files import write_whole
from newsextract.article import Article
from newsextract.reading.usage_rights import left_out_line
from newsextract.sites.site import primary
from newsextract.storage.export import yaml_header
from newsextract.storage.schema import ARTICLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

FILES = {"articles": "articles/*/*.parquet", "records": "records/*.parquet"}
"""The tables of each part: those of articles lie in a folder for each month."""

_ABOUT = {
    "articles": "The articles, a row each.",
    "records": "What became of every record of the archives, a row each.",
}
_AT_ONCE = 10_000
_RIGHTS = {
    "tdmReservation": "reserve the rights to text and data mining (`usage_rights.tdmReservation`)",
    "ai": "forbid training (`usage_rights.ai` is false)",
    "robots": "limit the use by directives for robots (`usage_rights.robots`)",
}
_USE = """The texts belong to their publishers; this file grants no licence to them. Rows are as their pages stated them
when they were fetched: filter by `usage_rights` as your purpose demands, and look up what has changed since. A page
that states nothing has not given its consent. Names of authors and of people in the news are personal data.
Nothing was left out for its quality, and near duplicates are in."""

_LOAD = '```python\nfrom datasets import load_dataset\n\narticles = load_dataset("PATH", split="train")\n```'

_CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/", "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty", "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
    "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated",
    "replace": "cr:replace", "samplingRate": "cr:samplingRate", "sc": "https://schema.org/",
    "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip
"""The names as version 1.0 of Croissant gives them; programs warn of any other."""

_TYPES = (
    (pa.types.is_boolean, "sc:Boolean"),
    (pa.types.is_integer, "sc:Integer"),
    (pa.types.is_floating, "sc:Float"),
    (pa.types.is_timestamp, "sc:DateTime"),
    (pa.types.is_string, "sc:Text"),
)


@dataclass
class Figures:
    """The counts of a data set; a part without a table has no schema."""

    schemas: dict[str, pa.Schema] = field(default_factory=dict)
    articles: int = 0
    words: int = 0
    months: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    """By code, without region; an empty one for texts without a language."""
    rights: Counter[str] = field(default_factory=Counter)
    """Articles whose pages state what `_RIGHTS` names."""

    @property
    def introduction(self) -> str:
        """What the data set is, in a few sentences."""
        origin = "web archives (WARC files)" if "records" in self.schemas else "the database of a crawl"
        known = len([*filter(None, self.languages)])
        return (
            f"{self.articles:,} news articles in {f'{known} languages' if known != 1 else 'one language'}, with "
            f"{self.words:,} words, extracted from {origin} by newsextract. Each has its text, its metadata with their "
            "sources, and what its page states about use by machines."
        )


def describe_dataset(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write both files into a folder with `articles/**/*.parquet` and maybe `records/*.parquet`.

    `summary` holds further counts of the run, by name; what is in `ends` is counts by `RecordEnd`.
    """
    figures = measure(folder)
    write_whole(folder / "README.md", card(figures, summary))
    write_whole(folder / "croissant.json", json.dumps(croissant(figures), indent=2, ensure_ascii=False) + "\n")


def measure(folder: Path) -> Figures:
    """Return the figures of the tables in a folder; memory does not grow with them."""
    figures = Figures()
    for part, files in FILES.items():
        for path in sorted(path for path in folder.glob(files) if not path.name.startswith(("_", "."))):
            with pq.ParquetFile(path) as table:
                figures.schemas.setdefault(part, table.schema_arrow)
                if part == "articles":
                    figures.articles += table.metadata.num_rows
                    figures.months[path.parent.name.partition("=")[2]] += table.metadata.num_rows
                    for batch in table.iter_batches(_AT_ONCE, columns=["in_language", "word_count", "usage_rights"]):
                        _count(batch, figures)
    return figures


def _count(batch: pa.RecordBatch, figures: Figures) -> None:
    for pair in pc.value_counts(batch["in_language"]).to_pylist():
        figures.languages[primary(pair["values"]) or ""] += pair["counts"]
    figures.words += pc.sum(batch["word_count"]).as_py() or 0
    reserved, ai, robots = (pc.struct_field(batch["usage_rights"], name) for name in _RIGHTS)
    figures.rights["tdmReservation"] += pc.sum(reserved).as_py() or 0
    figures.rights["ai"] += pc.sum(pc.equal(ai, False)).as_py() or 0
    figures.rights["robots"] += pc.sum(pc.greater(pc.list_value_length(robots), 0)).as_py() or 0


def card(figures: Figures, summary: Mapping[str, Any]) -> str:
    """Return the text of the card."""
    header = {
        "pretty_name": "News articles",
        "license": "unknown",
        "language": sorted(filter(None, figures.languages)),
        "task_categories": ["text-generation"],
        "tags": ["news", "newsextract", "croissant"],
        "configs": [
            {"config_name": part, "data_files": FILES[part], **({"default": True} if part == "articles" else {})}
            for part in figures.schemas
        ],
    }
    stated = f"---\n{yaml_header({name: value for name, value in header.items() if value})}---"
    return "\n\n".join((stated, "# News articles", figures.introduction, *_sections(figures, summary))) + "\n"


def _sections(figures: Figures, summary: Mapping[str, Any]) -> Iterator[str]:
    if "articles" in figures.schemas:
        yield _LOAD
    yield "## Use and rights"
    yield _USE
    yield _table(("articles whose pages", ""), ((f"{figures.rights[key]:,}", about) for key, about in _RIGHTS.items()))
    if use := summary.get("rights"):
        yield f"Of the articles that were found, {left_out_line(use, summary.get('left_out', {}))}."
    yield "## Counts"
    counts = {name.replace("_", " "): value for name, value in summary.items() if isinstance(value, int | str)}
    shown = ((name, f"{value:,}" if isinstance(value, int) else value) for name, value in counts.items())
    yield _table(("", "count"), shown)
    if ends := summary.get("ends"):
        yield _table(
            ("end of a record", "records", ""), ((end, f"{ends.get(end, 0):,}", MEANINGS[end]) for end in RecordEnd)
        )
    yield _table(("month", "articles"), ((month, f"{count:,}") for month, count in sorted(figures.months.items())))
    common = sorted(figures.languages.items(), key=lambda pair: (-pair[1], pair[0]))
    yield _table(("language", "articles"), ((code or "unknown", f"{count:,}") for code, count in common))
    for part, schema in figures.schemas.items():
        yield f"## Columns of `{part}`"
        yield _table(
            ("column", "type", ""), ((f"`{one.name}`", type_name(one.type), meaning_of(one)) for one in schema)
        )
    yield f"Made by newsextract {__version__}."


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; what comes from pages or commands cannot leave its cell."""
    lines = (heads, ["---"] * len(heads), *rows)
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "\\<")


def type_name(kind: pa.DataType) -> str:
    """Return the name of a type for people, the names of its parts in brackets.

    >>> import pyarrow as pa
    >>> type_name(pa.list_(pa.struct([("name", pa.string()), ("url", pa.string())])))
    'list of (name, url)'
    """
    if pa.types.is_list(kind):
        return f"list of {type_name(kind.value_type)}"
    if pa.types.is_timestamp(kind):
        return "timestamp, UTC"
    return f"({', '.join(inner.name for inner in kind)})" if pa.types.is_struct(kind) else str(kind)


def meaning_of(column: pa.Field) -> str:
    """Return a sentence on a column: its own comment, or the docstring of the article's field."""
    own = (column.metadata or {}).get(b"comment", b"").decode()
    return own or _meanings_of_fields().get(column.name, "")


@cache
def _meanings_of_fields() -> Mapping[str, str]:
    from itemadapter import ItemAdapter  # noqa: PLC0415 - imports Scrapy, half a second that a run with nothing to do lacks

    schema = ItemAdapter.get_json_schema(Article)
    return {
        column.name: f"`{column.path[0]}` in UTC, to the second." if column.is_utc else _described(schema, column.path)
        for column in ARTICLE_COLUMNS
    }


def _described(schema: Mapping[str, Any], path: tuple[str, ...]) -> str:
    """Return the description of a field; of `mainImage.url`, where only that part has a column, the outer one's."""
    part = schema["properties"][path[0]]
    inner: Mapping[str, Any] = next((one for one in part.get("anyOf", [part]) if "properties" in one), {})
    if len(path) > 1 and path[0] in {"metadata", "extraction"}:
        return _described(inner, path[1:])
    return " ".join(str(part.get("description", "")).split())


def croissant(figures: Figures) -> dict[str, Any]:
    """Return the metadata of a data set, ready for JSON; its tables are found beside it."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": "newsextract-articles",
        "description": figures.introduction,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "isLiveDataset": False,
        "inLanguage": sorted(filter(None, figures.languages)),
        "creator": {"@type": "sc:Organization", "name": f"newsextract {__version__}"},
        "distribution": [_file_set(part) for part in figures.schemas],
        "recordSet": [_record_set(part, schema) for part, schema in figures.schemas.items()],
    }


def _file_set(part: str) -> dict[str, Any]:
    name = f"{part}-files"
    return {"@type": "cr:FileSet", "@id": name, "name": name, "description": _ABOUT[part],
            "encodingFormat": "application/x-parquet", "includes": FILES[part]}  # fmt: skip


def _record_set(part: str, schema: pa.Schema) -> dict[str, Any]:
    columns = [_field(part, column, column.name) for column in schema]
    return {"@type": "cr:RecordSet", "@id": part, "name": part, "description": _ABOUT[part], "field": columns}


def _field(above: str, column: pa.Field, file_column: str, path: str = "$") -> dict[str, Any]:
    """Return a column, or what lies in one under a path; `above` is the id of what it lies in."""
    kind, is_list = column.type, pa.types.is_list(column.type)
    kind = kind.value_type if is_list else kind
    own = f"{above}/{column.name}"
    found: dict[str, Any] = {"@type": "cr:Field", "@id": own, "name": own}
    if about := meaning_of(column) if path == "$" else "":
        found["description"] = about
    if is_list:
        found["repeated"] = True
    if pa.types.is_struct(kind):
        return found | {"subField": [_field(own, inner, file_column, f"{path}.{inner.name}") for inner in kind]}
    source: dict[str, Any] = {
        "fileSet": {"@id": f"{above.partition('/')[0]}-files"},
        "extract": {"column": file_column},
    }
    if path != "$":
        source["transform"] = {"jsonPath": path.removeprefix("$.")}
    return found | {"dataType": next(name for fits, name in _TYPES if fits(kind)), "source": source}
