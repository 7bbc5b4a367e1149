""""""

from __future__ import annotations

import json
from typing import Any

import pytest

from newsextract.sites.robots import matches, read_tdmrep, tdm_values
from newsextract.sites.site_files import SiteFileError

URL = "https://example.com/.well-known/tdmrep.json"


def values(path: str, *entries: Any) -> dict[str, str]:
    return tdm_values(read_tdmrep(json.dumps(entries).encode(), URL), f"https://example.com{path}")


def rule(location: str, reservation: Any = 1, **more: Any) -> dict[str, Any]:
    return {"location": location, "tdm-reservation": reservation, **more}


def test_the_first_rule_that_matches_counts() -> None:
    policy = {"tdm-policy": "/policies/tdm.json"}
    entries = rule("/free/", 0), rule("/", **policy)
    assert values("/free/a.html", *entries) == {"tdm-reservation": "0"}
    reserved = {"tdm-reservation": "1", "tdm-policy": "https://example.com/policies/tdm.json"}
    assert values("/news/a.html", *entries) == reserved
    assert values("/a", rule("/b")) == {}


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/", "/a", True),
        ("*", "/a", True),
        ("/a*", "/ab/c", True),
        ("/*.html", "/a.html?b", True),
        ("/*.html$", "/a.html?b", False),
        ("/*.html$", "/a.html.html", True),
        ("/a*b*c$", "/a-b-b-c", True),
        ("/a*b*c$", "/a-c-b", False),
        ("/aa$", "/a", False),
        ("/a*a$", "/a", False),
        ("/a$b", "/a$bc", True),
        ("/" + "a*" * 200 + "b", "/" + "a" * 4000, False),
    ],
)
def test_patterns_are_those_of_robots_txt(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected


@pytest.mark.parametrize("reservation", [1, "1", True])
def test_tolerates_other_ways_to_say_yes(reservation: Any) -> None:
    assert values("/a", rule("/", reservation)) == {"tdm-reservation": "1"}


def test_leaves_out_what_it_does_not_understand() -> None:
    assert values("/a", 7, rule("/", "maybe"), rule("", 1), {"location": ["/"]}, rule("/", 0, **{"tdm-policy": 3})) == {
        "tdm-reservation": "0"
    }


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<!DOCTYPE html><html></html>", b"{}", b"null", b'{"location": "/", "tdm-reservation": 1}', b"[1, 2]",
        b"[" * 100_000, b"[" + b"9" * 10_000 + b"]", b"\xff\xfe\x00",
    ],
)  # fmt: skip
def test_a_broken_file_is_an_error_that_can_be_caught(body: bytes) -> None:
    with pytest.raises(SiteFileError):
        read_tdmrep(body, URL)
