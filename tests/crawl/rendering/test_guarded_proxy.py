"""The browser's proxy connects to what was judged, and to nothing private."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING

import pytest
from scrapy import Request

from newsextract.crawl.rendering.proxy import MAX_CONNECTIONS, BadHead, GuardedProxy, ProxyRequest
from newsextract.crawl.rendering.rendering import page_wanted
from newsextract.sites.private_addresses import AddressPolicy

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Callable, Coroutine


NAMES = {"site.example": ["127.0.0.1"], "rebinding.example": ["127.0.0.2"], "mixed.example": ["127.0.0.1", "10.0.0.1"]}
ALLOWED = AddressPolicy.parse(["127.0.0.1"])


async def known(host: str, _port: int) -> list[str]:
    if host[0].isdigit():
        return [host]
    if host not in NAMES:
        raise OSError("unknown")
    return NAMES[host]


async def answer_once(reader: StreamReader, writer: StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    hints = b"HTTP/1.1 103 Early Hints\r\n\r\n" if head.startswith(b"GET /hinted") else b""
    writer.write(hints + b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n" + head)
    writer.close()


async def asked(proxy: GuardedProxy, lines: Callable[[int], str], *, password: str | None = None) -> str:
    server = await asyncio.start_server(answer_once, "127.0.0.1", 0)
    port = int((await proxy.open()).rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with proxy.page() as own:
            writer.write(f"{lines(server.sockets[0].getsockname()[1])}{authorization(password or own)}\r\n".encode())
            return (await asyncio.wait_for(reader.read(), 5)).decode()
    finally:
        writer.close()
        server.close()
        await proxy.close()


def authorization(password: str) -> str:
    secret = base64.b64encode(f"{GuardedProxy.USER}:{password}".encode()).decode()
    return f"Proxy-Authorization: Basic {secret}\r\n"


def run(coroutine: Coroutine[object, object, str]) -> str:
    return asyncio.run(coroutine)


def get(host: str) -> Callable[[int], str]:
    return lambda port: f"GET http://{host}:{port}/a HTTP/1.1\r\nProxy-Connection: keep-alive\r\n"


def test_passes_a_request_on_without_what_is_for_the_proxy() -> None:
    found = run(asked(GuardedProxy(ALLOWED, known), get("site.example")))
    assert found.startswith("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nGET /a HTTP/1.1\r\nHost: site.example:")
    assert "Proxy-" not in found


def test_an_answer_behind_an_interim_one_ends_the_connection_too() -> None:
    hinted = run(asked(GuardedProxy(ALLOWED, known), lambda port: get("site.example")(port).replace("/a", "/hinted")))
    assert hinted.startswith("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")


@pytest.mark.parametrize(
    "host", ["rebinding.example", "mixed.example", "127.0.0.2", "0x7f.2", "localhost", "[::1]", "169.254.169.254"]
)
@pytest.mark.parametrize("method", ["GET", "CONNECT"])
def test_refuses_private_addresses_however_they_are_written(host: str, method: str) -> None:
    proxy = GuardedProxy(ALLOWED if host != "localhost" else AddressPolicy(), known)
    line = get(host) if method == "GET" else lambda port: f"CONNECT {host}:{port} HTTP/1.1\r\n"
    assert run(asked(proxy, line)).startswith("HTTP/1.1 403 ")
    assert sum(proxy.refused.values()) == 1


def test_asks_for_the_addresses_of_a_name_once_and_connects_to_what_it_has_judged() -> None:
    answers = [["127.0.0.1"], ["127.0.0.2"]]

    async def rebound(_host: str, _port: int) -> list[str]:
        return answers.pop(0)

    assert "200 OK" in run(asked(GuardedProxy(ALLOWED, rebound), get("rebinding.example")))
    assert answers == [["127.0.0.2"]]


def test_serves_nobody_without_the_password_of_the_run() -> None:
    found = run(asked(GuardedProxy(ALLOWED, known), get("site.example"), password="guessed"))
    assert found.startswith("HTTP/1.1 407 ")


def test_says_that_a_host_is_unknown() -> None:
    assert run(asked(GuardedProxy(ALLOWED, known), get("nowhere.example"))).startswith("HTTP/1.1 502 ")


@pytest.mark.parametrize("head", [b"GET /a HTTP/1.1", b"GET ftp://a/ HTTP/1.1", b"CONNECT a:b HTTP/1.1", b"\xff"])
def test_understands_requests_to_a_proxy_alone(head: bytes) -> None:
    with pytest.raises(BadHead):
        ProxyRequest.parse(head + b"\r\n\r\n")


def test_what_follows_a_request_on_its_connection_goes_to_the_same_host() -> None:
    """A second request there, to a private host, is bytes for the first host, and the answer ends the connection."""

    def two(port: int) -> str:
        return f"GET http://127.0.0.2:{port}/second HTTP/1.1\r\nHost: 127.0.0.2\r\n\r\n{get('site.example')(port)}"

    proxy = GuardedProxy(ALLOWED, known)
    with proxy.page() as password:
        found = run(asked(proxy, lambda port: f"{get('site.example')(port)}{authorization(password)}\r\n{two(port)}"))
    assert found.count("HTTP/1.1 200 OK") == 1
    assert "Host: site.example" in found
    assert "second" not in found
    assert not proxy.refused


def test_the_host_is_that_of_the_url_whatever_the_header_says() -> None:
    head = b"GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\nhost : c.example\r\n\r\n"
    assert ProxyRequest.parse(head).forwarded == b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("host", [
    "2130706434", "0177.0.0.2", "0x7f000002", "127.0.0.2.", "[::ffff:127.0.0.2]", "[64:ff9b::7f00:2]",
    "[2002:7f00:2::]",
    "[fe80::1%25lo]", "[64:ff9b:1::1]", "[::]", "0",
])  # fmt: skip
def test_refuses_other_spellings_of_private_addresses(host: str) -> None:
    proxy = GuardedProxy(ALLOWED, known)
    assert run(asked(proxy, lambda port: f"CONNECT {host}:{port} HTTP/1.1\r\n")).startswith("HTTP/1.1 403 ")


def test_a_page_fills_no_places_but_its_own_and_gives_them_back() -> None:
    async def silent(reader: StreamReader, _: StreamWriter) -> None:
        await reader.read()
        closed.release()

    async def tunnel(port: int, to: int, password: str) -> tuple[str, StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"CONNECT site.example:{to} HTTP/1.1\r\n{authorization(password)}\r\n".encode())
        return (await asyncio.wait_for(reader.readline(), 5)).decode(), writer

    async def told() -> list[str]:
        proxy, server = GuardedProxy(ALLOWED, known), await asyncio.start_server(silent, "127.0.0.1", 0)
        port, to = int((await proxy.open()).rpartition(":")[2]), server.sockets[0].getsockname()[1]
        with proxy.page() as innocent:
            with proxy.page() as hostile:
                many = [await tunnel(port, to, hostile) for _ in range(300)]
                many.append(await tunnel(port, to, innocent))
            async with asyncio.timeout(5):
                for _ in range(MAX_CONNECTIONS):
                    await closed.acquire()
        for _, writer in many:
            writer.close()
        server.close()
        await proxy.close()
        return [line for line, _ in many]

    closed = asyncio.Semaphore(0)
    found = asyncio.run(told())
    assert sum(" 200 " in line for line in found[:-1]) == MAX_CONNECTIONS
    assert " 200 " in found[-1]


def test_gives_the_browser_every_cookie_whatever_is_in_the_others() -> None:
    cookies = 'choice={"ads": [1, 2]}; session=a=b; ; flag'
    wanted = page_wanted(Request("https://news.example/a", headers={"Cookie": cookies}), lambda _: True)
    assert wanted.cookies == {"choice": '{"ads": [1, 2]}', "session": "a=b"}


def test_gives_the_browser_no_cookie_without_one() -> None:
    assert page_wanted(Request("https://news.example/a"), lambda _: True).cookies == {}
