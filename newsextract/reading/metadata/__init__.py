"""Read a page's metadata.

In: the page, with what is known of its site. Out: `Metadata`, each field from the best source that has a usable value,
with the name of that source. Sources (`sources`) find candidates; checks accept or refuse them (`precedence`).
"""
