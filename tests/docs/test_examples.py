"""What the docs tell people to type works: every command and every example of Python, page by page."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

import newsextract
from demo.server import DemoSite, last_midnight, serve
from tests.docs.examples import DOCS, PAGES, PROJECT, Example, examples_of, inline_commands
from tests.docs.own_commands import misunderstood
from tests.docs.reader import Reader, clone, copied, inside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from demo.server import DemoArticle

RUN = {"console", "bash", "python", "pycon", "yaml", "sql"}
WRITTEN_FOR_CHANGES = {"CONTRIBUTING.md"}
"""Their code is for files of the project, which it would change."""
FOLLOWED = [
    page for page in PAGES if page.name not in WRITTEN_FOR_CHANGES and RUN & {e.language for e in examples_of(page)}
]


@pytest.fixture(scope="module")
def newsroom() -> Iterator[dict[str, str]]:
    """What stands for the addresses in the docs, and for their patience, while the demo newsroom is served."""
    with serve() as servers:
        homes = [server.home for server in servers]
        story = servers[0].articles[1]
        yield {
            "https://example.com/2026/11/story.html": story.url,
            "https://www.example.org/world/": homes[1],
            "https://www.example.org": homes[1].rstrip("/"),
            "https://example.com": homes[0].rstrip("/"),
            "template example.com": f"template {urlsplit(homes[0]).netloc}",
            "delay: 1.5": "delay: 0",
        }


@pytest.fixture(scope="module")
def prepared(newsroom: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with the files that examples name, in which a crawl has run."""
    folder = tmp_path_factory.mktemp("clone")
    clone(folder)
    home = newsroom["https://example.com"]
    articles = DemoSite("courier", 2, last_midnight()).articles(home)[:6]
    for name, address in (
        ("page.html", articles[0].url),
        ("story.html", newsroom["https://example.com/2026/11/story.html"]),
    ):
        (folder / name).write_bytes(_fetched(address))
    (folder / "folder").mkdir()
    for number, article in enumerate(articles[:2]):
        (folder / "folder" / f"{number}.html").write_bytes(_fetched(article.url))
    (folder / "my-pages.jsonl").write_text("".join(map(_annotated, articles)), "utf-8")
    (folder / "sites.txt").write_text(f"{home}\n")
    (folder / "sites.yml").write_text(f"sites: [{home}]\n")
    crawl = f"$ scrapy crawl news -a sites={home} -a limit=4 -a discover=sitemaps,feeds"
    Reader(folder, {}).follow(Example(PROJECT / "README.md", 0, "console", crawl, {}))
    return folder


def _fetched(address: str) -> bytes:
    with urlopen(address) as answer:
        body: bytes = answer.read()
    return body


def _annotated(article: DemoArticle) -> str:
    stated = {
        "html": _fetched(article.url).decode(), "text": "\n".join(article.paragraphs), "url": article.url,
        "site": "example.com", "headline": article.headline, "date": article.date_published, "authors": article.authors,
    }  # fmt: skip
    return json.dumps(stated) + "\n"


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: str(page.relative_to(PROJECT)))
def test_a_reader_can_do_what_a_page_says(
    page: Path, prepared: Path, newsroom: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback = partial(newsextract.fetch_article, private_addresses=["127.0.0.1"])
    monkeypatch.setattr(newsextract, "fetch_article", loopback)
    reader = Reader(copied(prepared, tmp_path), newsroom)
    with inside(tmp_path):
        for example in examples_of(page):
            if example.language in RUN and "not run" not in example.marks:
                reader.follow(example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_commands_have_the_names_options_and_settings_that_the_docs_give(page: Path) -> None:
    in_blocks = [each for example in examples_of(page) if example.language == "console" for each in example.commands]
    written = [*in_blocks, *(each for each in inline_commands(page) if not set("…*<") & set(each))]
    assert [trouble for each in written for trouble in misunderstood(each)] == []


def test_what_is_not_run_says_why_and_is_correct_python() -> None:
    skipped = [each for page in PAGES for each in examples_of(page) if "not run" in each.marks]
    assert all(len(each.marks["not run"]) > 10 for each in skipped)
    for each in skipped:
        if each.language == "python":
            compile(each.text, each.where, "exec")


def test_the_figures_of_the_readme_are_those_of_the_pages_that_are_written_by_commands() -> None:
    readme = (PROJECT / "README.md").read_text("utf-8")
    figures = {line.split(" | ")[0].strip("| "): re.findall(r"\.\d{3}", line) for line in readme.splitlines()}
    card = _means((DOCS / "model-card.md").read_text("utf-8"))
    ours = [card["`auto`, corpus left out"], card["`auto`, folds disjoint by site"]]
    theirs = [card["trafilatura 2.3.1"], card["trafilatura, precision"]]
    results = _means((DOCS / "results.md").read_text("utf-8"))
    others = [results[name] for name in ("newspaper4k", "newspaper4k, told the language", "news-please")]
    assert figures["mean token F1 of the text ¹"] == [*ours, *theirs, *others]
    metadata = (DOCS / "metadata.md").read_text("utf-8")
    for row, table in (
        ("headline exact ²", "headline exact"),
        ("day of publication right ²", "date day"),
        ("F1 of authors ²", "author f1"),
    ):
        means = _means(metadata.partition(f"**{table}**")[2].partition("\n**")[0], -3)
        assert figures[row] == [means["`newsextract`"], means["`trafilatura`"]], row
    speed = (DOCS / "explanation" / "speed.md").read_text("utf-8")
    times = [re.findall(rf"(?m)^extract\({name}\) .* ([\d.]+)$", speed)[0] for name in ("auto", "trafilatura")]
    (shown,) = re.findall(r"(?m)^\| time of the text, .*?\| \*\*([\d.]+)\*\* \| ([\d.]+)", readme)
    assert list(shown) == [f"{float(each):.1f}" for each in times]


def _means(text: str, column: int = -1) -> dict[str, str]:
    """Return the means of the rows of tables, to three digits, by their first cells; the first of each counts."""
    rows = [
        [cell.strip(" *") for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:2] == "| "
    ]
    means = [(row[0], row[column]) for row in rows if re.fullmatch(r"0\.\d+", row[column] if len(row) > 3 else "")]
    return {name: f"{float(mean):.3f}".removeprefix("0") for name, mean in reversed(means)}


def test_most_examples_are_run() -> None:
    blocks = [each for page in FOLLOWED for each in examples_of(page) if each.language in RUN]
    assert sum("not run" in each.marks for each in blocks) < 0.4 * len(blocks)
    assert all(page == PROJECT / "README.md" or page.is_relative_to(DOCS) for page in FOLLOWED)
