from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest

from newsextract.page.media import images_among
from newsextract.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    PageOf: TypeAlias = Callable[[str], Page]

HOST = "https://news.example"


def addresses(markup: str, keep: str = "") -> list[str]:
    """Return the images among the blocks that contain `keep`."""
    blocks = [block for block in Page(markup, f"{HOST}/a/").blocks if keep in block.text]
    return [picture.url.removeprefix(HOST) for picture in images_among(blocks)]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("src=i.jpg", ["/a/i.jpg"]),
        ("src=data:image/gif;base64,R0 data-src=/real.jpg", ["/real.jpg"]),
        ("src=/blank.gif data-original=/real.jpg", ["/real.jpg"]),
        ("src=/blank.gif data-lazy-src=/real.jpg", ["/real.jpg"]),
        ("srcset='/small.jpg 300w, /big.jpg 900w'", ["/small.jpg"]),
        ("data-srcset='\n /small.jpg\n 300w,\n /big.jpg 900w'", ["/small.jpg"]),
        ("srcset='/only.jpg, '", ["/only.jpg"]),
        ("src=/i.jpg width=600 height=400px", ["/i.jpg"]),
        ("src=/i.jpg width=100% height=auto", ["/i.jpg"]),
        ("src=/i.jpg width=1 height=1", []),
        ("src=/i.jpg width=49px", []),
        ("src=/i.jpg width=0", []),
        ("src=/i.jpg style='display: none'", []),
        ("src=/i.jpg hidden", []),
        ("src=data:image/png;base64,R0", []),
        ("src=javascript:x", []),
        ("src=mailto:a@b.example", []),
        ("src='http://[x'", []),
        ("src=https://:0", []),
        ("src=''", []),
        ("", []),
    ],
)
def test_finds_the_address_of_a_picture_worth_showing(attributes: str, expected: list[str]) -> None:
    assert addresses(f"<p>before</p><img {attributes}><p>after</p>") == expected


def test_takes_the_image_that_leads_the_article() -> None:
    markup = "<p>menu</p><article><figure><img src=/lead.jpg><figcaption>Cap</figcaption></figure><p>kept</p></article>"
    assert addresses(markup, "kept") == ["/lead.jpg"]
    assert addresses(markup.replace("<figcaption>Cap</figcaption>", ""), "kept") == ["/lead.jpg"]


def test_leaves_images_whose_neighbours_were_left() -> None:
    markup = "<div><p>kept</p><img src=/ours.jpg></div><aside><img src=/ad.jpg>buy</aside><div><p>kept too</p></div>"
    assert addresses(markup, "kept") == ["/ours.jpg"]


def test_leaves_images_far_from_the_article() -> None:
    assert addresses("<img src=/logo.png><p>menu</p><p>kept</p><p>foot</p><img src=/seal.png>", "kept") == []


@pytest.mark.parametrize(
    ("link", "is_shown"),
    [
        ("href=https://www.facebook.com/share.php", False),
        ("href=https://click.cdn.example/b rel='noopener nofollow'", False),
        ("href=https://photos.cdn.example/1", True),
        ("href=/big.jpg rel=nofollow", True),
        ("href='http://[x'", True),
    ],
)
def test_leaves_pictures_behind_the_text_that_lead_to_other_sites(link: str, is_shown: bool) -> None:
    picture = f"<a {link}><img src=https://cdn.example/i.png></a>"
    shown = ["https://cdn.example/i.png"]
    assert addresses(f"<div><p>kept</p>{picture}</div>") == (shown if is_shown else [])
    assert addresses(f"<div><p>kept</p>{picture}<p>kept too</p></div>") == shown
    figure = f"<figure>{picture}<figcaption>Cap</figcaption></figure>"
    assert addresses(f"<div><p>kept</p>{figure}</div>", "kept") == shown


def test_leaves_adverts_behind_the_text_of_pages_without_an_address() -> None:
    markup = "<div><p>kept</p><a href=https://ad.example/ rel=sponsored><img src=https://ad.example/i.png></a></div>"
    assert images_among(Page(markup).blocks) == []
    assert images_among(Page(markup.replace("rel=sponsored", "")).blocks) != []


def test_what_only_screen_readers_read_is_no_caption() -> None:
    caption = "<figcaption><h2 class='element-invisible'>rain.jpg</h2><p>Rain, seen from <b>above</b></p></figcaption>"
    found = images_among(Page(f"<p>a</p><figure><img src=/i.jpg>{caption}</figure><p>b</p>", HOST).blocks)
    assert [block.text for block in found[0].captions] == ["Rain, seen from above"]


def test_shows_an_image_once() -> None:
    lazy = "<img src=data:x data-src=/i.jpg><noscript><img src=/i.jpg></noscript>"
    assert addresses(f"<p>a {lazy} b</p>") == ["/i.jpg"]


def test_gives_a_picture_the_captions_of_its_own_figure(page: PageOf) -> None:
    figures = (
        "<p>a</p><figure><figure><img src=/1.jpg alt=' One \n 1 '><figcaption>one</figcaption></figure>"
        "<figure><img src=/2.jpg><figcaption>two</figcaption></figure><figcaption>both</figcaption></figure><p>b</p>"
    )
    first, second = images_among(page(figures).blocks)
    assert ([c.text for c in first.captions], first.alt) == (["one"], "One 1")
    assert [c.text for c in second.captions] == ["two"]
