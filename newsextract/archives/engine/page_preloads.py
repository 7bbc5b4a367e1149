"""Imports and weights for the server that forks the processes in which pages are read; nothing else imports it."""

from __future__ import annotations

import gc
import json

from newsextract.archives.engine import page_process
from newsextract.archives.engine.page_reader import PageReader
from newsextract.archives.engine.reading_plan import ReadingPlan
from newsextract.archives.warc.record import WarcRecord

__all__ = ["page_process"]

_TEXT = "La ville a ouvert son pont lundi, et beaucoup de gens sont venus le voir avant que la pluie ne commence. "
_STATED = {"@type": "NewsArticle", "headline": "Un titre", "datePublished": "2026-05-20T10:00:00+02:00"}
_PAGES = (
    f"<title>A headline | The Paper</title><h1>A headline</h1><p>By Ann Lee, 20 May 2026{f'<p>{_TEXT * 2}' * 12}",
    f"""<html lang="fr"><title>Un titre</title><script type="application/ld+json">{json.dumps(_STATED)}</script>
<article><h1>Un titre</h1><img src="/a.jpg" alt="Un pont">{f"<p>{_TEXT}</p>" * 20}<table><tr><td>1</table></article>""",
)

# What is read at its first use: the weights of the classifiers, tables of languages, patterns of dates.
for html in _PAGES:
    PageReader(ReadingPlan(), "").read(
        WarcRecord(0, "response", url="https://paper.example/2026/05/20/a-headline", body=html.encode())
    )
# A collection in a child would write into all objects, and so copy the pages of memory that they share.
gc.collect()
gc.freeze()
