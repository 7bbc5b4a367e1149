"""Run the project under scrapyd, for `make scrapyd`; and write timers for cron and systemd.

In: the project, and sites to crawl. Out: a running scrapyd with the deployed egg, the log and articles of a job.
"""
