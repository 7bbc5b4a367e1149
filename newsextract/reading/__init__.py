"""Read a page as an article: its body, metadata and kind, with the help of other pages of the site.

In: a `Page`, and the memory of its site if there is one. Out: an `Article`, or `NoArticle` with a state and a reason.
Nothing here knows Scrapy or a database.
"""
