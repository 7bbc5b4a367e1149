"""The list of sites: `sites.yml`, text, CSV or OPML, with errors that name the line and the field.

In: URLs or a file. Out: a `Site` for each, or a `SiteListError` whose message says what would be right.
"""
