"""Pages of a made-up site: stories, galleries and a front page that share their frame."""

from __future__ import annotations

import random

from newsextract.page.page import Page

MENU = "".join(f"<li><a href=/{n}>Section number {n} of the paper</a></li>" for n in range(12))
FOOT = "All rights reserved. " * 10
WORDS = "rain town mayor bridge river school vote storm harvest market train island letter museum winter".split()


def sentence(noise: random.Random) -> str:
    return " ".join(noise.choices(WORDS, k=14)).capitalize() + "."


def story(number: int) -> str:
    """A page in the layout of articles."""
    noise = random.Random(number)  # noqa: S311 - a made-up page
    paragraphs = "".join(f"<p>{sentence(noise)} {sentence(noise)}</p>" for _ in range(noise.randrange(5, 20)))
    related = "".join(f"<li><a href=/r{n}>{sentence(noise)[:40]}</a></li>" for n in range(3))
    remarks = "".join(f"<p>{sentence(noise)}</p>" for _ in range(12))
    return (
        f"<html><head><title>Story {number}</title></head><body><ul class=menu>{MENU}</ul>"
        f"<div class=head><h1>Headline {number} {sentence(noise)}</h1></div>"
        f"<div class=body>{paragraphs}<p class=share>Share this story with your friends</p></div>"
        f"<div class=related><ul>{related}</ul></div><div class=comments>{remarks}</div>"
        f"<div class=foot>{FOOT}</div></body></html>"
    )


def gallery(number: int) -> str:
    """A page in the layout of galleries: many pictures with a word each."""
    noise = random.Random(1000 + number)  # noqa: S311 - a made-up page
    pictures = "".join(
        f"<figure><img src=/{n}.jpg><figcaption>{noise.choice(WORDS)}</figcaption></figure>" for n in range(40)
    )
    return (
        f"<html><body><ul class=menu>{MENU}</ul><section><div class=pictures>{pictures}</div></section></body></html>"
    )


def front() -> str:
    """A page unlike all others of the site."""
    rows = "".join(f"<tr><td><b>{n}</b><td><i>{n}</i><td><table><tr><td>{n}</table></tr>" for n in range(30))
    return f"<html><body><table>{rows}</table></body></html>"


def body_of(number: int) -> str:
    """The text of the paragraphs of a story."""
    (body,) = Page(story(number)).tree.xpath("//div[@class='body']")
    return "\n".join(p.text_content() for p in body.iter("p") if p.get("class") is None)
