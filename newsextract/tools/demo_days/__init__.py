"""`make crawl` without SITES: crawls the demo newsroom on two days, and says what there is to see.

In: the project's settings, and a new database. Out: an exit code, and a database with copies, a revision, a
removed page, matches and an ill site.
"""
