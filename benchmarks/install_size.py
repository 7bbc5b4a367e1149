"""Shows what an installation weighs: each dependency, alone and with what nothing else brings, and what it is for.

    python -m venv /tmp/base && /tmp/base/bin/pip install . && python -m benchmarks.install_size /tmp/base
    python -m venv /tmp/crawl && /tmp/crawl/bin/pip install '.[crawl]' && python -m benchmarks.install_size /tmp/crawl

Sizes are those on disk, in MB of a million bytes; Python's compiled files, about a third, are named apart. Below the
table stands how long the environment's Python takes to load the reader of articles, the median of eleven processes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from statistics import median
from subprocess import run
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

OURS = "newsextract"
IMPORT = "import newsextract; newsextract.read_article"
INSTALLERS = frozenset(("pip", "setuptools"))
"""What a virtual environment begins with."""

PURPOSES = {
    "charset-normalizer": "guesses the charset of pages that declare none",
    "chompjs": "reads JavaScript literals in the scripts of pages",
    "feedparser": "reads RSS, RDF and Atom",
    "form2request": "fills and sends the forms of logins",
    "htmldate": "guesses the date of pages that state none",
    "itemadapter": "articles as Scrapy's items",
    "lark": "parses queries of the search and of watch rules",
    "lxml": "parses pages",
    "nh3": "sanitises the HTML of articles",
    "numpy": "computes the features of blocks, and the trained models",
    "parsel": "the selectors of site rules",
    "protego": "parses robots.txt; of Scrapy",
    "py3langid": "detects the language of pages that declare none",
    "pydantic": "checks `sites.yml` and `watch.yml`, and says what is wrong",
    "ruamel-yaml": "reads them",
    "rich": "tables and progress on a terminal",
    "scrapy": "crawls; most of its weight is Twisted's and cryptography's",
    "sqlalchemy": "the database: SQLite, PostgreSQL, MariaDB",
    "tldextract": "the public suffix list: which hosts are one site",
    "click": "the command `newsextract` and its options",
    "warcio": "writes what is fetched as WARC; loaded only if that is wanted",
    "w3lib": "cleans URLs and reads declared charsets; of Scrapy",
}
"""What each dependency is for, by its normalised name."""


@dataclass(frozen=True)
class Weight:
    """A distribution on disk."""

    name: str
    version: str
    bytes: int
    compiled_bytes: int
    files: int
    needs: frozenset[str]


def weigh(distribution: Distribution, packages: Path) -> Weight:
    """Return what a distribution takes on disk, by the list of its files; ours is with `crawl` if Scrapy is there."""
    sizes = {str(file): _bytes_of(Path(str(distribution.locate_file(file)))) for file in distribution.files or ()}
    wanted = map(Requirement, distribution.requires or ())
    name = canonicalize_name(distribution.metadata["Name"])
    extra = "crawl" if name == OURS and any(distribution.discover(name="scrapy", path=[str(packages)])) else ""
    needs = (each.name for each in wanted if each.marker is None or each.marker.evaluate({"extra": extra}))
    compiled = sum(size for name, size in sizes.items() if name.endswith(".pyc"))
    needed = frozenset(map(canonicalize_name, needs))
    return Weight(name, distribution.version, sum(sizes.values()), compiled, len(sizes), needed)


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_blocks * 512
    except OSError:  # in the list, and removed since
        return 0


def reached(names: Iterable[str], weights: Mapping[str, Weight], without: Collection[str] = ()) -> set[str]:
    """Return the installed distributions that some need, themselves included."""
    found: set[str] = set()
    left = [name for name in names if name in weights and name not in without]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [need for need in weights[name].needs if need in weights and need not in without]
    return found


def rows(weights: Mapping[str, Weight]) -> list[tuple[str, ...]]:
    """Return a row for each dependency, the heaviest first: name, MB, MB with what only it brings, files, purpose."""
    declared = sorted(weights[OURS].needs & weights.keys())
    everything = reached(declared, weights)
    found = []
    for name in declared:
        others = reached([each for each in declared if each != name], weights, without=[name])
        alone = everything - others
        total = sum(weights[each].bytes for each in alone)
        files = sum(weights[each].files for each in alone)
        version = f"{name} {weights[name].version}"
        row = version, mb(weights[name].bytes), mb(total), str(len(alone)), str(files), PURPOSES[name]
        found.append((total, row))
    return [row for _, row in sorted(found, reverse=True)]


def mb(size: int) -> str:
    """Return a size in MB of a million bytes.

    >>> mb(1_450_000)
    '1.4'
    """
    return f"{size / 1e6:.1f}"


def main() -> None:
    """Print the table of a virtual environment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", nargs="?", type=Path, default=Path(sys.prefix), help="a virtual environment")
    environment = parser.parse_args().environment
    packages = next(iter(sorted(environment.glob("lib/python3*/site-packages"))), None)
    if packages is None:
        parser.error("no virtual environment: it has no lib/python3*/site-packages")
    found = (weigh(each, packages) for each in distributions(path=[str(packages)]))
    weights = {weight.name: weight for weight in found}
    if OURS not in weights:
        parser.error(f"{OURS} is not installed there: pip install .")
    print("| dependency | MB | MB with what only it brings | packages | files | for |\n| --- " + "| --- " * 5 + "|")
    for row in rows(weights):
        print(f"| {' | '.join(row)} |")
    kept = [weight for weight in weights.values() if weight.name not in INSTALLERS]
    installers = sum(weight.bytes for weight in weights.values() if weight.name in INSTALLERS)
    total, compiled = (sum(getattr(weight, name) for weight in kept) for name in ("bytes", "compiled_bytes"))
    print(f"\n{len(kept)} packages with {mb(total)} MB, {mb(compiled)} of them compiled by Python; ", end="")
    print(f"{OURS} itself {mb(weights[OURS].bytes)} MB; pip and setuptools another {mb(installers)} MB")
    seconds = sorted(_import_seconds(environment / "bin" / "python") for _ in range(11))
    print(f"`{IMPORT}`: {median(seconds):.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f})")


def _import_seconds(python: Path) -> float:
    timed = f"from time import perf_counter; began = perf_counter(); {IMPORT}; print(perf_counter() - began)"
    return float(run([python, "-c", timed], check=True, capture_output=True, cwd="/").stdout)


if __name__ == "__main__":
    main()
