"""Pages of a site that is read well where it tells stories, and not where it lists what is on."""

from __future__ import annotations

import random

WORDS = (
    "harbour council bridge ferry winter market school river mayor tram station garden library museum festival budget "
    "road valley engineer teacher"
).split()


def words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def paragraph(chance: random.Random, sentences: int) -> str:
    return f"<p>{' '.join(f'{words(chance, 14).capitalize()}.' for _ in range(sentences))}</p>"


def story_page(number: int, *, is_list: bool, name: str = "story-text", heading: str = "title") -> str:
    """Return a page with a story, or with what is on that day beside paragraphs of its own on something else."""
    chance = random.Random(number)  # noqa: S311 - made-up sentences
    title, headline = words(chance, 5), words(chance, 6).capitalize()
    if is_list:
        entries = (f"<a href='/{words(chance, 1)}'>{words(chance, 1)}</a> {words(chance, 5)}" for _ in range(30))
        body = f"<ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul>"
        aside = paragraph(chance, 3) + paragraph(chance, 3)
    else:
        body, aside = "".join(paragraph(chance, 4) for _ in range(8)), ""
    return (
        f"<html><head><title>{title} - The Gazette</title></head><body>"
        '<div id="menu"><a href="/a">Home</a> <a href="/b">Sport</a></div>'
        f'<h1 class="{heading}">{headline}</h1><div class="{name}">{body}</div><div class="more">{aside}</div>'
        '<div id="foot"><p>About us and our people and our history.</p></div></body></html>'
    )
