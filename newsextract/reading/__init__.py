"""From blocks to an article: body, metadata, kind of page, and what other pages of the site teach.

In: a `Page`, and the memory of its site if there is one. Out: an `Article`, or `NoArticle` with a state and a reason.
Nothing here knows Scrapy or a database.
"""
