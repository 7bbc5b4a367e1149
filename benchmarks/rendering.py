"""How much memory the browser takes over many pages, and how many pages a second it renders.

    python benchmarks/rendering.py --pages 500

The pages come from a server on loopback; each brings a script of half a megabyte that builds an article and keeps what
it has allocated. Prints the memory of all of the browser's processes (what some share is counted in equal parts) every
fifty pages: with a browser that is replaced, and with `--browser-pages 100000 --megabytes 100000`, one that never is.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from newsextract.crawl.outcome import RenderFailed
from newsextract.crawl.rendering.browser import Browser
from newsextract.crawl.rendering.proxy import GuardedProxy
from newsextract.crawl.rendering.rendered_page import BrowserLimits, PageWanted
from newsextract.settings import find_browser
from newsextract.sites.private_addresses import AddressPolicy

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator

STEP = 50

SCRIPT = (
    "/*" + "x" * 500_000 + "*/ window.kept = Array.from({length: 300000}, (_, i) => ({i, text: 'kept ' + i}));"
    "document.getElementById('root').innerHTML = '<h1>A bridge</h1>' + '<p>The mayor opens the bridge.</p>'.repeat(99)"
)
PAGE = '<!DOCTYPE html><title>A bridge</title><div id="root"></div><script src="/app.js"></script>'


@asynccontextmanager
async def server() -> AsyncIterator[str]:
    """Serve the page under any path, and its script; yield the address."""

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        is_script = b"/app.js" in head.partition(b"\r\n")[0]
        body, kind = (SCRIPT, "text/javascript") if is_script else (PAGE, "text/html")
        told = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(told.encode() + body.encode())
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    listening.close()


async def measure(pages: int, limits: BrowserLimits) -> None:
    """Render the pages two at a time, and print what that takes."""
    proxy = GuardedProxy(AddressPolicy.parse(["127.0.0.1"]))
    browser, failed = Browser(proxy, limits), 0
    print("| pages | seconds | pages/s | peak MB since | browsers |\n| --- | --- | --- | --- | --- |")
    async with server() as address:
        begun = monotonic()
        for done in range(0, pages, STEP):
            browser.peak_megabytes = 0.0
            wanted = [PageWanted(f"{address}/{done + number}") for number in range(min(STEP, pages - done))]
            found = await asyncio.gather(*map(browser.render, wanted), return_exceptions=True)
            failed += sum(isinstance(each, RenderFailed) for each in found)
            count, took = done + len(wanted), monotonic() - begun
            print(
                f"| {count} | {took:.0f} | {count / took:.2f} | {browser.peak_megabytes:.0f} | {browser.started} |",
                flush=True,
            )
    print(f"\n{failed} pages failed")
    await browser.close()
    await proxy.close()


def main() -> None:
    """Read the options, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--browser-pages", type=int, default=100, help="after which the browser is replaced")
    parser.add_argument("--megabytes", type=int, default=1500, help="above which it is, too")
    options = parser.parse_args()
    limits = BrowserLimits(
        find_browser(None), pages=options.browser_pages, megabytes=options.megabytes, has_sandbox=os.geteuid() != 0
    )
    asyncio.run(measure(options.pages, limits))


if __name__ == "__main__":
    main()
