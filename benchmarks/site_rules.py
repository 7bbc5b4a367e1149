"""Measures what imported rules gain: token F1 of the rules, of `auto`, and of both together, on sites that have rules.

python benchmarks/site_rules.py FOLDER CORPUS.jsonl.xz ...

FOLDER holds site configurations of Full-Text RSS. `rule` is the first body expression that selects anything, with what
the rules strip, 0 where there is none; `both` is what a crawl reads. `SURE_WITHOUT` counts the pages whose rules were
not tried, as the general reading was sure.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract import Page, create_extractor
from newsextract.lab.evaluation.corpora.corpora import read_corpus
from newsextract.lab.evaluation.corpora.gold_pages import GoldPage
from newsextract.lab.evaluation.measures.measured_texts import Text
from newsextract.lab.evaluation.measures.token_scores import is_judgeable, token_scores
from newsextract.page.urls.clean_urls import site_of
from newsextract.reading.notices import Notice
from newsextract.reading.rules.ruled_body import RULE, RuledExtractor
from newsextract.tools.site_rules.rules_import import read_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.reading.rules.site_rules import SiteRules


def main(folder: Path, corpora: list[Path]) -> None:
    """Print a row for each corpus and one for all."""
    rules = {host: site.rules for host, site in read_folder(folder).sites.items() if site.rules.body}
    columns = ("corpus", "pages", "sites", "rule", "auto", "both", "followed", "not followed")
    print("{:<14}{:>6}{:>6}{:>8}{:>8}{:>8}{:>10}  {}".format(*columns))
    total: list[tuple[float, float, float, str]] = []
    for path in corpora:
        rows = list(_rows(path, rules))
        total += [row[1:] for row in rows]
        _print(path.name.partition(".")[0], len({row[0] for row in rows}), [row[1:] for row in rows])
    _print("all", 0, total)


def _rows(path: Path, rules: dict[str, SiteRules]) -> Iterator[tuple[str, float, float, float, str]]:
    for gold in read_corpus(path):
        own = _rules_of(gold.url, rules) if isinstance(gold, GoldPage) else None
        if isinstance(gold, GoldPage) and own is not None and gold.text:
            page, body = Page(gold.html, gold.url), Text(gold.text)
            if is_judgeable(body, Text("\n".join(block.text for block in page.blocks))):
                yield (site_of(gold.url or ""), *_scores(page, body, own, gold))


def _scores(page: Page, body: Text, own: SiteRules, gold: GoldPage) -> tuple[float, float, float, str]:
    general = create_extractor("auto")
    alone = RuledExtractor(create_extractor("everything"), own).selected(page)
    both = RuledExtractor(general, own).extract(page)
    texts = ("\n".join(block.text for block in alone), general.extract(page).text, both.text)
    rule, auto, together = (token_scores(Text(text), body)["token_f1"] for text in texts)
    noticed = [each.code.name for each in both.warnings if isinstance(each, Notice) and each.code.name[:4] == "RULE"]
    if together < auto - 0.05 or together > auto + 0.05:
        print(f"  {gold.id} {gold.url} rule {rule:.3f} auto {auto:.3f} both {together:.3f} {noticed}", file=sys.stderr)
    followed = "followed" if both.sources.get("articleBody") == RULE else "SURE_WITHOUT"
    return rule, auto, together, "".join(noticed) or followed


def _rules_of(url: str | None, rules: dict[str, SiteRules]) -> SiteRules | None:
    host = site_of(url or "")
    while host and host not in rules:
        host = host.partition(".")[2]
    return rules.get(host)


def _print(name: str, sites: int, rows: list[tuple[float, float, float, str]]) -> None:
    if not rows:
        print(f"{name:<14}{0:>6}")
        return
    rule, auto, both = (statistics.fmean(float(row[column]) for row in rows) for column in range(3))
    ends = Counter(row[3] for row in rows)
    others = ", ".join(f"{end} {count}" for end, count in ends.most_common() if end != "followed")
    print(
        f"{name:<14}{len(rows):>6}{sites or '':>6}{rule:>8.3f}{auto:>8.3f}{both:>8.3f}{ends['followed']:>10}  {others}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
