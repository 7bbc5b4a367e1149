"""JSON posts, and the text of their errors."""

from __future__ import annotations

import pytest

from newsextract.newsroom.delivery.target_urls import NotTaken, post_json, trouble_with


@pytest.mark.parametrize("url", ["", "example.com/hook", "ftp://example.com/", "https://", "http://a.example:99999/"])
def test_only_web_addresses_are_posted_to(url: str) -> None:
    assert trouble_with(url)
    with pytest.raises(NotTaken, match="not a usable webhook URL"):
        post_json(url, b"{}")


@pytest.mark.parametrize("url", ["https://me:hush@a.example/", "https://a.example/hush b", "https://a.example/hush\n"])
def test_an_address_that_no_request_can_be_made_of_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(NotTaken, match=r"a user|white space") as error:
        post_json(url, b"{}")
    assert "hush" not in str(error.value)


@pytest.mark.parametrize("url", ["https://example.com/@me/hook", "http://127.0.0.1:8080/hook?token=1"])
def test_other_web_addresses_are_fine(url: str) -> None:
    assert trouble_with(url) is None


def test_where_nobody_answers_the_error_says_why_and_not_what_is_secret() -> None:
    with pytest.raises(NotTaken, match="refused") as error:
        post_json("http://127.0.0.1:9/hush", b"{}")
    assert error.value.status is None
    assert "hush" not in str(error.value)
