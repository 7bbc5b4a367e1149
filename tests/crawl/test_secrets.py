"""Passwords and tokens in URLs of settings and sites, which are nowhere but where they have to be."""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from newsextract.newsroom.delivery.targets import Away, Webhook
from newsextract.storage.outbox import Letter
from tests.scrapy_runs import TinySite, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy

SECRET = "hush"


def places_of(secret: str, run: Run) -> list[str]:
    """Return the outputs and files of a run that have a secret in them."""
    files = {str(path): path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    texts = files | {"standard output": run.out.encode(), "standard error": run.err.encode()}
    return [name for name, text in texts.items() if secret.encode() in text]


def test_commands_tell_no_secret_of_their_settings(scrapy: Scrapy, tmp_path: Path) -> None:
    hook = {"url": f"http://127.0.0.1:9/{SECRET}?token={SECRET}", "secret": SECRET}
    values = {
        "NEWSEXTRACT_WEBHOOKS": json.dumps([hook]),
        "LOG_LEVEL": "DEBUG",
        "RETRY_TIMES": "0",
    }
    settings = [part for name, value in values.items() for part in ("-s", f"{name}={value}")]
    proxy = {"http_proxy": f"http://me:{SECRET}@127.0.0.1:9"}
    broker = ["-s", f"NEWSEXTRACT_BROKER=redis://me:{SECRET}@127.0.0.1:9/0"]
    for command in (
        ["doctor", *broker],
        ["extract", "http://news.example/"],
    ):
        assert places_of(SECRET, scrapy(tmp_path, *command, *settings, **proxy)) == [], command


@pytest.mark.parametrize("host", ["127.0.0.1:9", "nowhere.invalid", ""])
def test_a_webhook_that_fails_tells_no_secret(host: str, caplog: pytest.LogCaptureFixture) -> None:
    letter = Letter(1, "id", "article", "{}")
    with serving(TinySite()) as site, caplog.at_level("DEBUG"):
        hook = Webhook(f"http://{host or urlsplit(site.home).netloc}/{SECRET}?token={SECRET}", ["article"], SECRET)
        with pytest.raises(Away) as failure:
            hook.deliver([letter])
    told = "".join(traceback.format_exception(failure.value))
    assert SECRET not in told + caplog.text + hook.name


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://reader@127.0.0.1:9/news?password={SECRET}",
        f"postgresql://reader:{SECRET}@127.0.0.1:port/news",
        f"mysql://reader:a/{SECRET}@b@127.0.0.1:9/news",
        f"mysql://nobody:{SECRET}@127.0.0.1/test",
        f"nonsense:{SECRET}",
    ],
)
def test_a_database_that_cannot_be_opened_tells_no_password(scrapy: Scrapy, tmp_path: Path, url: str) -> None:
    for command in (("search", "bridge"), ("doctor",)):
        run = scrapy(tmp_path, *command, "-s", f"NEWSEXTRACT_DATABASE={url}", "-s", "LOG_LEVEL=DEBUG")
        assert run.code
        assert places_of(SECRET, run) == [], command


def test_a_crawl_whose_database_cannot_be_opened_tells_no_password(scrapy: Scrapy, tmp_path: Path) -> None:
    url = f"postgresql://reader:{SECRET}@127.0.0.1:9/news"
    crawl = ("crawl", "news", "-a", "sites=http://127.0.0.1:9/", "-s", "LOG_LEVEL=DEBUG")
    run = scrapy(tmp_path, *crawl, "-s", f"NEWSEXTRACT_DATABASE={url}")
    assert (bool(run.code), places_of(SECRET, run)) == (True, [])


@pytest.mark.parametrize(
    "command",
    [
        ("crawl", "news", "-a", f"sites=me:{SECRET}@example.com"),
        ("crawl", "news", "-a", "sites=sites.yml"),
        ("crawl", "news", "-a", "sites=sites.txt"),
        ("extract", f"http://me:{SECRET}@127.0.0.1:9/"),
        ("probe", f"http://me:{SECRET}@127.0.0.1:9/"),
    ],
)
def test_a_password_in_the_url_of_a_site_is_refused_and_not_told(
    scrapy: Scrapy, tmp_path: Path, command: tuple[str, ...]
) -> None:
    lists = tmp_path / "sites.yml", tmp_path / "sites.txt"
    lists[0].write_text(f"sites:\n  - start: https://me:{SECRET}@example.com/\n")
    lists[1].write_text(f"https://me:{SECRET}@example.com/\n")
    run = scrapy(tmp_path, *command, "-s", "LOG_LEVEL=DEBUG")
    for path in lists:
        path.unlink()
    assert run.code == 2
    assert "a URL with a user or a password is not fetched" in run.err
    assert places_of(SECRET, run) == []
