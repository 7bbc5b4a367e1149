"""A desk to look at the database from: datasette with a front of its own, read only and on loopback.

`python -m newsextract.newsroom.desk DATABASE` serves it. The front (`/`, `/article/…`, `/story/…`, `/stories`, `/sites`
and `/runs`) is ours, plain HTML made on the server; datasette's own pages, JSON and SQL are under `/newsextract`.

Pages are read by functions that take a `sqlite3.Connection` and return plain data (`listing`, `articles`, `stories`,
`sites`); `views` puts them into templates. A table that is not there, or has no rows, leaves its part of the page out.

Arbitrary SQL is allowed, since it is what datasette is for and can do no harm here: connections are read only, cannot
attach another file, and a query ends after two seconds. What keeps strangers out is `desk_guard`.
"""
