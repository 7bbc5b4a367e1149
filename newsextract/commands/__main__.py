"""`python -m newsextract.commands` is the command `scrapy`, which can be interrupted while Scrapy is imported, too."""

import sys

import newsextract.commands  # noqa: F401 - before the imports that take most of the start

if __name__ == "__main__":
    from scrapy.cmdline import execute

    sys.argv[0] = "scrapy"
    execute()
