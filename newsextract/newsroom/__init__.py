"""What follows from a new article: watch rules, messages to other systems, the health of sites, and the desk.

In: stored articles and what runs saw of each site. Out: matches, messages, warnings, and pages for a browser.
"""
