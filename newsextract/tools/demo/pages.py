"""The URL table of a site: every path, with the function that builds its page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from newsextract.tools.demo.blueprints import ARCHIVE, MEMBERS
from newsextract.tools.demo.demo_files import feed_routes, sitemap_routes
from newsextract.tools.demo.layouts.page_frame import Link, Listing, Note
from newsextract.tools.demo.newsroom import image_path
from newsextract.tools.demo.resource import Resource, png
from newsextract.tools.demo.surroundings import (
    article_page,
    duplicate_path,
    duplicated,
    second_page_path,
    section_path,
    spread_out,
    surround,
    teaser,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from newsextract.tools.demo.demo_stories import Story
    from newsextract.tools.demo.newsroom import DemoSite

    Route = Callable[[str], Resource]

HOME_TEASERS = 15
SECTION_TEASERS = 8
"""Teasers on a page: fewer than a section has stories, so that it needs a second page."""


@dataclass(frozen=True)
class SitePages:
    """Builds the HTML pages of one site."""

    site: DemoSite

    def article(self, story: Story, base: str, *, number: int = 1) -> Resource:
        """Return the page of a story, or the page with this number of a story in two pages."""
        page = article_page(self.site, base, story, number)
        markup = self.site.blueprint.layout.article(page, surround(self.site, base))
        return self._html(markup, story)

    def home(self, base: str) -> Resource:
        """Return the home page, including the trap and the dead link."""
        words = self.site.furniture
        extras = (Link(words.members_title, base + MEMBERS), Link(words.archive, base + ARCHIVE))
        teasers = tuple(teaser(self.site, base, story) for story in self.site.stories[:HOME_TEASERS])
        return self._listing(Listing(words.latest, f"{base}/", teasers, extras=extras), base)

    def section(self, index: int, number: int, base: str) -> Resource:
        """Return a page of a section, counted from 1."""
        stories = [story for story in self.site.stories if story.subject.section == index]
        start, stop = (number - 1) * SECTION_TEASERS, number * SECTION_TEASERS
        listing = Listing(
            title=self.site.vocabulary.sections[index][1],
            url=base + section_path(self.site, index, number),
            teasers=tuple(teaser(self.site, base, story) for story in stories[start:stop]),
            newer=base + section_path(self.site, index, number - 1) if number > 1 else None,
            older=base + section_path(self.site, index, number + 1) if stop < len(stories) else None,
        )
        return self._listing(listing, base)

    def note(self, title: str, paragraphs: tuple[str, ...], base: str, *, status: int = 200) -> Resource:
        """Return a page that is not an article."""
        markup = self.site.blueprint.layout.note(Note(title, base, paragraphs), surround(self.site, base))
        return self._html(markup, status=status)

    def _listing(self, listing: Listing, base: str) -> Resource:
        return self._html(self.site.blueprint.layout.listing(listing, surround(self.site, base)))

    def _html(self, markup: str, story: Story | None = None, *, status: int = 200) -> Resource:
        blueprint = self.site.blueprint
        charset = f"; charset={blueprint.charset}" if blueprint.is_charset_in_header else ""
        body = markup.encode(blueprint.charset, "xmlcharrefreplace")
        modified = story.modified if story else self.site.today
        return Resource(body, f"text/html{charset}", modified, status)


def routes(site: DemoSite) -> Mapping[str, Route]:
    """Return a function for each path that builds its resource, given the URL the site is served at."""
    pages, words, addresses = SitePages(site), site.furniture, site.blueprint.addresses
    table: dict[str, Route] = {
        "/": pages.home,
        addresses.about: partial(pages.note, words.about_title, words.about),
        addresses.contact: partial(pages.note, words.contact_title, words.contact),
        MEMBERS: partial(pages.note, words.members_title, words.members),
        duplicate_path(site): partial(pages.article, duplicated(site)),
        "/favicon.ico": lambda _: Resource(png(0), "image/png", site.today),
    }
    for index in range(len(site.vocabulary.sections)):
        for number in (1, 2):
            table[section_path(site, index, number)] = partial(pages.section, index, number)
    for story in site.stories:
        table[site.paths[story.number]] = partial(pages.article, story)
        table[image_path(story)] = partial(_picture, story)
    for path in site.gone:
        table[path] = partial(pages.note, words.lost, (), status=HTTPStatus.GONE)
    if story_of_two := spread_out(site):
        table[second_page_path(site, story_of_two)] = partial(pages.article, story_of_two, number=2)
    return {**table, **sitemap_routes(site), **feed_routes(site)}


def respond(site: DemoSite, table: Mapping[str, Route], target: str, base: str) -> Resource:
    """Return the resource at a request target, or a 404 page."""
    route = table.get(without_tracking(target))
    if route:
        return route(base)
    return SitePages(site).note(site.furniture.lost, (), base, status=404)


def without_tracking(target: str) -> str:
    """Return the request target without tracking parameters.

    >>> without_tracking("/rubrique/culture?utm_source=home&page=2")
    '/rubrique/culture?page=2'
    """
    parts = urlsplit(target)
    kept = [(name, value) for name, value in parse_qsl(parts.query) if not name.startswith("utm_")]
    return parts.path + (f"?{urlencode(kept)}" if kept else "")


def _picture(story: Story, _base: str) -> Resource:
    return Resource(png(story.number), "image/png", story.published)
