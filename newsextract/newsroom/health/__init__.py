"""The health of each site: what a run saw of it, compared with the runs before. It never imports Scrapy.

`counting` makes the figures of a run, `judging` compares them with the last ones, `examination` does both with the
database, and the rest says it: a table, JSON, a file for Prometheus, a message to a webhook.
"""
