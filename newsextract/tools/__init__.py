"""Tools for people: probing a site, comparing extractors, replaying kept pages, the doctor, scrapyd, the demo.

In: a page, a site, a database or a project. Out: a report for people, and the same as JSON.
"""
