"""How the demo sites behave over HTTP."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.tools.demo import build_newsroom, serve

if TYPE_CHECKING:
    from newsextract.tools.demo import DemoNewsroom


def connect(home: str) -> HTTPConnection:
    return HTTPConnection(urlsplit(home).netloc, timeout=5)


def test_one_connection_carries_many_requests(sites: tuple[str, ...]) -> None:
    connection = connect(sites[0])
    for path in ("/", "/robots.txt", "/nowhere"):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        assert response.version == 11
        assert not response.will_close
    connection.close()


def test_head_has_the_headers_of_get_and_no_body(sites: tuple[str, ...]) -> None:
    connection = connect(sites[0])
    connection.request("GET", "/")
    full = connection.getresponse()
    body = full.read()
    connection.request("HEAD", "/")
    bare = connection.getresponse()
    assert bare.read() == b""
    assert bare.headers["Content-Length"] == full.headers["Content-Length"] == str(len(body))
    assert bare.headers["ETag"] == full.headers["ETag"]
    assert bare.headers["Last-Modified"].endswith("GMT")
    connection.close()


def test_an_unchanged_page_is_not_sent_again(sites: tuple[str, ...]) -> None:
    connection = connect(sites[1])
    connection.request("GET", "/")
    first = connection.getresponse()
    first.read()
    connection.request("GET", "/", headers={"If-None-Match": first.headers["ETag"]})
    second = connection.getresponse()
    assert (second.status, second.read()) == (304, b"")
    connection.close()


def test_addresses_follow_the_host_that_was_asked(sites: tuple[str, ...]) -> None:
    port = urlsplit(sites[0]).port
    connection = connect(sites[0])
    connection.request("GET", "/sitemap.xml", headers={"Host": f"localhost:{port}"})
    assert f"http://localhost:{port}/sitemap-news.xml".encode() in connection.getresponse().read()
    connection.close()


def test_each_site_logs_what_was_asked_of_it() -> None:
    newsroom: DemoNewsroom = build_newsroom()
    with serve(newsroom) as sites:
        connection = connect(sites[2])
        connection.request("GET", "/robots.txt?why=not")
        connection.getresponse().read()
        connection.close()
    assert [site.log for site in newsroom.sites] == [[], [], ["/robots.txt?why=not"]]


def test_nothing_listens_after_the_block() -> None:
    with serve(build_newsroom()) as sites:
        pass
    for home in sites:
        connection = connect(home)
        try:
            connection.connect()
        except ConnectionRefusedError:
            continue
        raise AssertionError(home)


def test_takes_the_ports_it_is_given_or_any_where_they_are_taken() -> None:
    with serve(build_newsroom()) as first:
        port = int(first[0].rstrip("/").rpartition(":")[2])
        with serve(build_newsroom(), port) as second:
            assert len({*first, *second}) == 6
