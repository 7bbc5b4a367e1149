"""Measures how well copies are found: pair precision and recall on retold stories, and the time per article.

python benchmarks/stories.py [CORPUS.jsonl.xz ...] [--database URL]

It uses the test set of the tests: demo stories in three languages, each with nine retellings and another article on the
same subject. With corpora, their articles are stored as if of one day, and the linked ones are printed for inspection,
the stories with the least in common last.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from newsextract.article import Article, ArticleMetadata
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.storage.articles import ArticleStore, put_articles
from newsextract.storage.database import writing
from newsextract.storage.likeness import TextPrint
from newsextract.storage.schema import articles, fingerprint_keys, story_articles
from newsextract.storage.stories import link_stories
from tests.tellings import tellings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change

SEEN = ArticleMetadata("2026-05-20T09:00:00+00:00")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", type=Path)
    parser.add_argument("--database", help="an empty one, instead of a temporary file of SQLite's")
    options = parser.parse_args()
    TextPrint.of("A first text, so that what is imported late counts for nobody. " * 5)
    with tempfile.TemporaryDirectory() as folder:
        for number, words in enumerate(("english", "french", "chinese")):
            told = list(tellings(words))
            store = ArticleStore.open(f"sqlite:///{folder}/{number}.db")
            taken = put_all(store, [telling.text for telling in told])
            print(words, scores(stories(store), [telling.story for telling in told]), f"{taken:.1f} ms an article")
        if options.corpora:
            store = ArticleStore.open(options.database or f"sqlite:///{folder}/corpora.db")
            texts = [text for path in options.corpora for text in texts_of(path)]
            taken = put_all(store, [text for _, text in texts])
            print(f"\n{len(texts)} articles of corpora: {taken:.1f} ms an article; {sharers(store)}")
            show(store, [name for name, _ in texts])


def put_all(store: ArticleStore, texts: Sequence[str]) -> float:
    """Store texts in batches of twenty, and return the CPU milliseconds that linking took per article."""
    spent = 0.0

    def timed(connection: Connection, changes: Sequence[Change]) -> None:
        nonlocal spent
        started = time.thread_time()
        link_stories(connection, changes)
        spent += time.thread_time() - started

    every = [
        Article(url=f"https://site{number}.example/", headline=f"{number}", articleBody=text, metadata=SEEN)
        for number, text in enumerate(texts)
    ]
    for start in range(0, len(every), 20):
        with writing(store.engine) as connection:
            put_articles(connection, every[start : start + 20], effects=[timed])
    return 1000 * spent / len(texts)


def stories(store: ArticleStore) -> dict[int, str]:
    """Return the story of each text that belongs to one, by the text's number."""
    query = select(articles.c.headline, story_articles.c.story_id).join(
        story_articles, story_articles.c.article_id == articles.c.id
    )
    with store.engine.connect() as connection:
        return {int(row[0]): row[1] for row in connection.execute(query)}


def scores(found: dict[int, str], truth: Sequence[str]) -> str:
    """Return precision and recall of the pairs that share a story, as text."""
    counts = Counter(
        (truth[one] == truth[two], one in found and found[one] == found.get(two))
        for one, two in combinations(range(len(truth)), 2)
    )
    right = counts[True, True]
    precision, recall = right / (right + counts[False, True]), right / (right + counts[True, False])
    return f"precision {precision:.3f} recall {recall:.3f} ({right + counts[True, False]} pairs of {len(truth)} texts)"


def sharers(store: ArticleStore) -> str:
    """Return, as text, how many keys an article has, and how many other articles share a key."""
    sizes = select(func.count().label("size")).select_from(fingerprint_keys).group_by(fingerprint_keys.c.key).subquery()
    with store.engine.connect() as connection:
        total = connection.execute(select(func.count()).select_from(fingerprint_keys)).scalar_one()
        own = connection.execute(select(func.count(fingerprint_keys.c.article_number.distinct()))).scalar_one()
        found = connection.execute(select(sizes.c.size)).scalars()
        others = sum(size * (size - 1) for size in found)
    return f"{total / own:.0f} keys an article, {others / total:.3f} other articles a key"


def texts_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the annotated texts of a corpus and the names of their pages."""
    for page in read_corpus(path):
        if isinstance(page, GoldPage) and page.text:
            yield page.url or page.id, page.text


def show(store: ArticleStore, pages: Sequence[str]) -> None:
    """Print the linked articles, story by story."""
    query = select(
        story_articles.c.story_id, story_articles.c.containment, articles.c.headline, articles.c.article_body
    ).join(articles, articles.c.id == story_articles.c.article_id)
    with store.engine.connect() as connection:
        rows = connection.execute(query.order_by(story_articles.c.story_id, story_articles.c.containment)).all()
    least = {row[0]: row[1] for row in reversed(rows)}
    for row in sorted(rows, key=lambda row: (-least[row[0]], row[0])):
        print(row[0][:6], f"{row[1]:.2f}", pages[int(row[2])], "|", row[3][:120].replace("\n", " / "))


if __name__ == "__main__":
    main()
