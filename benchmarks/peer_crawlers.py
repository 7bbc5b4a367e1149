"""Crawls sites with another tool, in the environment that has it: `benchmarks/peers_crawl.py` starts it.

    python benchmarks/peer_crawlers.py NAME FOLDER HOST…

Each tool is used as its documentation shows for "all articles of a site", with its own defaults but for waiting: no
delay between requests, as the web is on loopback. Articles are written to FOLDER/articles.jsonl: {"url": …, "text": …}.
"""

# ruff: noqa: PLC0415 - each environment has one of the tools
# mypy: disable-error-code="import-not-found,import-untyped,untyped-decorator,unused-ignore"

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Found = Iterator[tuple[str, str]]

MAX_PAGES = 2_000
"""Of a site, for those that ask for a bound."""


def newspaper4k(hosts: list[str], _: Path) -> Found:
    """Build each source, download its articles in threads, and parse them."""
    import newspaper

    for host in hosts:
        source = newspaper.build(f"http://{host}/", memoize_articles=False, fetch_images=False, number_threads=4)
        source.download_articles()
        for article in source.articles:
            if article.html:
                article.parse()
                yield article.url, article.text


def trafilatura(hosts: list[str], _: Path) -> Found:
    """Ask for sitemaps, feeds and links of each site, as `trafilatura --explore` does, and extract what they list."""
    import socket
    from concurrent.futures import ThreadPoolExecutor

    from trafilatura.settings import DEFAULT_CONFIG

    # It knows no proxy but SOCKS, and refuses loopback.
    proxy, resolve = urlsplit(os.environ.pop("http_proxy")), socket.getaddrinfo
    socket.getaddrinfo = lambda *_, **more: resolve(proxy.hostname, proxy.port, **more)
    DEFAULT_CONFIG["DEFAULT"]["SSRF_PROTECTION"] = "off"
    from trafilatura import extract, fetch_url
    from trafilatura.feeds import find_feed_urls
    from trafilatura.sitemaps import sitemap_search
    from trafilatura.spider import focused_crawler

    def links_of(host: str) -> Iterable[str]:
        home = f"http://{host}/"
        listed = dict.fromkeys([*sitemap_search(home, sleep_time=0), *find_feed_urls(home, sleep_time=0)])
        return listed or focused_crawler(home, max_seen_urls=10, max_known_urls=MAX_PAGES)[1]

    with ThreadPoolExecutor(4) as threads:
        urls = [url for host, links in zip(hosts, threads.map(links_of, hosts), strict=True) for url in links]
        for url, html in zip(urls, threads.map(fetch_url, urls), strict=True):
            if html and (text := extract(html, url=url)):
                yield url, text


def news_please(hosts: list[str], folder: Path) -> Found:
    """Run its command as it is configured by default, and read the JSON files that it writes."""
    from configparser import ConfigParser
    from importlib.resources import files

    config = ConfigParser(interpolation=None, comment_prefixes=("#",), strict=False)
    config.optionxform = str  # type: ignore[assignment,method-assign]
    config.read_string(files("newsplease").joinpath("config", "config.cfg").read_text())
    config["Files"]["working_path"] = str(folder)
    config["Files"]["local_data_directory"] = str(folder / "%domain(64)_%md5_full_url")
    config["Crawler"]["number_of_parallel_crawlers"] = "2"
    config["Scrapy"]["DOWNLOAD_DELAY"] = "0"
    with (folder / "config.cfg").open("w", encoding="utf-8") as written:
        config.write(written)
    sites = [{"url": f"http://{host}/"} for host in hosts]
    (folder / "sitelist.hjson").write_text(json.dumps({"base_urls": sites}), "utf-8")
    program = Path(sys.executable).with_name("news-please")
    subprocess.run([program, "-c", folder], check=False, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    for file in folder.rglob("*.json"):
        article = json.loads(file.read_text("utf-8"))
        if article.get("url"):  # its folder of settings has other files
            yield article["url"], article.get("maintext") or ""


def fundus(hosts: list[str], _: Path) -> Found:
    """Crawl with a parser that takes all paragraphs: the rules of its publishers do not know these sites."""
    from datetime import date

    from fundus import Crawler, NewsMap, RSSFeed, Sitemap
    from fundus.parser import ArticleBody, BaseParser, ParserProxy, attribute
    from fundus.parser.utility import extract_article_body_with_selector
    from fundus.publishers.base_objects import Publisher
    from lxml.cssselect import CSSSelector

    class AnyParser(ParserProxy):  # type: ignore[misc]
        class V1(BaseParser):  # type: ignore[misc]
            VALID_UNTIL = date.max
            _paragraphs = CSSSelector("article p, main p, p")

            @attribute  # type: ignore[misc]
            def body(self) -> ArticleBody | None:
                return extract_article_body_with_selector(self.precomputed.doc, paragraph_selector=self._paragraphs)

    def publisher(host: str) -> Any:
        home = f"http://{host}"
        sources = [RSSFeed(f"{home}/feed.xml"), Sitemap(f"{home}/sitemap.xml"), NewsMap(f"{home}/news.xml")]
        return Publisher(name=host, domain=f"{home}/", parser=AnyParser, sources=sources)

    members = [publisher(host) for host in hosts]
    crawler = Crawler(*members, delay=0.0)
    for article in crawler.crawl(only_complete=False):
        yield article.html.requested_url, str(article.body or "")


CRAWLERS: dict[str, Callable[[list[str], Path], Found]] = {
    "newspaper4k": newspaper4k, "trafilatura": trafilatura, "news-please": news_please, "fundus": fundus,
}  # fmt: skip


def main() -> None:
    """Crawl, and write what is found."""
    name, folder, *hosts = sys.argv[1:]
    with (Path(folder) / "articles.jsonl").open("w", encoding="utf-8") as lines:
        for url, text in CRAWLERS[name](hosts, Path(folder)):
            lines.write(json.dumps({"url": url, "text": text}) + "\n")


if __name__ == "__main__":
    main()
