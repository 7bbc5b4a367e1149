"""The list of sites: `sites.yml`, text, CSV or OPML, with errors that name the line and the field."""
