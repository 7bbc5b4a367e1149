"""What tests that make crawlers need with the lowest Scrapy: its crawlers want a reactor as soon as they are made."""

from __future__ import annotations

from scrapy import version_info
from scrapy.utils.reactor import install_reactor

if version_info < (2, 14):
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
