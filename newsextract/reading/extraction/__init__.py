"""Extractors: the contract and registry, the extractors themselves, and the two families of tools they are built on."""
