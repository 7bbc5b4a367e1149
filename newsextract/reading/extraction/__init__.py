"""Extractors: contract, registry, the extractors, and the block classifier and page comparison that two build on."""
