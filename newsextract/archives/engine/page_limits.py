"""What one page may take, unless the command says otherwise."""

from __future__ import annotations

PAGE_SECONDS = 20.0
"""As for a page of a crawl, see `NEWSEXTRACT_PAGE_SECONDS`."""

PAGE_BYTES = 3 * 1024 * 1024
"""A larger page of plain paragraphs would take a worker beyond 400 MB; those of news sites have a fifteenth of it."""
