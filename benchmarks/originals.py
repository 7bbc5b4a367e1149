"""How far extractors agree with the programs that they are from, page by page.

    python -m benchmarks.originals PAGES --from CORPORA [--shown]
    python -m benchmarks.originals PAGES OUTPUTS -x eatiht:every_script=false

The first writes the same 110 pages of five corpora as files in UTF-8; with `--shown` without the elements that no
reader sees, such as `noscript`. Run the original on each `NAME.html` and write what it prints as `NAME.txt` into
OUTPUTS; the second compares. The project holds none of the programs. `--all daniel` writes all pages of a corpus, by
language.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from lxml import etree

from newsextract import Page, create_extractor
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.evaluation.measures import Text, token_scores

NAMES = ("newspaper4k", "wcxb", "dragnet", "chaos", "daniel")
PAGES_EACH = 22
AGREES = 0.9
"""The token F1 from which a page counts as one on which both agree."""


def main() -> None:
    """Write the pages, or compare the outputs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("outputs", type=Path, nargs="?")
    parser.add_argument("-x", dest="extractor", default="mss")
    parser.add_argument("--from", dest="corpora", type=Path)
    parser.add_argument("--shown", action="store_true")
    parser.add_argument("--all", dest="whole")
    given = parser.parse_args()
    if given.corpora:
        given.pages.mkdir(parents=True, exist_ok=True)
        for name in [given.whole] if given.whole else NAMES:
            write(given.corpora / f"{name}.jsonl.xz", given.pages, bool(given.whole), given.shown)
    elif given.outputs:
        for name, scores in compare(given.pages, given.outputs, given.extractor).items():
            share = sum(score >= AGREES for score in scores) / len(scores)
            print(
                f"{name:16} {len(scores):4} pages, F1 {statistics.fmean(scores):.3f}, {share:.3f} of them at {AGREES}"
            )
    else:
        parser.error("give --from CORPORA to write the pages, or OUTPUTS to compare")


def write(corpus: Path, folder: Path, is_whole: bool, is_shown: bool) -> None:
    """Write the pages of a corpus, evenly spaced, under their numbers."""
    pages = [each for each in read_corpus(corpus) if isinstance(each, GoldPage)]
    chosen = range(len(pages)) if is_whole else [n * len(pages) // PAGES_EACH for n in range(PAGES_EACH)]
    for number in chosen:
        page = Page(pages[number].html, pages[number].url)
        source = shown(page) if is_shown else page.decoded.text.encode("utf-8", "replace")
        language = f"-{pages[number].language}" if is_whole else ""
        (folder / f"{corpus.name.partition('.')[0]}{language}-{number:04}.html").write_bytes(source)


def shown(page: Page) -> bytes:
    """Return a page without the elements in its body that are not shown."""
    outline = page.outline
    heads = {"head", "title", "meta", "link"}
    for element, counts in reversed(list(zip(outline.elements, outline.arrays.counted.tolist(), strict=True))):
        parent = element.getparent()
        if not counts and element.tag not in heads and parent is not None and parent.tag != "head":
            element.drop_tree()
    return etree.tostring(page.tree, method="html", encoding="utf-8")


def compare(pages: Path, outputs: Path, name: str) -> dict[str, list[float]]:
    """Return the token F1 of an extractor with a program's outputs, page by page, of each corpus and of all."""
    extractor = create_extractor(name)
    scores: dict[str, list[float]] = {}
    for file in sorted(pages.glob("*.html")):
        ours = Text(extractor.extract(Page(file.read_bytes().decode("utf-8"))).text)
        theirs = Text((outputs / f"{file.stem}.txt").read_text("utf-8", "replace"))
        score = token_scores(ours, theirs)["token_f1"]
        for group in (file.stem.rpartition("-")[0], "all"):
            scores.setdefault(group, []).append(score)
    return scores


if __name__ == "__main__":
    main()
