"""The boilerplate around a page: navigation, teasers and comments."""

from __future__ import annotations

from dataclasses import replace
from posixpath import splitext
from random import Random
from typing import TYPE_CHECKING

from newsextract.tools.demo.layouts.page_frame import ArticlePage, Comment, Link, Surroundings, Teaser
from newsextract.tools.demo.newsroom import image_path

if TYPE_CHECKING:
    from datetime import datetime

    from newsextract.tools.demo.demo_stories import Piece, Story
    from newsextract.tools.demo.newsroom import DemoSite

MOST_READ = "?utm_source=home&utm_medium=most_read"
"""Tracking parameters, as sites add them to their own links."""

FEED_TYPES = {"rss": "application/rss+xml", "atom": "application/atom+xml"}


def surround(site: DemoSite, base: str) -> Surroundings:
    """Return what every page of the site shows."""
    addresses, words = site.blueprint.addresses, site.furniture
    return Surroundings(
        furniture=words,
        site_name=site.vocabulary.publisher,
        language=site.vocabulary.language,
        charset=site.blueprint.charset,
        home=f"{base}/",
        feed=base + addresses.feed,
        feed_type=FEED_TYPES[site.blueprint.feed_format],
        sections=tuple(section_link(site, base, index) for index in range(len(site.vocabulary.sections))),
        pages=(
            Link(words.about_title, base + addresses.about),
            Link(words.contact_title, base + addresses.contact),
        ),
        most_read=tuple(teaser(site, base, story, MOST_READ) for story in site.stories[1:30:6]),
    )


def article_page(site: DemoSite, base: str, story: Story, number: int = 1) -> ArticlePage:
    """Return a story, or one page of a story in several, with its place on the site."""
    is_long = story == spread_out(site)
    position = site.stories.index(story)
    truth = site.articles(base)[position]
    return ArticlePage(
        story=replace(story, body=_half(story, number)) if is_long else story,
        truth=truth,
        date=visible_date(site, story.published),
        section=section_link(site, base, story.subject.section),
        image=truth.image,
        related=tuple(teaser(site, base, other) for other in _neighbours(site, story)),
        comments=_comments(site, story),
        duplicate=base + duplicate_path(site) if story == duplicated(site) else None,
        pages=(truth.url, base + second_page_path(site, story)) if is_long else (),
        number=number,
    )


def section_link(site: DemoSite, base: str, index: int) -> Link:
    """Return the link to a section's first page."""
    part, label = site.vocabulary.sections[index]
    return Link(label, base + site.blueprint.addresses.section.format(section=part))


def section_path(site: DemoSite, index: int, number: int) -> str:
    """Return the path of a page of a section, counted from 1."""
    addresses, part = site.blueprint.addresses, site.vocabulary.sections[index][0]
    shape = addresses.section if number == 1 else addresses.later_section
    return shape.format(section=part, page=number)


def teaser(site: DemoSite, base: str, story: Story, tracking: str = "") -> Teaser:
    """Return the teaser of a story."""
    return Teaser(
        headline=story.headline,
        summary=story.summary,
        url=base + site.paths[story.number] + tracking,
        date=visible_date(site, story.published),
        image=base + image_path(story),
    )


def visible_date(site: DemoSite, moment: datetime) -> str:
    """Return a time as the site writes it for its readers."""
    words = site.vocabulary
    return words.date.format(
        day=moment.day,
        month=words.months[moment.month - 1],
        year=moment.year,
        hour=moment.hour,
        minute=moment.minute,
    )


def duplicated(site: DemoSite) -> Story:
    """Return the one story that has a second URL."""
    return site.stories[3]


def duplicate_path(site: DemoSite) -> str:
    """Return the second URL of that story."""
    return site.blueprint.addresses.duplicate.format(path=site.paths[duplicated(site).number])


def spread_out(site: DemoSite) -> Story | None:
    """Return the one story that has two pages; `None` on a site without one."""
    others = (story for story in site.stories if story != duplicated(site))
    return max(others, key=lambda story: len(story.body)) if site.blueprint.second_page else None


def second_page_path(site: DemoSite, story: Story) -> str:
    """Return the path of that story's second page."""
    return site.blueprint.second_page.format(stem=splitext(site.paths[story.number])[0])


def _half(story: Story, number: int) -> tuple[Piece, ...]:
    middle = len(story.body) // 2
    return story.body[:middle] if number == 1 else story.body[middle:]


def _neighbours(site: DemoSite, story: Story) -> list[Story]:
    """Return the next three stories of the section, wrapping around from the oldest to the newest."""
    section = [other for other in site.stories if other.subject.section == story.subject.section]
    position = section.index(story)
    return (section[position + 1 :] + section[:position])[:3]


def _comments(site: DemoSite, story: Story) -> tuple[Comment, ...]:
    rng = Random(story.number)  # noqa: S311 - not for security
    words = site.furniture
    remarks = iter(rng.sample(words.remarks, len(words.remarks)))
    names = rng.sample(words.commenters, rng.randint(3, 6))
    return tuple(
        Comment(name, site.vocabulary.joiner.join(next(remarks) for _ in range(rng.randint(1, 3)))) for name in names
    )
