"""Read pages from files, folders, URLs and standard input, and write their articles: the command `newsextract`.

In: names of pages, what is wanted of them, and the number of processes. Out: one stream or a folder of files in one
format, an error a page that could not be read, and an exit code.
"""
