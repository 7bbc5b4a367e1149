"""The newsroom on two days, with what sites do between two visits.

A bridge is closed, and three sites report it in their languages. A fourth site, the Mirror, has copies of the Courier's
stories. On the second day the Courier has rewritten its story of the bridge, and the Mirror has taken down a rumour
and shows a wall in place of its new stories.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import TYPE_CHECKING, Any

from newsextract.tools.demo.blueprints import MIRROR
from newsextract.tools.demo.demo_stories import Assignment, Piece, Story, write_story
from newsextract.tools.demo.newsroom import DemoNewsroom, DemoSite, build_newsroom, dice
from newsextract.tools.demo.retellings import retell
from newsextract.tools.demo.vocabulary import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

BETWEEN = timedelta(hours=26)
"""From the first visit to the second. A day would be too short for articles of the day before to be due again."""

COPIES = {3: "shortened", 4: "another lead", 5: "words changed", 7: "inside a longer one", 10: "reordered"}
"""The stories of the Courier that the Mirror has, by their place, the newest first, and how it prints them."""

OWN_STORIES, WALLED_STORIES = 6, 5
_BRIDGE, _MIRROR = 100200, 300100
"""The numbers of the story of the bridge and of the Mirror's first story."""


@dataclass(frozen=True)
class TwoDays:
    """The same sites on two days, which are served at the same URLs one after the other."""

    first: DemoNewsroom
    second: DemoNewsroom


def build_two_days(seed: int = 1, today: datetime | None = None) -> TwoDays:
    """Return the newsroom `BETWEEN` before `today`, and at `today`, which is the last midnight in UTC by default."""
    today = today or datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    script: dict[str, Any] = json.loads(resources.files(__package__).joinpath("two_days.json").read_text("utf-8"))
    sites = build_newsroom(seed, today).sites
    reporting = [(site, _bridge(site, script[site.blueprint.words])) for site in sites]
    courier, bridge = reporting[0]
    rewritten = _rewritten(bridge, script["english_later"], courier.today)
    mirror = _mirror(courier, bridge, script, seed)
    rumour = _rumour(courier, script["rumour"])
    before = [*(_with(site, [story]) for site, story in reporting), _with(mirror, [rumour])]
    after = [_with(courier, [rewritten]), *before[1:3], _with(mirror, _walled(courier, seed, script["wall"]))]
    after[3] = replace(after[3], gone=frozenset((before[3].paths[rumour.number],)))
    return TwoDays(DemoNewsroom(tuple(map(_earlier, before))), DemoNewsroom(tuple(after)))


def _earlier(site: DemoSite) -> DemoSite:
    """Return the site as it was on the first day."""
    moment = site.today - BETWEEN
    return replace(site, stories=tuple(each for each in site.stories if each.modified <= moment), today=moment, log=[])


def _with(site: DemoSite, stories: Iterable[Story]) -> DemoSite:
    """Return the site with more stories."""
    ordered = sorted((*site.stories, *stories), key=lambda story: story.published, reverse=True)
    return replace(site, stories=tuple(ordered), log=[])


def _told(story: Story, script: Mapping[str, Any]) -> Story:
    """Return a story with the headline, the summary and the text of the script."""
    pieces = tuple(Piece("paragraph", (line,)) for line in script["lines"])
    return replace(story, headline=script["headline"], summary=script["summary"], body=pieces)


def _scripted(site: DemoSite, script: Mapping[str, Any], number: int, age: timedelta) -> Story:
    """Return a story of the script, `age` old on the second day."""
    subject = Subject(script["section"], "", "", "", tuple(script["keywords"]), (), (), ())
    at = site.today - age
    return _told(Story(number, subject, "", "", "", (), tuple(script["authors"]), at, at), script)


def _bridge(site: DemoSite, script: Mapping[str, Any]) -> Story:
    return _scripted(site, script, _BRIDGE, BETWEEN + timedelta(hours=2))


def _rumour(site: DemoSite, script: Mapping[str, Any]) -> Story:
    return _scripted(site, script, _MIRROR + 99, BETWEEN + timedelta(minutes=30))


def _rewritten(story: Story, script: Mapping[str, Any], at: datetime) -> Story:
    return replace(_told(story, script), modified=at, first_headline=story.headline)


def _mirror(courier: DemoSite, bridge: Story, script: Mapping[str, Any], seed: int) -> DemoSite:
    """Return the Mirror with the stories that it has on both days."""
    words = replace(courier.vocabulary, publisher=script["mirror_publisher"])
    furniture = replace(courier.furniture, slogan=script["mirror_slogan"])
    copied = [_copied(courier, place, form, seed) for place, form in COPIES.items()]
    lines = [script["mirror_lead"], *(piece.lines[0] for piece in bridge.body[1:5])]
    later = bridge.published + timedelta(hours=1)
    shut = _told(bridge, {"headline": script["mirror_headline"], "summary": bridge.summary, "lines": lines})
    stories = [replace(shut, number=_MIRROR, published=later, modified=later), *copied, *_own(courier, seed)]
    return _with(DemoSite(MIRROR, words, furniture, (), courier.today), stories)


def _copied(courier: DemoSite, place: int, form: str, seed: int) -> Story:
    """Return a story of the Courier as the Mirror prints it, an hour later."""
    story, stranger = courier.stories[place], courier.stories[place + 10]
    lines = retell(form, story, stranger, courier.vocabulary, dice(f"{seed}/mirror/{form}"))
    pieces = tuple(Piece("paragraph", (line,)) for line in lines)
    at = story.published + timedelta(hours=1)
    return replace(story, number=_MIRROR + place, body=pieces, published=at, modified=at)


def _own(courier: DemoSite, seed: int) -> Iterator[Story]:
    """Yield the Mirror's own stories of the days before."""
    for order in range(OWN_STORIES):
        # Old enough not to be visited on the second day: only what changes is to look changed.
        age = BETWEEN + timedelta(hours=20 * order + 30)
        yield _written(courier, seed, order, age)


def _walled(courier: DemoSite, seed: int, wall: list[str]) -> list[Story]:
    """Return the Mirror's stories of the second day, all of which show the wall."""
    ages = (timedelta(hours=2 * order + 1) for order in range(WALLED_STORIES))
    new = [_written(courier, seed, OWN_STORIES + order, age) for order, age in enumerate(ages)]
    return [replace(story, body=tuple(Piece("paragraph", (line,)) for line in wall)) for story in new]


def _written(courier: DemoSite, seed: int, order: int, age: timedelta) -> Story:
    """Return a story on a subject of the Courier, in another place and other words."""
    vocabulary, at = courier.vocabulary, courier.today - age
    subject, place = vocabulary.subjects[order], vocabulary.places[-1 - order]
    assignment = Assignment(_MIRROR + 50 + order, subject, order % 2, place, at, at)
    return write_story(vocabulary, assignment, dice(f"{seed}/mirror/{order}"))
