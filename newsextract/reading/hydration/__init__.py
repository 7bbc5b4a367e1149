"""Find the article in the data that a page's scripts build it from, for pages that show none themselves.

In: the clues of a page to what it is about. Out: a `HydratedArticle`, or `None`. No script is run: data is decoded,
be it JSON or JavaScript literals, and searched by shape for the object that holds the headline and the paragraphs.
There is no list of sites and none of key paths.
"""
