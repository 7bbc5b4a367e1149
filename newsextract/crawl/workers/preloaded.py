"""Imports for the server that forks the workers, so that they share memory; nothing else imports it."""

from __future__ import annotations

import signal
import sys
from multiprocessing import forkserver

from newsextract.crawl.workers import worker, worker_tasks
from newsextract.reading.article_reader import DEFAULT_EXTRACTOR, read_article
from newsextract.reading.extraction.contract import create_extractor

__all__ = ["worker", "worker_tasks"]

# What stops a service goes to all its processes, and workers whose server has ended are taken for dead. It ends with
# the crawl.
# Not wherever it is imported: whoever ignores SIGTERM has children that do so too, and waits for them in vain.
if getattr(sys.modules["__main__"], "main", None) is forkserver.main:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

create_extractor(DEFAULT_EXTRACTOR)
# The weights of the classifiers and the tables of languages are read at their first use.
read_article("<h1>A headline</h1>" + "<p>A first sentence of a story, and a second one.</p>" * 9, "https://a.example/1")
