"""The articles of a crawl's database as files.

In: a database, a query and a span of time. Out: Parquet with its description, CSV, JSON Lines, or Markdown files.
"""
