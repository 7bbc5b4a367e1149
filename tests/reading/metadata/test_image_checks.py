from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.reading.metadata.media import image_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]

HOST = "https://www.example.com"


@pytest.mark.parametrize(
    "path",
    [
        "/logo.png",
        "/img/site-logo-2x.png",
        "/favicon.ico",
        "/icons/mark.svg",
        "/default-og-image.jpg",
        "/placeholder_16x9.jpg",
        "/blank.gif",
        "/no-image.png",
        "/avatars/ann.jpg",
        "/1x1.gif",
    ],
)
def test_a_logo_is_no_main_image(read: Reader, path: str) -> None:
    found = read(f'<meta property="og:image" content="{path}"><meta name="twitter:image" content="/rain.jpg">')
    assert found.mainImage is not None
    assert found.mainImage.url == f"{HOST}/rain.jpg"
    assert [image.url for image in found.images or ()] == [f"{HOST}/rain.jpg"]
    assert found.warnings == (f"mainImage: meta_tags says {path!r}, a logo or a placeholder",)


@pytest.mark.parametrize("path", ["/twitter-logo.jpg", "/vi/x/maxresdefault.jpg", "/full/0/default.jpg", "/iconic.jpg"])
def test_a_picture_may_be_named_like_one(read: Reader, path: str) -> None:
    found = read(f'<meta property="og:image" content="{path}">')
    assert found.mainImage is not None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("/a.jpg?w=300", "/a.jpg?w=900&fit=crop", True),
        ("/a-300x200.jpg", "/a-scaled.jpg", True),
        ("/a.jpg", "/a.jpg?quality=80", True),
        ("/a.fill.size_400x225.v17.jpg", "/a.fill.size_1200x675.v17.jpg", True),
        ("/photos/5/master/w_1600%2Cc_limit/a.jpg", "/photos/5/4:3/w_1280,h_960,c_limit/a.jpg", True),
        ("/300x200/a.jpg", "/600x400/a.jpg", True),
        ("/photos/5/a.jpg", "/photos/6/a.jpg", False),
        ("/image?id=1", "/image?id=2", False),
        ("/a.jpg", "/b.jpg", False),
    ],
)
def test_sizes_of_a_picture_are_one_picture(one: str, other: str, is_same: bool) -> None:
    assert (image_key(HOST + one) == image_key(HOST + other)) is is_same
