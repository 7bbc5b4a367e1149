"""Settings of the project, one module per way of running it; `scrapy.cfg` names them."""
