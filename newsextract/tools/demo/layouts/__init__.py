"""The three layouts of the demo sites, one per file.

In: a story or teasers, and the frame around them. Out: the HTML of a page.
"""
