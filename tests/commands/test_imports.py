"""What starting a command loads: Scrapy imports every command, whatever was asked for."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "numpy", "lark", "feedparser", "prometheus_client", "newsextract.reading.reader", "newsextract.page.blocks",
)  # fmt: skip


def loaded_by(statement: str) -> str:
    """Return what of the heavy modules a statement loads in a new process."""
    script = f"import sys\n{statement}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_no_command_brings_what_only_others_need() -> None:
    walk = "from scrapy.utils.misc import walk_modules_iter\nlist(walk_modules_iter('newsextract.commands'))"
    assert loaded_by(walk) == ""


def test_a_crawl_with_worker_processes_reads_no_page_itself() -> None:
    parts = """
from scrapy.settings import Settings
from scrapy.utils.misc import load_object, walk_modules_iter
from newsextract.addon import NewsExtract
from newsextract.crawl.readers import Readers
from newsextract.crawl.pipelines import plan_from_settings
settings = Settings({"NEWSEXTRACT_DATABASE": "sqlite://", "NEWSEXTRACT_WORKERS": 2})
NewsExtract().update_settings(settings)
for kind in ("ITEM_PIPELINES", "EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"):
    for component in settings.getdict(kind):
        load_object(component)
list(walk_modules_iter("newsextract.crawl.spider"))
assert plan_from_settings(settings).is_usual
Readers(plan_from_settings(settings), 2)
"""
    assert loaded_by(parts) == ""
