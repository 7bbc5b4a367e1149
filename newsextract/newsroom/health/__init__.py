"""The health of each site: what a run saw of it, compared with the runs before. It never imports Scrapy.

`figures` counts what a run sees, `judging` compares it with the last runs, `report` does both with the database, and
writes the result as a table, JSON, a file for Prometheus, and a message to a webhook.
"""
