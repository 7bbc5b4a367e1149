"""Read a page's metadata.

In: the page. Out: `Metadata`, each field from the best source that has a usable value, with the name of that source.
Sources find candidates; checks accept or refuse them (`precedence`).
"""
