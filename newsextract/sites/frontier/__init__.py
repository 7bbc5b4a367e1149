"""What is left to visit on one site, and when to visit it again.

In: candidates and links, how visits ended, what the ledger says is due. Out: the next candidates, listings and sitemaps
to fetch, and the times of the next visits.
"""
