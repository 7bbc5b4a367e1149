"""The desk: articles, stories, sites and runs of a database in a browser, read-only, on loopback or with a password.

In: a SQLite, PostgreSQL or MariaDB database. Out: HTML pages, and downloads of what is selected.

`application` has the routes and the server, `access` says who may see it, `search` what a reader selects and the lists
of it, `articles` the page of an article with its revisions and story, `sites` how crawls went, `display` how values are
written.
"""
