"""Compare extractors on one page: what each kept, coloured in place, how far they agree, the article of each.

`extractor_answers` runs the extractors, `voting` says whose answers count, `agreement` counts, and `summary` adds up
several pages. `marked_page` writes the page again with every kept text marked and with nothing left that could run
or fetch. `comparison` puts it all together and makes the file.
"""
