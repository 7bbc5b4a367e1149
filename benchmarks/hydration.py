"""Prints the pages whose text `auto` takes from the data for their scripts, and what the search for it costs.

    python -m benchmarks.hydration SHARED/corpora/*.jsonl.xz [--shard 0/2]

For each changed page: the token F1 without and with that data where the corpus has a gold text, the words of both, and
how the text begins. Then the processor time of the extraction and of this step, over all pages of a corpus, and over
those that show a text.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from newsextract import Page
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.evaluation.measures import Text, token_scores
from newsextract.page.page import PageError
from newsextract.reading.extraction import auto
from newsextract.reading.extraction.auto import BEGINNING, with_hydrated_body

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.reading.extraction.contract import Extraction

HEAD = "{corpus} {page}: F1 {before} -> {after}, {words} -> {more} words: {start}"
TOTAL = "{corpus}: {pages} pages, {changed} changed, {worse} worse; {extraction:.1f} s, and {step:.2f} s for this step"
SHARE = "  {pages} pages show a text of {least} letters or more: {extraction:.1f} s, and {step:.2f} s for this step"
SLOWEST = "  slowest page: {seconds:.3f} s"


def _f1(kept: Extraction, gold: GoldPage) -> str:
    return f"{token_scores(Text(kept.text), Text(gold.text))['token_f1']:.3f}" if gold.text else "-"


def _timed(work: Callable[[], Extraction]) -> tuple[Extraction, float]:
    began = time.thread_time()
    found = work()
    return found, time.thread_time() - began


def compare(path: Path, shard: int, shards: int) -> None:
    """Print the changed pages of one corpus, and the times."""
    changed = worse = 0
    times: list[tuple[int, float, float]] = []
    plain = auto.Auto()
    for gold in islice(read_corpus(path), shard, None, shards):
        if not isinstance(gold, GoldPage):
            continue
        before = after = None  # what the last page held is freed here, and not while this one is timed
        page = Page(gold.html, gold.url)
        try:
            before, spent = _timed(partial(plain.extract, page))
        except PageError:
            continue
        after, step = _timed(partial(with_hydrated_body, page, before))
        times.append((len(before.text), spent, step))
        if after is before:
            continue
        changed += 1
        scores = _f1(before, gold), _f1(after, gold)
        worse += scores[1] < scores[0]
        lengths = {"words": len(before.text.split()), "more": len(after.text.split()), "start": after.text[:100]}
        print(HEAD.format(corpus=path.stem, page=gold.id, before=scores[0], after=scores[1], **lengths))
    print(TOTAL.format(corpus=path.stem, changed=changed, worse=worse, **_summed(times)))
    print(SHARE.format(least=BEGINNING, **_summed([each for each in times if each[0] >= BEGINNING])))
    print(SLOWEST.format(seconds=max(each[2] for each in times)), flush=True)


def _summed(times: Sequence[tuple[int, float, float]]) -> dict[str, float]:
    return {"pages": len(times), "extraction": sum(one[1] for one in times), "step": sum(one[2] for one in times)}


def main() -> None:
    """Compare each corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--shard", default="0/1", help="read every n-th page: 0/2 and 1/2 are two halves")
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    with patch.object(auto, "with_hydrated_body", lambda _page, found: found):  # what `auto` keeps without this step
        for path in options.corpora:
            compare(path, shard, shards)


if __name__ == "__main__":
    main()
