"""Reads pages twice, and counts false and missed revisions.

    python -m benchmarks.revisions SHARED daniel newspaper4k --pages 2000 --edits 200 --show 10

SHARED holds `corpora/NAME.jsonl.xz`. Every page is read and stored, as in a crawl. Then it is read again after its
surroundings have changed: other advertisements between and below the paragraphs, other links, comments, counters, ages
and a random comment in the HTML. None of these is a revision. In some of the pages, drawn evenly, the publisher has
changed the article as well: a word, a number, a sentence or a paragraph more, less or other, or a word of the headline.
Each of these is one.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import tempfile
from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from newsextract.crawl.readers import ReaderPlan
from newsextract.page.page import Page
from newsextract.page.page_words import page_words
from newsextract.reading.notices import NoArticle
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.revisions import note_revisions
from newsextract.storage.schema import revisions
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change

ADS = (
    "Sponsored: mattresses at half the price",
    "ADVERTISEMENT – scroll to continue reading",
    "Play now and win a car",
    "Our newsletter brings the best stories to your inbox every morning",
    "Compare 20 insurers in two minutes",
)
_PARAGRAPH_END = re.compile(r"</p>", re.IGNORECASE)
_BODY_END = re.compile(r"</body>|$", re.IGNORECASE)


def main() -> None:
    """Read twice, and print how many revisions are false and how many edits were found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--show", type=int, default=5, help="false revisions and missed edits to print")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)  # noqa: S311 - the same pages and changes in each run
    pages = [page for name in options.corpora for page in _pages(options.shared / "corpora" / f"{name}.jsonl.xz")]
    pages = list({page["url"]: page for page in pages}.values())  # some corpora have two pages of one URL
    pages = draw.sample(pages, min(options.pages, len(pages)))
    titles = [page["title"] for page in pages]
    with tempfile.TemporaryDirectory() as folder:
        store = ArticleStore.open(f"sqlite:///{folder}/articles.db")
        _read(store, [(page, _surrounded(page["html"], titles, draw)) for page in pages])
        stored = {row["url"]: row for row in store.rows()}
        pages = [page for page in pages if page["url"] in stored]
        edited: dict[str, str] = {}
        second = []
        for page in draw.sample(pages, len(pages)):
            html = page["html"]
            if len(edited) < options.edits and (edit := _edit(html, stored[page["url"]], draw)):
                edited[page["url"]], html = edit
            second.append((page, _surrounded(html, titles, draw)))
        _read(store, second)
        _report(store, len(pages), edited, options.show)


