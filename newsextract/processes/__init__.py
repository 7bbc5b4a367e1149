"""Worker processes of crawls, archives, the command and the judge.

In: the name of what does the tasks, and tasks. Out: a future for each. Nothing here knows what the tasks are.
"""
