"""News archives: WARC files in, tables of articles out, with an account of what became of every record.

In: WARC files, folders or lists of paths, here or remote. Out: Parquet files of articles and of records.
"""
