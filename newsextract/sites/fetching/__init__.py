"""Fetch one page without a crawl: robots.txt is obeyed, private addresses are refused, time and size are bounded.

In: a URL. Out: a `Page`, or an article; a `FetchError` says why there is none. For many pages of a site there is the
crawl, which keeps a distance between requests.
"""
