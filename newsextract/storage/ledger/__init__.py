"""The ledger: which URLs are known, how their visits ended, which runs go on, and what is due."""
