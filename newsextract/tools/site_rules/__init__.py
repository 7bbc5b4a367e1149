"""Bring the site rules of another program into a list of sites.

In: a folder of its files. Out: `sites.yml`, and counts of what was taken over and what was not.
"""
