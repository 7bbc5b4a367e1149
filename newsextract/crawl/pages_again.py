"""Pages that showed no article and are asked for again, in a browser or in another version.

Their requests bypass the scheduler, but not robots.txt, the guard, the delay of the host or a subscription of the site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.page_responses import page_of
from newsextract.crawl.visit import AGAIN
from newsextract.settings import PAGE_BYTES

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from newsextract.page.page import Page


def request_again(url: str, **meta: Any) -> Request:
    """Return the request for a page that is asked for again, with more for its meta."""
    own = {
        AGAIN: True, "download_slot": urlsplit(url).netloc, "allow_offsite": True, "handle_httpstatus_all": True,
    }  # fmt: skip
    return Request(url, callback=NO_CALLBACK, meta=own | meta)


def page_again(response: Response, first: Page, settings: BaseSettings) -> Page:
    """Return the page of a response, with what is known of the page that was read first; raises `PageError`."""
    told = {name: value for name, value in (("title", first.hints.title), ("date", first.hints.date)) if value}
    reserved = first.hints.tdm_reservation
    return page_of(response, PAGE_BYTES.of(settings), extractor=first.extractor, told=told, tdm_reservation=reserved)
