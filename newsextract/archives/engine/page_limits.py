"""What one page may take, unless the command says otherwise."""

from __future__ import annotations

PAGE_SECONDS = 20.0
"""As for a page of a crawl, see `NEWSEXTRACT_PAGE_SECONDS`."""

PAGE_BYTES = 8 * 1024 * 1024
"""A page of so many bytes is read in 400 MB; those of news sites have a fortieth of it."""
