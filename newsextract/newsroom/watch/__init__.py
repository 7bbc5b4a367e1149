"""Watch rules: named boolean queries that an article is matched against as it is stored.

In: `watch.yml`, and articles as rows. Out: the rules that match each article, with the passages that show it.
"""
