"""What the server that forks workers imports, so that they share its memory; nothing else imports it."""

from __future__ import annotations

import gc
import json
import signal
import sys
from multiprocessing import forkserver

import htmldate  # only imported: it is used in a thread, and a process with threads must not be forked

from newsextract.page.urls import registrable_domain
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.notices import DEFAULT_EXTRACTOR
from newsextract.reading.reader import read_article

__all__ = ["htmldate"]

# What stops a service goes to all its processes, and workers whose server has ended are killed. It ends
# with its parent.
# Not wherever it is imported: whoever ignores SIGTERM has children that do so too, and waits for them for ever.
if getattr(sys.modules["__main__"], "main", None) is forkserver.main:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

_SENTENCE = (
    "The mayor opened the new bridge on Monday, and many people of the town came to see it before the rain began. "
)
_STATED = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "Un titre",
    "datePublished": "2026-05-20T10:00:00+02:00",
    "author": {"@type": "Person", "name": "Anne Petit"},
}
_BARE_PAGE = f"""<html><head><title>A headline | The Paper</title></head><body><h1>A headline</h1><p>By Ann Lee</p>
<p>Published on 20 May 2026</p>{f"<p>{_SENTENCE * 3}</p>" * 12}</body></html>"""
_RICH_PAGE = f"""<html lang="fr"><head><title>Un titre</title><meta property="og:type" content="article">
<meta property="article:published_time" content="2026-05-20T10:00:00+02:00"><link rel="canonical" href="/un-titre">
<script type="application/ld+json">{json.dumps(_STATED)}</script></head><body><nav><a href="/">Accueil</a></nav>
<article itemscope itemtype="https://schema.org/NewsArticle"><h1>Un titre</h1><time datetime="2026-05-20">20 mai</time>
<figure><img src="/a.jpg" alt="Un pont"><figcaption>Une image</figcaption></figure>
{"<p>La ville a ouvert son pont lundi, et beaucoup de gens sont venus le voir avant la pluie.</p>" * 20}
<table><tr><th>A</th></tr><tr><td>1</td></tr></table><ul><li>Un</li></ul></article></body></html>"""

# What is read at its first use: the weights of the classifiers, tables of languages, the patterns of dates, the list of
# public suffixes.
registrable_domain("www.paper.example")
create_extractor(DEFAULT_EXTRACTOR)
for html in (_BARE_PAGE, _RICH_PAGE):
    read_article(html, "https://paper.example/2026/05/20/a-headline.html")
# A collection in a worker would write into all objects, and so copy the pages of memory that they share.
gc.collect()
gc.freeze()
