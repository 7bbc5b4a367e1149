"""A data set in Croissant, the vocabulary by which programs find, check and load data sets.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from newsextract import __version__
from newsextract.archives.dataset.column_meanings import meaning_of
from newsextract.archives.dataset.dataset_figures import ARTICLES, FILES, RECORDS
from newsextract.archives.dataset.introduction import introduction

if TYPE_CHECKING:
    from newsextract.archives.dataset.dataset_figures import Figures

NAME = "newsextract-articles"

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
"""The names as version 1.0 of the format gives them; programs warn of any other."""

_ABOUT = {
    ARTICLES: "The articles, a row each.",
    RECORDS: "What became of every record of the archives, a row each.",
}


def croissant(figures: Figures) -> dict[str, Any]:
    """Return the metadata of a data set, ready for JSON; its tables are found beside it."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": NAME,
        "description": introduction(figures),
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "isLiveDataset": False,
        "inLanguage": sorted(filter(None, figures.languages)),
        "creator": {"@type": "sc:Organization", "name": f"newsextract {__version__}"},
        "distribution": [_file_set(part) for part in figures.schemas],
        "recordSet": [_record_set(part, schema) for part, schema in figures.schemas.items()],
    }


def _file_set(part: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet", "@id": f"{part}-files", "name": f"{part}-files", "description": _ABOUT[part],
        "encodingFormat": "application/x-parquet", "includes": FILES[part],
    }  # fmt: skip


def _record_set(part: str, schema: pa.Schema) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet", "@id": part, "name": part, "description": _ABOUT[part],
        "field": [_field(part, column, column.name) for column in schema],
    }  # fmt: skip


_TYPES = (
    (pa.types.is_boolean, "sc:Boolean"),
    (pa.types.is_integer, "sc:Integer"),
    (pa.types.is_floating, "sc:Float"),
    (pa.types.is_string, "sc:Text"),
)


def _field(above: str, column: pa.Field, file_column: str, path: str = "$") -> dict[str, Any]:
    """Return a column, or what lies in one under a path; `above` is the id of what it lies in."""
    kind, is_list = column.type, pa.types.is_list(column.type)
    kind = kind.value_type if is_list else kind
    own = f"{above}/{column.name}"
    told: dict[str, Any] = {"@type": "cr:Field", "@id": own, "name": own}
    if about := meaning_of(column) if path == "$" else "":
        told["description"] = about
    if is_list:
        told["repeated"] = True
    if pa.types.is_struct(kind):
        return told | {"subField": [_field(own, inner, file_column, f"{path}.{inner.name}") for inner in kind]}
    source: dict[str, Any] = {
        "fileSet": {"@id": f"{above.partition('/')[0]}-files"},
        "extract": {"column": file_column},
    }
    if path != "$":
        source["transform"] = {"jsonPath": path.removeprefix("$.")}
    return told | {"dataType": next(name for fits, name in _TYPES if fits(kind)), "source": source}
