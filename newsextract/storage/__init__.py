"""What is kept: articles, their versions and copies, the ledger of URLs, and messages that wait to be sent.

In: articles and the outcome of visits. Out: rows, and what a new row brings about (revision, copies, messages).
SQLite, PostgreSQL and MariaDB, by URL; the tables are brought up to date when a database is opened.
"""
