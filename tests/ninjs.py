"""What ninjs 2.4 allows, as a JSON Schema written after the specification: http://www.iptc.org/std/ninjs/.

Without its titles and descriptions, and without what no article of ours has: contacts, places, financial symbols, and
technical properties of renditions are refused.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

STRING = {"type": "string"}
URI = {"type": "string", "format": "uri"}
TIME = {"type": "string", "format": "date-time"}
NUMBER = {"type": "number"}


def choice(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def record(*required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object", "additionalProperties": False, "properties": properties, "required": list(required)
    }  # fmt: skip


def listed(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


TEXT = {"role": STRING, "contenttype": STRING, "value": STRING}
NAMED = {"name": STRING, "uri": URI, "literal": STRING}
PERCENT = {"type": "integer", "minimum": 0, "maximum": 100}

NEWS_ITEM = {
    "uri": URI,
    "type": choice("text", "audio", "video", "picture", "graphic", "composite", "component"),
    "representationtype": choice("full", "partial"),
    "pubstatus": choice("usable", "withheld", "canceled"),
    "urgency": {"type": "integer", "minimum": 1, "maximum": 9},
    **dict.fromkeys(
        (
            "profile", "version", "copyrightholder", "copyrightnotice", "usageterms", "ednote", "language", "title",
            "by", "slugline", "located",
        ),
        STRING,
    ),
    **dict.fromkeys(
        ("firstcreated", "versioncreated", "contentcreated", "contentdigitised", "embargoed", "expires"), TIME
    ),
    "headlines": listed(record("value", **TEXT)),
    "descriptions": listed(record("value", **TEXT)),
    "bodies": listed(record("value", **TEXT, charcount=NUMBER, wordcount=NUMBER)),
    **dict.fromkeys(("people", "organisations", "events", "objects"), listed(record(**NAMED, rel=STRING))),
    "subjects": listed(record(**NAMED, rel=STRING, creator=STRING, relevance=PERCENT, confidence=PERCENT)),
    "infosources": listed(record(**NAMED, role=STRING)),
    "genres": listed(record(name=STRING, uri=STRING, literal=STRING)),
    "renditions": listed(
        record(
            "name", name=STRING, href=URI, contenttype=STRING, title=STRING, height=NUMBER, width=NUMBER,
            sizeinbytes=NUMBER, duration=NUMBER, format=STRING,
        )
    ),
    "altids": listed(record(role=STRING, value=STRING)),
    "trustindicators": listed(record(role=URI, title=STRING, href=URI)),
    "standard": record(name=STRING, version=STRING, schema=URI),
    "rightsinfo": {
        "type": "object",
        "properties": {"langid": URI, "linkedrights": URI, "encodedrights": STRING},
        "oneOf": [{"required": ["linkedrights"]}, {"required": ["encodedrights"]}],
    },
    "digitalsourcetype": record(**NAMED),
}  # fmt: skip
ASSOCIATED = record("name", "uri", **NEWS_ITEM, name=STRING)
SCHEMA = record("uri", **NEWS_ITEM, associations=listed(ASSOCIATED))

FORMATS = FormatChecker(formats=())


@FORMATS.checks("uri")
def is_uri(value: object) -> bool:
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+", str(value)) is not None


@FORMATS.checks("date-time", raises=ValueError)
def is_time(value: object) -> bool:
    pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
    return bool(re.fullmatch(pattern, str(value)) and datetime.fromisoformat(str(value)))


def errors_of(item: dict[str, Any]) -> list[str]:
    """Return what is wrong with an item, by place."""
    validator = Draft202012Validator(SCHEMA, format_checker=FORMATS)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(item)]