def _pages(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            page = json.loads(line)
            site = page.get("site") or "unknown"
            own = f"http://{site if '.' in site else f'{site}.example'}/{path.name}/{number}.html"
            url = page["url"] if str(page.get("url")).startswith("http") else own
            title = page.get("headline") or page.get("text", "").partition("\n")[0]
            yield {"url": url, "html": page["html"], "title": title[:80]}


def _surrounded(html: str, titles: list[str], draw: random.Random) -> str:
    """Return a page with other things around its text, as each visit has them."""
    pieces = [f"<!-- {draw.random()} -->"]
    ends = [found.end() for found in _PARAGRAPH_END.finditer(html)]
    inserted = [(place, f'<div class="ad-slot"><p>{draw.choice(ADS)}</p></div>') for place in _some(ends, 2, draw)]
    inserted = [(place, added) for place, added in inserted if _is_shown(html[:place] + added)]
    links = "".join(f'<li><a href="/{number}">{escape(draw.choice(titles))}</a></li>' for number in range(5))
    comments = "".join(
        f"<li><b>reader{draw.randrange(99)}</b> <span>{draw.randrange(2, 59)} minutes ago</span>"
        f"<p>{' '.join(draw.choice(titles).split()[:6])}, I think.</p></li>"
        for _ in range(draw.randrange(4))
    )
    pieces += [
        f'<div class="share"><b>{draw.randrange(900)} shares</b> <b>{draw.randrange(90)} comments</b></div>',
        f'<p class="updated">Updated {draw.randrange(2, 50)} minutes ago</p>',
        f'<aside class="related"><h3>Most read</h3><ul>{links}</ul></aside><ul class="comments">{comments}</ul>',
    ]
    last = _BODY_END.search(html)
    inserted.append((last.start() if last else len(html), "".join(pieces)))
    for place, added in sorted(inserted, reverse=True):
        html = html[:place] + added + html[place:]
    return html


def _is_shown(html: str) -> bool:
    """Tell whether what a page begins with ends with an element, and not in an attribute or a script."""
    return bool(Page(html).tree.find_class("ad-slot"))


def _some(places: list[int], most: int, draw: random.Random) -> list[int]:
    return draw.sample(places, min(most, len(places))) if places else []


def _edit(html: str, row: dict[str, Any], draw: random.Random) -> tuple[str, str] | None:
    """Return the kind of an edit and the edited page; `None` if the article's text is not in it as it is read."""
    lines = [line for line in row["article_body"].splitlines() if len(line.split()) >= 8 and html.count(line) == 1]
    if not lines:
        return None
    line = draw.choice(lines)
    kind, change = draw.choice(list(EDITS.items()))
    if kind == "paragraph less" and len(lines) == 1:
        return None  # that would be no article
    if kind == "headline":
        line = row["headline"] or ""
        if len(line.split()) < 4:
            return None
    edited = html.replace(line, change(line, draw))
    # Not where the line stands in a script alone.
    return None if _shown(edited) == _shown(html) else (kind, edited)


def _shown(html: str) -> list[str]:
    return [block.text for block in Page(html).blocks]


def _word(line: str, draw: random.Random) -> str:
    words = line.split(" ")
    place = draw.randrange(1, len(words) - 1)
    return " ".join([*words[:place], "seventeen", *words[place + 1 :]])


EDITS: dict[str, Callable[[str, random.Random], str]] = {
    "word": _word,
    "word more": lambda line, _: f"{line.rpartition(' ')[0]} allegedly {line.rpartition(' ')[2]}",
    "word less": lambda line, draw: " ".join(_without(line.split(" "), draw)),
    "number": lambda line, _: re.sub(r"\d+", lambda found: str(int(found[0][:9]) + 3), line, count=1),
    "sentence more": lambda line, _: f"{line} The ministry has denied this since then.",
    "paragraph more": lambda line, _: f"{line}</p><p>A spokesman of the company said that nobody had been hurt there.",
    "paragraph less": lambda _line, _: "",
    "headline": _word,
}


def _without(words: list[str], draw: random.Random) -> list[str]:
    place = draw.randrange(1, len(words) - 1)
    return words[:place] + words[place + 1 :]


def _read(store: ArticleStore, visits: list[tuple[dict[str, Any], str]]) -> None:
    reader = ReaderPlan("auto").create()
    for page, html in visits:
        fetched = Page(html, page["url"])
        try:
            article = reader.read(fetched)
        except NoArticle:
            continue
        if article.articleBody:
            article.page_words = page_words(fetched, article.headline, article.description, article.articleBody)
            with writing(store.engine) as connection:
                put_articles(connection, [article], effects=[_note])


def _note(connection: Connection, changes: Sequence[Change]) -> None:
    note_revisions(connection, changes)


def _report(store: ArticleStore, count: int, edited: dict[str, str], show: int) -> None:
    with store.engine.connect() as connection:
        noted = {row.article_id: row.changes for row in connection.execute(select(revisions)) if row.number == 1}
    ids = {row["url"]: row["id"] for row in store.rows()}
    false = {url: noted[key] for url, key in ids.items() if key in noted and url not in edited}
    missed = [url for url in edited if ids[url] not in noted]
    found = Counter(edited[url] for url in edited if url not in missed)
    print(f"{len(false)} false revisions in {count - len(edited)} second readings")
    print(f"{len(edited) - len(missed)} of {len(edited)} edits found: {dict(found)}")
    for url, changes in list(false.items())[:show]:
        print("false:", url, json.dumps(changes, ensure_ascii=False)[:600])
    for url in missed[:show]:
        print("missed:", url, edited[url])


if __name__ == "__main__":
    main()
