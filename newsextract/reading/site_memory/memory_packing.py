"""Pack the memory of a site into bytes: numpy arrays and JSON, compressed; never pickled code."""

from __future__ import annotations

import io
import json
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from newsextract.reading.site_memory.page_group import PageGroup
from newsextract.reading.site_memory.site_memory import SiteMemory, TitleMemory
from newsextract.reading.site_memory.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 1
"""Version of the fingerprints and arrays: what another version wrote cannot be compared, and is learned anew."""

_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error)


class BadMemory(ValueError):  # noqa: N818 - the name says that it is an error
    """The bytes are not a site's memory, or one of another version."""


def pack(memory: SiteMemory) -> bytes:
    """Return the memory as bytes."""
    groups, titles = memory.groups, memory.titles
    head = {
        "version": VERSION,
        "site": memory.site,
        "pages": memory.pages,
        "ends": titles.ends,
        "groups": [_head(group) for group in groups],
    }
    arrays: dict[str, NDArray[Any]] = {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "counted": np.array(list(memory.counted), np.uint64),
        "titles": np.frombuffer(b"".join(titles.titles), np.uint8),
    }
    for name in ("blocks", "places"):
        tallies: list[Tally] = [getattr(group, name) for group in groups]
        width = 3 if name == "blocks" else 4
        arrays[f"{name}_keys"] = np.concatenate([np.zeros(0, np.uint64), *(tally.keys for tally in tallies)])
        empty = np.zeros((0, width), np.float32)
        arrays[f"{name}_values"] = np.concatenate([empty, *(tally.values for tally in tallies)])
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def unpack(packed: bytes) -> SiteMemory:
    """Return the memory that these bytes hold.

    Raises:
        BadMemory: they are not a site's memory, or one of another version.
    """
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            held = {name: arrays[name] for name in arrays.files}
        head = json.loads(held["head"].tobytes())
        return _memory(head, held)
    except BadMemory:
        raise
    except _UNREADABLE as error:
        raise BadMemory(f"not a memory of a site: {error}") from error


def _head(group: PageGroup) -> dict[str, Any]:
    return {
        "number": group.number,
        "pages": group.pages,
        "newest": group.newest,
        "day": group.day,
        "blocks": len(group.blocks),
        "places": len(group.places),
        "names": group.names,
    }


def _memory(head: dict[str, Any], held: dict[str, NDArray[Any]]) -> SiteMemory:
    if head["version"] != VERSION:
        raise BadMemory(f"version {head['version']} of a site's memory, not {VERSION}")
    marks = held["titles"].tobytes()
    titles = TitleMemory(dict.fromkeys(marks[n : n + 8] for n in range(0, len(marks), 8)), Counter(head["ends"]))
    memory = SiteMemory(head["site"], head["pages"], [], dict.fromkeys(held["counted"].tolist()), titles)
    starts = {"blocks": 0, "places": 0}
    for told in head["groups"]:
        group = PageGroup(told["number"], told["pages"], told["newest"], told["day"])
        group.names = {name: Counter(counts) for name, counts in told["names"].items()}
        for name, start in starts.items():
            stop = starts[name] = start + told[name]
            keys, values = held[f"{name}_keys"][start:stop], held[f"{name}_values"][start:stop]
            if len(keys) != told[name] or len(values) != told[name]:
                raise BadMemory("not a memory of a site: it is cut short")
            setattr(group, name, Tally(values.shape[1], keys, values))
        memory.groups.append(group)
    return memory
