"""The demo newsroom: three made-up news sites and the truth about their articles."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from newsextract.tools.demo.blueprints import BLUEPRINTS, Blueprint
from newsextract.tools.demo.demo_stories import Assignment, DemoArticle, Story, write_story
from newsextract.tools.demo.vocabulary import Furniture, Vocabulary, load_furniture, load_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HOURS_BETWEEN_STORIES = 18
"""Spreads 40 stories over 30 days."""


@dataclass(frozen=True)
class DemoSite:
    """One news site, independent of the URL it is served at."""

    blueprint: Blueprint
    vocabulary: Vocabulary
    furniture: Furniture
    stories: tuple[Story, ...]
    """Newest first."""
    today: datetime
    gone: frozenset[str] = frozenset()
    """Paths of stories that the site has taken down."""
    log: list[str] = field(default_factory=list, compare=False, repr=False)
    """The paths, with queries, requested since the site was built."""

    @property
    def noise(self) -> tuple[str, ...]:
        """Phrases of the site's boilerplate, none of which occurs in a story."""
        return self.furniture.phrases

    @cached_property
    def paths(self) -> dict[int, str]:
        """The path of each story, by its number."""
        return {story.number: self._path(story) for story in self.stories}

    def articles(self, base_url: str) -> tuple[DemoArticle, ...]:
        """Return the truth about every article when the site is served at this URL, newest first."""
        return tuple(self._truth(story, base_url.rstrip("/")) for story in self.stories)

    def section(self, story: Story) -> tuple[str, str]:
        """Return the URL part and the name of a story's section."""
        return self.vocabulary.sections[story.subject.section]

    def _path(self, story: Story) -> str:
        return self.blueprint.addresses.article.format(
            section=self.section(story)[0],
            date=story.published,
            slug=slug(story.first_headline or story.headline),
            number=story.number,
        )

    def _truth(self, story: Story, base: str) -> DemoArticle:
        pieces = story.body
        return DemoArticle(
            url=base + self.paths[story.number],
            headline=story.headline,
            description=story.summary,
            paragraphs=tuple(line for piece in pieces if piece.kind != "image" for line in piece.lines),
            captions=tuple(line for piece in pieces if piece.kind == "image" for line in piece.lines),
            authors=story.authors,
            date_published=story.published.isoformat(),
            date_modified=story.modified.isoformat(),
            language=self.vocabulary.language,
            section=self.section(story)[1],
            publisher=self.vocabulary.publisher,
            keywords=story.subject.keywords,
            image=base + image_path(story),
        )


@dataclass(frozen=True)
class DemoNewsroom:
    """Three sites that publish forty articles each."""

    sites: tuple[DemoSite, ...]

    def articles(self, base_urls: Sequence[str]) -> tuple[DemoArticle, ...]:
        """Return the truth about every article when the sites are served at these URLs."""
        pairs = zip(self.sites, base_urls, strict=True)
        return tuple(article for site, base_url in pairs for article in site.articles(base_url))


def build_newsroom(seed: int = 1, today: datetime | None = None) -> DemoNewsroom:
    """Return the newsroom of this seed, whose newest stories are a few hours older than `today`.

    By default that is the last midnight in UTC: newsrooms of one day are the same, so that a second crawl finds
    nothing new.
    """
    moment = today or datetime.now(UTC).replace(hour=0, minute=0)
    moment = moment.replace(tzinfo=moment.tzinfo or UTC, second=0, microsecond=0)
    return DemoNewsroom(tuple(_build_site(blueprint, seed, moment) for blueprint in BLUEPRINTS))


def _build_site(blueprint: Blueprint, seed: int, today: datetime) -> DemoSite:
    vocabulary = load_vocabulary(blueprint.words)
    today = today.astimezone(timezone(timedelta(hours=vocabulary.zone_hours)))
    stories = (
        write_story(vocabulary, assignment, dice(f"{seed}/{blueprint.words}/{assignment.number}"))
        for assignment in _assignments(vocabulary, today, dice(f"{seed}/{blueprint.words}"))
    )
    return DemoSite(blueprint, vocabulary, load_furniture(blueprint.words), tuple(stories), today)


def _assignments(vocabulary: Vocabulary, today: datetime, rng: Random) -> Iterator[Assignment]:
    subjects, places = vocabulary.subjects, rng.sample(vocabulary.places, len(vocabulary.places))
    topics = [(index, variant) for index in range(len(subjects)) for variant in (0, 1)]
    rng.shuffle(topics)
    for order, (index, variant) in enumerate(topics):
        hours_ago = order * HOURS_BETWEEN_STORIES + rng.randint(2, 9)
        published = today - timedelta(hours=hours_ago, minutes=rng.randint(0, 59))
        yield Assignment(
            number=100100 + len(topics) - order,
            subject=subjects[index],
            variant=variant,
            # The second story about a subject happens in another town.
            place=places[(index + 7 * variant) % len(places)],
            published=published,
            modified=published + timedelta(minutes=rng.randint(0, 59)),
        )


def dice(seed: str) -> Random:
    """Return the random generator of a story or a site."""
    return Random(seed)  # noqa: S311 - stories have nothing to hide


def image_path(story: Story) -> str:
    """Return the path of a story's main picture."""
    return f"/images/{story.number}.png"


def slug(headline: str) -> str:
    """Return the headline as a part of a URL.

    >>> slug("À Montcellier, l'été sera chaud")
    'a-montcellier-l-ete-sera-chaud'
    """
    ascii_only = unicodedata.normalize("NFKD", headline).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")
