"""The project under scrapyd: a server, the egg, a job, its log. `python -m newsextract.tools.deployment -h`."""
