"""WARC files: their records in order, damaged stretches included, and the filters before and after reading.

In: a file opened for bytes. Out: a `WarcRecord` for every record and every damaged stretch.
"""
