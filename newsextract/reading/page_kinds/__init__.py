"""Decide the kind of a page: an article, a listing, or something else."""
