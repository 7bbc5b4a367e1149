"""Where articles are: the list of sites, the files that sites publish, and the queue of URLs for each site.

In: `sites.yml` or URLs; sitemaps, feeds, robots.txt, links. Out: URLs to fetch, the most promising first, and when to
fetch them again.
"""
