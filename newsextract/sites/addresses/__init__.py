"""URLs that are not fetched: crawler traps, and addresses in private networks.

In: a URL, host or IP address. Out: whether it may be fetched, and if not, the reason.
"""
