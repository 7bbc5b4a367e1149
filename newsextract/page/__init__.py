"""Parse a page into blocks, and write blocks as text, HTML or Markdown.

In: the bytes or text of one page, with its URL and what the request and the headers say of it.
Out: a `Page`, read-only, with its blocks; selected blocks as text, sanitised HTML or Markdown.
"""
