"""Where articles are: the list of sites, the files that sites publish, and the queue of URLs of each site.

In: `sites.yml` or URLs, sitemaps, feeds, robots.txt, links. Out: candidates for a visit, in order of promise.
"""
