"""Behind `scrapy probe`: how a new site is read best, and what prevents it.

In: a URL. Out: a report on its sources, articles and obstacles, and the lines for `sites.yml`.
"""
