"""The files that a site publishes about itself: sitemaps, feeds and tdmrep.json, opened safely.

In: the bytes of a file and its URL. Out: candidates, links to further sitemaps, rights; or a `SiteFileError`.
"""
