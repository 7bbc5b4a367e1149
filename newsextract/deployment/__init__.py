"""The project under scrapyd: a server of one's own, the egg, a job, its log. `python -m newsextract.deployment -h`."""
