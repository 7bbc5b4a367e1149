"""From the bytes of a page to its blocks, and from blocks back to text, HTML and Markdown.

In: the bytes or text of one page, with its URL and what the request and the headers say of it.
Out: a `Page`, read-only, with its blocks; selected blocks as text, sanitised HTML or Markdown.
"""
