"""What the demo's sites do between two visits."""

from __future__ import annotations

from datetime import timedelta
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from newsextract.tools.demo.demo_server import running
from newsextract.tools.demo.two_days import BETWEEN, TwoDays, build_two_days
from tests.tools.demo.conftest import TODAY


@pytest.fixture(scope="module")
def days() -> TwoDays:
    return build_two_days(today=TODAY)


def test_a_seed_and_a_day_make_the_same_stories(days: TwoDays) -> None:
    again = build_two_days(today=TODAY)
    assert [site.stories for site in again.second.sites] == [site.stories for site in days.second.sites]
    assert [site.stories for site in again.first.sites] == [site.stories for site in days.first.sites]


def test_the_first_day_knows_nothing_of_the_second(days: TwoDays) -> None:
    for first, second in zip(days.first.sites, days.second.sites, strict=True):
        assert second.today - first.today == BETWEEN
        assert max(story.modified for story in first.stories) <= first.today < max(s.published for s in second.stories)
        urls = set(second.paths.values()) | second.gone
        assert set(first.paths.values()) < urls  # a URL never changes, whatever the headline does


def test_whenever_the_crawls_begin_what_has_changed_is_due(days: TwoDays) -> None:
    # A crawl begins up to a day after the newsroom's midnight; it notes that it was there `BETWEEN` earlier.
    last = TODAY + timedelta(days=1) - BETWEEN
    rewritten, rumour = (day.sites[number].stories for day, number in ((days.second, 0), (days.first, 3)))
    assert max(story.modified for story in rewritten if story.first_headline) >= last
    # A page is due again after half its age.
    assert (TODAY + timedelta(days=1) - rumour[0].published) / 2 <= BETWEEN


def test_the_mirror_has_copies_and_then_a_wall(days: TwoDays) -> None:
    courier, mirror = days.second.sites[0], days.second.sites[3]
    shared = {story.headline for story in courier.stories} & {story.headline for story in mirror.stories}
    assert len(shared) == 5
    new = [story for story in mirror.stories if story.published > days.first.sites[3].today]
    assert len({story.headline for story in new}) == len(new) > 3
    assert len({story.body for story in new}) == 1


def test_a_server_goes_over_to_the_next_day(days: TwoDays) -> None:
    (gone,) = days.second.sites[3].gone
    with running(days.first) as servers:
        page = servers[3].home[:-1] + gone
        with urlopen(page) as response:
            assert "Deputy mayor to resign" in response.read().decode()
        servers[3].show(days.second.sites[3])
        with pytest.raises(HTTPError, match="410"):
            urlopen(page)
        with urlopen(f"{servers[3].home}sitemap.xml") as response:
            assert gone not in response.read().decode()
