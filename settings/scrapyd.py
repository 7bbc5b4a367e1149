"""For jobs of scrapyd: production's settings, with a feed for each job. `setup.py` writes this name into the egg."""

from __future__ import annotations

from settings.production import *

# Two jobs that append to one file at once would write into each other's lines; scrapyd gives each job its name.
FEEDS = {f"{OUTPUT}/articles/%(_job)s.jsonl": ARTICLES_FEED}

# Nobody looks at the job's terminal: the same counts are in its log.
NEWSEXTRACT_PROGRESS = False
