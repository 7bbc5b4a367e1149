from __future__ import annotations

import gzip
import io
import itertools
import resource
import tracemalloc

import pytest

from newsextract.sites.published.site_files import ForbiddenEntity, SiteFileError, TooLarge
from newsextract.sites.published.sitemaps import read_sitemap

HOME = "https://example.com/sitemap.xml"
ENTRY = "<url><loc>/a</loc></url>"
LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{LAUGHS}]>',
        '<!DOCTYPE urlset [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE urlset SYSTEM "http://127.0.0.1:9/x.dtd">',
        f'<!--{"x" * 70_000}--><!DOCTYPE urlset [<!ENTITY l9 "ha">]>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_refuses_document_types(doctype: str, encoding: str) -> None:
    news = "<news:news><news:title>&l9;</news:title></news:news>"
    body = f"{doctype}<urlset><url><loc>/a</loc>{news}</url></urlset>"
    with pytest.raises(SiteFileError) as refusal:
        list(read_sitemap(body.encode(encoding), HOME))
    assert isinstance(refusal.value, ForbiddenEntity) or "no root" in str(refusal.value)


def test_refuses_the_oversized_before_reading_and_bombs_while_unpacking() -> None:
    big = f"<urlset>{ENTRY * 1000}</urlset>".encode()
    with pytest.raises(TooLarge, match="10,000 bytes"):
        next(read_sitemap(big, HOME, max_bytes=10_000))
    bomb = gzip.compress(bytes(20_000_000))
    tracemalloc.start()
    with pytest.raises(TooLarge):
        list(read_sitemap(bomb, HOME, max_bytes=10_000_000))
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_memory_does_not_grow_with_the_file() -> None:
    image = b"<image:image><image:loc>" + b"x" * 1900 + b"</image:loc></image:image>"
    entries = (b"<url><loc>/%d</loc>%s</url>" % (number, image) for number in range(21_000))
    buffer = io.BytesIO()  # one copy only, or the peak of building would hide that of reading
    buffer.writelines(itertools.chain([b"<urlset>"], entries, [b"</urlset>"]))
    body = buffer.getvalue()
    assert len(body) > 40_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    count = sum(1 for _ in read_sitemap(body, HOME))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes; sees what C code allocates
    assert count == 21_000
    assert peak < 10_000_000
    assert after - before < 10_000
