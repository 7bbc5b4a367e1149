"""The files that a site publishes about itself: sitemaps, feeds and tdmrep.json, opened safely."""
