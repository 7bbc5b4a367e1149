"""Read a page as an article: its body, metadata and kind, from the page alone.

In: a `Page`, and the rules of its site if there are any. Out: an `Article`, or `NoArticle` with a state and a reason.
Nothing here knows Scrapy or a database.
"""
