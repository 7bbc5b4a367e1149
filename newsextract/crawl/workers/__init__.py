"""Reading of pages and site files beside the crawl: in worker processes that can be killed, or in one thread."""
