"""Storage: articles, their versions and copies, the ledger of URLs, and the outbox of messages.

In: articles and the outcome of visits. Out: rows, and the effects of a new row (revision, copies, messages).
SQLite, PostgreSQL and MariaDB, by URL; the tables are brought up to date when a database is opened.
"""
