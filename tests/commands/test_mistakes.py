"""Mistakes are told first and last: in one line, without a log before it or a traceback after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy

BROKEN = "sites:\n  - url: https://a.example/\n   name: x\n"
NEWS = ("crawl", "news", "-a", "sites=https://a.example/")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("crawl", "news", "-a", "sites=broken.yml"), "-a sites: broken.yml, line 3, column 4: "),
        (("crawl", "news", "-a", "sites=missing.yml"), "-a sites: missing.yml: no such file"),
        (("crawl", "news", "-a", "site=a.example"), "-a site: the spider knows sites, since"),
        (("crawl", "new"), "no spider is called 'new'"),
        ((*NEWS, "-a", "limit=x"), "-a limit: 'x' is not a number"),
        ((*NEWS, "-s", "NEWSEXTRACT_WORKERS=many"), "NEWSEXTRACT_WORKERS: 'many' is not a whole number"),
        ((*NEWS, "-s", "NEWSEXTRACT_WATCH=broken.yml"), "NEWSEXTRACT_WATCH: broken.yml, line 3, column 4: "),
        ((*NEWS, "-s", "NEWSEXTRACT_DATABASE=foo"), "NEWSEXTRACT_DATABASE: 'foo' is not a database URL"),
        (("schedule", "broken.yml"), "broken.yml, line 3, column 4: "),
        (("deliver", "-s", "NEWSEXTRACT_WORKERS=many"), "NEWSEXTRACT_WORKERS: 'many'"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], told: str, scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "broken.yml").write_text(BROKEN)
    run = scrapy(tmp_path, *arguments, SCRAPY_SETTINGS_MODULE="settings.production")
    (line,) = run.err.splitlines()
    assert line.partition(": error: ")[2].startswith(told)
    assert (run.code, run.out) == (2, "")
