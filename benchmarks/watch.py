"""Measures watch rules: 10,000 made from a corpus's words, matched with its articles.

python benchmarks/watch.py CORPUS.jsonl.xz [--rules 10000] [--articles 500] [--common 0.1] [--check 20]

Words are drawn by their frequency in the corpus, so that common ones are in many rules. Words in a larger share of the
articles than `--common` are left out: nobody watches for `the`, and a rule that does matches everything. There are
single words, ANDs, ORs of ten, phrases, NEARs, prefixes, NOTs and fields. The time of an article covers splitting it
into words, finding the rules, and their passages. `--check` is the number of articles to check against the matches of
all rules evaluated one by one.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.newsroom.watch import Rule, RuleIndex
from newsextract.page.word_folding import words
from newsextract.storage.search.matching import Document, holds
from newsextract.storage.search.queries import parse_query, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED = 20260520


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--articles", type=int, default=500)
    parser.add_argument("--common", type=float, default=0.1)
    parser.add_argument("--check", type=int, default=20)
    options = parser.parse_args()
    rows = articles(options.corpus)[: options.articles]
    queries = Queries(rows, options.common).make(options.rules)
    start = time.perf_counter()
    rules = [Rule(f"rule {number}", parse_query(query)) for number, query in enumerate(queries)]
    parsed = time.perf_counter()
    index = RuleIndex(rules)
    print(f"{len(rules)} rules: read in {parsed - start:.2f} s, indexed in {time.perf_counter() - parsed:.2f} s")
    measure(index, rows)
    for row in rows[: options.check]:
        assert [match.rule for match in index.match(row)] == asked_one_by_one(rules, row), row["headline"]
    print(f"the first {min(options.check, len(rows))} articles: the same matches as when every rule is asked")


def articles(corpus: Path) -> list[dict[str, Any]]:
    """Return the articles of a corpus as rows, with the gold text as the body."""
    pages = [page for page in read_corpus(corpus) if isinstance(page, GoldPage) and page.text]
    return [
        {"headline": page.headline, "article_body": page.text, "in_language": page.language, "site": page.site}
        for page in pages
    ]


class Queries:
    """Makes queries from the words of articles."""

    def __init__(self, rows: Sequence[dict[str, Any]], common: float) -> None:
        self.random = random.Random(SEED)  # noqa: S311 - the same rules each time
        self.texts = [words(row["article_body"]) for row in rows]
        spread = Counter(word for text in self.texts for word in set(text))
        counts = Counter(word for text in self.texts for word in text if spread[word] <= common * len(rows))
        self.vocabulary, self.counts = list(counts), list(counts.values())
        self.sites = sorted({row["site"] for row in rows if row["site"]})
        self.kinds: tuple[Callable[[], str], ...] = (
            self.word, self.both, self.any_of_ten, self.phrase, self.near, self.beginning, self.without, self.field,
        )  # fmt: skip

    def make(self, number: int) -> list[str]:
        """Return this many queries, all kinds in turn."""
        return [self.kinds[at % len(self.kinds)]() for at in range(number)]

    def word(self) -> str:
        """Return a word."""
        return self.random.choices(self.vocabulary, self.counts)[0]

    def both(self) -> str:
        """Return two to four words, all of them required."""
        return " AND ".join(self.word() for _ in range(self.random.randint(2, 4)))

    def any_of_ten(self) -> str:
        """Return ten words, of which one is required, and another required word."""
        return f"({' OR '.join(self.word() for _ in range(10))}) AND {self.word()}"

    def phrase(self) -> str:
        """Return two or three words in a row from an article."""
        text = self.random.choice(self.texts)
        at = self.random.randrange(max(1, len(text) - 3))
        return f'"{" ".join(text[at : at + self.random.randint(2, 3)])}"'

    def near(self) -> str:
        """Return words that must be near each other."""
        return f"{self.word()} NEAR/{self.random.randint(1, 10)} ({self.word()} OR {self.word()})"

    def beginning(self) -> str:
        """Return the prefix of a word, and a word."""
        word = self.word()
        return f"{word[: max(2, len(word) - 2)]:0<2}* AND {self.word()}"

    def without(self) -> str:
        """Return words, and others that must be absent."""
        return f"{self.word()} {self.word()} NOT ({self.word()} OR {self.phrase()})"

    def field(self) -> str:
        """Return a word in a field."""
        site = self.random.choice(self.sites or ["example.com"])
        forms = (f"headline:{self.word()}", f"body:{self.word()} headline:{self.word()}", f"site:{site} {self.word()}")
        return self.random.choice(forms)


def measure(index: RuleIndex, rows: Sequence[dict[str, Any]]) -> None:
    """Print how long articles take, and how many rules match them."""
    for row in rows:
        words(row["article_body"])  # in a crawl, most words have been folded before
    gc.collect()
    times, matches = [], []
    for row in rows:
        start = time.process_time()
        found = index.match(row)
        times.append(1000 * (time.process_time() - start))
        matches.append(len(found))
    ranks = statistics.quantiles(times, n=20)
    length = statistics.median(len(words(row["article_body"])) for row in rows)
    print(f"{len(rows)} articles, {length:.0f} words in the median")
    print(f"median {statistics.median(times):.2f} ms (CPU) an article, p95 {ranks[18]:.2f}, most {max(times):.2f} ms")
    print(f"rules true of an article: median {statistics.median(matches):.0f}, most {max(matches)}, all {sum(matches)}")


def asked_one_by_one(rules: Sequence[Rule], row: dict[str, Any]) -> list[Rule]:
    """Return the rules that match an article, without the index."""
    document = Document(row)
    keys = {key for rule in rules for term in terms(rule.condition) for key in term.keys if key.endswith("*")}
    document.keys.update(key for key in keys if document.beginning(key[:-1]))
    return [rule for rule in rules if holds(rule.condition, document)]


if __name__ == "__main__":
    main()
