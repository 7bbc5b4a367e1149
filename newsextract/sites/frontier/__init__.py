"""What is left to visit on one site, and when to visit it again.

In: candidates and links, how visits ended, the URLs due by the ledger. Out: the next candidates, listings and sitemaps
to fetch, and the times of the next visits.
"""
