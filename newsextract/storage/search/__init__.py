"""Searches stored articles by their words."""
