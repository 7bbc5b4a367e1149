"""`newsextract deliver`: targets that are away while nothing waits for them, and those that were added later."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from newsextract.storage.articles import put_articles
from newsextract.storage.database import open_engine, writing
from tests.newsroom.delivery.messages import article
from tests.newsroom.delivery.messages import store as store_messages

if TYPE_CHECKING:
    from pathlib import Path

    from newsextract.storage.articles import ArticleStore
    from tests.scrapy_runs import Scrapy


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("NEWSEXTRACT_BROKER=redis://127.0.0.1:{port}/0", "broker redis://127.0.0.1:{port}/0 newsextract"),
        ("NEWSEXTRACT_BROKER=amqp://127.0.0.1:{port}//", "broker amqp://127.0.0.1:{port}// newsextract"),
        ("NEWSEXTRACT_WEBHOOKS=http://127.0.0.1:{port}/", "webhook 127.0.0.1"),
    ],
)
def test_deliver_names_a_target_that_is_away_though_nothing_waits(
    setting: str, name: str, scrapy: Scrapy, tmp_path: Path
) -> None:
    if "BROKER" in setting:
        pytest.importorskip("kombu", reason="kombu is not installed: pip install 'newsextract[broker]'")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    open_engine(f"sqlite:///{tmp_path}/output/newsextract.db").dispose()
    brief = ("-s", setting.format(port=port))
    run = scrapy(tmp_path, "deliver", *brief)
    assert run.code == 1
    assert run.out.startswith(name.format(port=port))
    assert " is away (" in run.out
    assert (run.out.count("\n"), run.err) == (1, "")
    assert "refused" in run.out
    stated = json.loads(scrapy(tmp_path, "deliver", "--json", *brief).out)
    assert "refused" in stated["away"]


def test_deliver_says_once_that_a_target_is_away_for_which_something_waits(
    scrapy: Scrapy, tmp_path: Path, store: ArticleStore
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        hook = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    url = store.engine.url.render_as_string(hide_password=False)
    settings = (f"NEWSEXTRACT_DATABASE={url}", f"NEWSEXTRACT_WEBHOOKS={hook}")
    brief = [part for setting in settings for part in ("-s", setting)]
    scrapy(tmp_path, "deliver", *brief)
    store_messages(store.engine, [article(number) for number in range(3)])
    run = scrapy(tmp_path, "deliver", *brief)
    assert run.out.endswith("0 delivered, 3 left\n")
    assert (run.out.count("\n"), run.err) == (1, "")


def test_deliver_sends_a_new_target_what_is_stored(scrapy: Scrapy, tmp_path: Path, store: ArticleStore) -> None:
    with writing(store.engine) as connection:
        put_articles(connection, [article(number) for number in range(3)])
    url = store.engine.url.render_as_string(hide_password=False)
    settings = ("-s", f"NEWSEXTRACT_DATABASE={url}", "-s", "NEWSEXTRACT_MESSAGES=new.jsonl")
    assert "0 delivered" in scrapy(tmp_path, "deliver", *settings).out
    run = scrapy(tmp_path, "deliver", "--since", "2020-01-01", "--to", "new.jsonl", *settings)
    assert (run.code, run.out.endswith(": 3 delivered, 0 left\n")) == (0, True)
    assert len((tmp_path / "new.jsonl").read_text().splitlines()) == 3
    wrong = scrapy(tmp_path, "deliver", "--since", "2020-01-01", "--to", "redis", *settings)
    assert wrong.code == 2
    assert "no target has 'redis' in its name" in wrong.err
