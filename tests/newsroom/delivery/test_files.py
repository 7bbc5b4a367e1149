"""The file of messages, and its rotated files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import feedparser
import pytest
from jsonschema import validate
from lxml import etree

from newsextract.article import Author
from newsextract.newsroom.delivery import files
from newsextract.newsroom.delivery.files import ALL, ATOM, MOST_ENTRIES, AtomFeeds, JsonLines, file_name
from newsextract.newsroom.delivery.messages import article_message, match_message, revision_message
from newsextract.newsroom.delivery.targets import Away
from newsextract.storage.outbox import Letter
from tests.newsroom.delivery.messages import article, change, letter
from tests.ninjs import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from newsextract.article import Article


def letters(numbers: Iterable[int]) -> list[Letter]:
    return [
        Letter(number, f"{number:032x}", "article", json.dumps({"n": number, "text": "é" * 20})) for number in numbers
    ]


def deliver(target: JsonLines, numbers: range) -> None:
    waiting = letters(numbers)
    while waiting:
        waiting = waiting[target.deliver(waiting) :]


def numbers_in(path: Path) -> list[int]:
    return [json.loads(line)["n"] for line in path.read_bytes().splitlines()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_message_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "new" / "messages.jsonl"
    deliver(JsonLines(path), range(3))
    deliver(JsonLines(path), range(3, 5))
    assert numbers_in(path) == [0, 1, 2, 3, 4]
    assert names(path.parent) == ["messages.jsonl"]


def test_a_line_that_a_crash_has_left_is_not_glued_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    deliver(JsonLines(path), range(2))
    with path.open("a") as file:
        file.write('{"n": 2, "te')
    deliver(JsonLines(path), range(2, 4))
    assert numbers_in(path) == [0, 1, 2, 3]


def test_a_large_file_is_put_aside_before_the_next_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    path = tmp_path / "messages.jsonl"
    for start in (0, 4, 8):
        deliver(JsonLines(path), range(start, start + 4))
    assert numbers_in(path) == [8, 9, 10, 11]
    aside = [each for each in tmp_path.iterdir() if each != path]
    assert sorted(map(numbers_in, aside)) == [[0, 1, 2, 3], [4, 5, 6, 7]]


# Atom files as feed readers see them.

NAME = f"{{{ATOM}}}"


def read(path: Path) -> Any:
    found = feedparser.parse(path.read_bytes())
    assert not found.bozo, found.bozo_exception
    return found


def matched(found: Article, rule: str, *passages: str) -> Any:
    match = {"rule": rule, "passages": list(passages), "dateMatched": "2026-05-20T12:00:00+00:00"}
    return letter(match_message(change(found), match))


def titles(path: Path) -> list[str]:
    return [entry.title for entry in read(path).entries]


def test_a_feed_has_the_newest_article_first(tmp_path: Path) -> None:
    feeds = AtomFeeds(tmp_path / "feeds")
    assert feeds.deliver([letter(article_message(change(article(number)))) for number in (1, 2)]) == 2
    feeds.deliver([letter(article_message(change(article(3))))])
    assert titles(tmp_path / "feeds" / ALL) == ["Bridge 3", "Bridge 2", "Bridge 1"]


def test_an_entry_is_what_readers_want(tmp_path: Path) -> None:
    found = article(
        datePublished="2026-05-20T08:00:00+02:00", authors=[Author("Ada Byron")], keywords=["bridge"],
        description="A <b>bridge</b> & more\x0b.", publisher="A",
    )  # fmt: skip
    AtomFeeds(tmp_path).deliver([letter(article_message(change(found)))])
    (entry,) = read(tmp_path / ALL).entries
    assert (entry.link, entry.author, entry.published) == (found.url, "Ada Byron", "2026-05-20T06:00:00+00:00")
    assert entry.summary == "A <b>bridge</b> & more ."
    assert [tag.term for tag in entry.tags] == ["a.example", "bridge"]
    assert entry.id.startswith("urn:uuid:")


def test_an_entry_links_to_no_other_site(tmp_path: Path) -> None:
    feeds = AtomFeeds(tmp_path)
    for canonical in ("https://m.a.example/1", "https://other.example/1"):
        feeds.deliver([letter(article_message(change(article(canonicalUrl=canonical))))])
    links = {entry.link for entry in read(tmp_path / ALL).entries}
    assert links == {"https://m.a.example/1", article().url}


def test_feeds_have_what_the_standard_asks_for(tmp_path: Path) -> None:
    AtomFeeds(tmp_path).deliver(
        [letter(article_message(change(article()))), matched(article(), "bridges", "It opens.")]
    )
    for path in tmp_path.glob("*.xml"):
        feed = etree.fromstring(path.read_bytes())
        assert feed.tag == f"{NAME}feed"
        for parent in (feed, *feed.findall(f"{NAME}entry")):
            for tag in ("id", "title", "updated"):
                assert len(parent.findall(NAME + tag)) == 1, (path, tag)
                assert parent.findtext(NAME + tag)
        for entry in feed.findall(f"{NAME}entry"):
            assert entry.findtext(f"{NAME}author/{NAME}name")
            assert len(entry.findall(f"{NAME}link[@rel='alternate']")) == 1
            assert entry.findtext(f"{NAME}summary")


JSON_FEED_ITEM = {
    "type": "object",
    "required": ["id", "content_text"],
    "additionalProperties": False,
    "properties": {
        **{name: {"type": "string"} for name in ("id", "title", "content_text")},
        "url": {"type": "string", "pattern": "^https?://"},
        **{name: {"type": "string", "format": "date-time"} for name in ("date_published", "date_modified")},
        "authors": {"type": "array", "items": {"type": "object", "required": ["name"]}, "minItems": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
"""What jsonfeed.org/version/1.1 says of the properties that we write."""


def test_the_same_entries_are_a_json_feed(tmp_path: Path) -> None:
    found = article(datePublished="2026-05-20T08:00:00+02:00")
    AtomFeeds(tmp_path).deliver(
        [letter(article_message(change(found))), matched(article(2, keywords=["é"]), "bridges", "It opens.")]
    )
    for name in ("all", "watch-bridges"):
        feed, atom = json.loads((tmp_path / f"{name}.json").read_bytes()), read(tmp_path / f"{name}.xml")
        assert (feed["version"], feed["title"]) == ("https://jsonfeed.org/version/1.1", atom.feed.title)
        for item, entry in zip(feed["items"], atom.entries, strict=True):
            validate(item, JSON_FEED_ITEM, format_checker=FORMATS)
            same = (entry.id, entry.title, entry.link, entry.updated, entry.get("published"), entry.summary)
            names = ("id", "title", "url", "date_modified", "date_published", "content_text")
            assert tuple(map(item.get, names)) == same
            assert item["tags"] == [tag.term for tag in entry.tags]


def test_a_new_version_takes_the_place_of_the_entry(tmp_path: Path) -> None:
    feeds = AtomFeeds(tmp_path)
    feeds.deliver([letter(article_message(change(article(number)))) for number in (1, 2)])
    ids = [entry.id for entry in read(tmp_path / ALL).entries]
    newer = article(1, text="It closes.")
    newer.headline = "Bridge 1 closes"
    feeds.deliver([letter(revision_message(change(newer, article(1)), {}))])
    assert titles(tmp_path / ALL) == ["Bridge 1 closes", "Bridge 2"]
    assert {entry.id for entry in read(tmp_path / ALL).entries} == set(ids)


def test_each_watch_has_its_feed_with_what_was_found(tmp_path: Path) -> None:
    AtomFeeds(tmp_path).deliver([
        matched(article(1), "energy", "a wind farm", "of 9 MW"), matched(article(2), "energy"),
        matched(article(1), "Énergie & climat", "un parc"),
    ])  # fmt: skip
    energy = read(tmp_path / "watch-energy.xml")
    assert energy.feed.title == "energy"
    assert [entry.summary for entry in energy.entries] == ["It opens.", "a wind farm … of 9 MW"]
    assert titles(tmp_path / file_name("Énergie & climat")) == ["Bridge 1"]
    assert len(list(tmp_path.glob("*.xml"))) == 2


def test_no_two_watches_share_a_file() -> None:
    rules = ["all", "a b", "a-b", "A-B", "a/b", "../a", "é", "è", "", "x" * 300, "x" * 301]
    files = [file_name(rule) for rule in rules]
    assert len(set(files)) == len(rules)
    assert all("/" not in name and name != ALL and len(name) < 100 for name in files)


def test_a_feed_keeps_the_newest(tmp_path: Path) -> None:
    feeds = AtomFeeds(tmp_path)
    feeds.deliver([letter(article_message(change(article(number)))) for number in range(MOST_ENTRIES + 5)])
    feeds.deliver([letter(article_message(change(article(999))))])
    found = titles(tmp_path / ALL)
    assert len(found) == MOST_ENTRIES
    assert found[:2] == ["Bridge 999", f"Bridge {MOST_ENTRIES + 4}"]


@pytest.mark.parametrize("junk", [b"", b"<feed", b"<rss/>"])
def test_a_broken_feed_is_begun_anew(junk: bytes, tmp_path: Path) -> None:
    (tmp_path / ALL).write_bytes(junk)
    AtomFeeds(tmp_path).deliver([letter(article_message(change(article())))])
    assert titles(tmp_path / ALL) == ["Bridge 1"]


def test_a_folder_that_cannot_be_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Away):
        AtomFeeds(tmp_path / "file" / "feeds").deliver([letter(article_message(change(article())))])
