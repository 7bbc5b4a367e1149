"""The ledger: known URLs, how their visits ended, running crawls, and what is due."""
