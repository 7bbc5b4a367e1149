"""Worker processes of crawls and archives: how they start, how their memory is kept small, and that none is orphaned.

In: what a process shall run. Out: a process that can be killed at any moment. Nothing here knows what is run.
"""
