"""The desk: articles, stories, sites and runs of a database in a browser, read-only and on loopback.

In: a SQLite database. Out: HTML pages, and datasette's own pages, JSON and SQL.

`python -m newsextract.newsroom.desk DATABASE` serves it. The front (`/`, `/article/…`, `/matches`, `/story/…`,
`/stories`, `/sites`, `/runs` and the files of `/export.…`) is ours, plain HTML rendered on the server; datasette's own
pages, JSON and SQL are under `/newsextract`.

Pages are read by functions that take a `sqlite3.Connection` and return plain data, within the limits of
`limited_reading`; `views` puts them into templates, `downloads` into files. Where a table is missing or empty,
its part of the page is left out.

Arbitrary SQL is allowed, since that is what datasette is for and it can do no harm: connections are read-only, cannot
attach another file, and time, memory and answers are limited. What keeps strangers out is `desk_guard`.
"""
