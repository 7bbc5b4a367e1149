"""Write the model card: the training data, the results on unseen pages, and the known failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from training.block_examples import VALIDATION
from training.fold_judging import COLUMNS, FEWEST, by_column, error, snippets
from training.training_command import fill_card

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from newsextract.reading.extraction.block_classifier.model import BlockClassifier
    from training.block_examples import CorpusPage, Example
    from training.fold_judging import Bin, Outcome

PLOT = "reliability.svg"

LICENCES = {
    "newspaper4k": "Apache-2.0",
    "wcxb": "CC-BY-4.0",
    "daniel": "GPL-3",
    "dragnet": "AGPL-3",
    "xmu": "none stated",
    "chaos": "research",
    "trafilatura": "Apache-2.0",
    "magic": "Apache-2.0",
    "magic_forum": "Apache-2.0",
}

_PEERS = {
    "trafilatura 2.3.1": (0.912, 0.938, 0.914, 0.949, 0.925, 0.869, 0.816, 0.884, 0.732, 0.905),
    "trafilatura, precision": (0.926, 0.914, 0.924, 0.951, 0.932, 0.878, 0.853, 0.934, 0.814, 0.932),
    "readability-lxml 0.9": (0.894, 0.893, 0.901, 0.940, 0.923, 0.906, 0.845, 0.965, 0.828, 0.928),
    "resiliparse 2.0.1": (0.871, 0.882, 0.744, 0.902, 0.839, 0.816, 0.741, 0.790, 0.605, 0.866),
    "boilerpy3 1.0.7": (0.840, 0.817, 0.817, 0.856, 0.882, 0.846, 0.838, 0.407, 0.592, 0.889),
}
"""Token F1 of other tools on the same pages, in the order of `COLUMNS`."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a card."""

    examples: Sequence[Example]
    cross: Sequence[Outcome]
    left_out: Sequence[Outcome]
    """With a corpus left out."""
    untaught: Sequence[Outcome]
    """With a language left out."""
    bins: Sequence[Bin]
    risk: float
    """The area under the risk-coverage curve."""
    model: BlockClassifier
    size: int


def write_card(path: Path, figures: Figures) -> None:
    """Write the card, and its plot beside it."""
    values = {
        "corpora": corpus_table(figures.examples),
        "features": table(("family", "features"), _families(figures)),
        "results": table(("token F1", *(f"{name}" for name in COLUMNS), "mean"), _results(figures)),
        "snippets": table(("snippets found", "wanted", "unwanted"), _snippets(figures)),
        "languages": table(
            ("language", "pages", "disjoint by site", "corpus left out", "language left out"), _languages(figures)
        ),
        "bins": table(("pages", "confidence", "F1 reached"), bin_rows(figures.bins)),
        "error": f"{error(figures.bins):.3f}",
        "risk": f"{figures.risk:.4f}",
        "terms": f"{len(figures.model.names.scores):,}",
        "trees": f"{figures.model.first.features.shape[1]} and {figures.model.second.features.shape[1]}",
        "size": f"{figures.size / 1000:.0f} kB",
        "plot": PLOT,
    }
    fill_card(path, "card.md", values)
    _plot(path.with_name(PLOT), figures.bins)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def corpus_table(examples: Sequence[CorpusPage], order: Callable[[str, int], Any] = lambda *_: 0) -> str:
    """Return the table of the corpora, sorted by a key of names and page counts if given."""
    pages = Counter(example.corpus for example in examples)
    rows = []
    for corpus, count in sorted(pages.items(), key=lambda item: order(*item)):
        sites = len({example.site for example in examples if example.corpus == corpus})
        use = "validation only" if corpus in VALIDATION else "training"
        rows.append((corpus, count, sites, LICENCES.get(corpus, "?"), use))
    return table(("corpus", "pages", "sites", "licence of the data", "used for"), rows)


def _families(figures: Figures) -> Iterable[Sequence[object]]:
    for family, columns in figures.examples[0].described.families.items():
        yield family, columns.stop - columns.start


def _results(figures: Figures) -> Iterable[Sequence[object]]:
    ours = {"`auto`, folds disjoint by site": figures.cross, "`auto`, corpus left out": figures.left_out}
    for name, outcomes in ours.items():
        columns = by_column(outcomes)
        shown = (f"{columns[column]:.3f}" if column in columns else "–" for column in COLUMNS)
        yield name, *shown, f"{columns['mean']:.4f}"
    for name, values in _PEERS.items():
        yield name, *(f"{value:.3f}" for value in values), f"{fmean(values):.3f}"


def _snippets(figures: Figures) -> Iterable[Sequence[object]]:
    yield "disjoint by site", *(f"{share:.1%}" for share in snippets(figures.cross))


def _languages(figures: Figures) -> Iterable[Sequence[object]]:
    found = [_by_language(outcomes) for outcomes in (figures.cross, figures.left_out, figures.untaught)]
    for language, pages in sorted(found[0].items(), key=lambda item: -len(item[1])):
        if len(pages) >= FEWEST:
            means = [f"{fmean(each[language]):.3f}" if each[language] else "–" for each in found]
            yield language or "?", len(pages), *means


def _by_language(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.f1 is not None and outcome.example.is_article:
            found[outcome.example.language].append(outcome.f1)
    return found


def bin_rows(bins: Sequence[Bin]) -> Iterable[Sequence[object]]:
    """Yield the rows of a table of bins."""
    for pages, said, true in bins:
        yield pages, f"{said:.3f}", f"{true:.3f}"


def _plot(path: Path, bins: Sequence[Bin]) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - of the extra `train`

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    # Without these, the same figure gives a different file every time.
    mpl.rcParams["svg.hashsalt"] = "newsextract"
    figure, axes = plt.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axes.plot([bin_.said for bin_ in bins], [bin_.true for bin_ in bins], "o-", color="#1f5fa8")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence, mean of a tenth of the pages", ylabel="token F1 reached")
    axes.set_title("Held-out pages, folds disjoint by site")
    axes.set_aspect("equal")
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)
