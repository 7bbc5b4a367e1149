"""No page crashes the reader: those that once did, each as small as the fault allowed, and some of the fuzzer's."""

from __future__ import annotations

import json

import pytest

from benchmarks.fuzz.reading import attempt
from benchmarks.fuzz.samples import Sample, sample

BODY = "The rain began on Sunday, and by Monday the river had left its bed. " * 9
DEEP = "<div>" * 2_100
FUZZED = 100


def json_ld(**fields: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps({'@type': 'NewsArticle', **fields})}</script>"


ODD_PAGES = {
    "a body in JSON-LD, and nothing to see": json_ld(headline="Rain", articleBody=BODY),
    "the same, to be put into an element": json_ld(headline="Rain", articleBody=BODY) + "<div id=app></div>",
    "a body of one sign": json_ld(articleBody="0"),
    "a body with an endless reference": json_ld(articleBody=f"&#{'1' * 5_000}; {BODY}"),
    "half a surrogate pair in an address": json_ld(mainEntityOfPage="https://news.example/\ud800"),
    "a NUL in an address": json_ld(mainEntityOfPage="rain\0"),
    "a control character as a deep attribute": f"{DEEP}<p \x01=1>word",
    "a bracket as a deep attribute": f"{DEEP}<b {{>word",
    "a reference beyond Unicode in a deep tag": f"{DEEP}<a&#1114112;>word</a&#1114112;>",
    "a deep tag that holds another": f"{DEEP}<x<p>word",
    "a control character behind what ends the head": "<title>Rain</title><main>Rain</main>\x01word",
    "a control character in the outermost tag": f"<html \x01=1 title='\x02'>{DEEP}word",
}
URLS = (
    "http://[::1/%zz", "http://[", "http://\u2100.example/", "http://news.example:x/", "//", "", "a b",
    "http://a..b/",
)  # fmt: skip


def faults(page: Sample) -> str:
    """Return what is wrong with the reading of a page, however long it takes."""
    found = attempt(page, float("inf")).fault
    return f"{found.kind}\n{found.detail}" if found else ""


@pytest.mark.parametrize("markup", ODD_PAGES.values(), ids=ODD_PAGES)
def test_reads(markup: str) -> None:
    assert faults(Sample(markup.encode())) == ""


@pytest.mark.parametrize("url", URLS)
def test_reads_what_stands_at(url: str) -> None:
    assert faults(Sample(f"<title>Rain</title><h1>Rain</h1><p>{BODY}<p>{BODY}".encode(), url)) == ""


@pytest.mark.parametrize("tenth", range(10))
def test_reads_what_the_fuzzer_makes(tenth: int) -> None:
    found = {number: faults(sample(1, number)) for number in range(tenth, FUZZED, 10)}
    assert {number: fault for number, fault in found.items() if fault} == {}
