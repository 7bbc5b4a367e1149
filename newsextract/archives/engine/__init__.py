"""The engine: one task per WARC file, on Ray or in worker processes, with pages read in processes that may be killed.

In: files and a `ReadingPlan`. Out: for each file its articles and an account of its records, whole or not at all.
"""
