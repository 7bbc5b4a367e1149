"""`newsextract deliver`: targets that are away, and those that were added later."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from newsextract.storage.articles import put_articles
from newsextract.storage.database import open_engine, writing
from tests.newsroom.delivery.messages import article
from tests.newsroom.delivery.messages import put as store_messages

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy


def test_deliver_says_once_that_a_target_is_away_for_which_something_waits(scrapy: Scrapy, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        hook = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    url = f"sqlite:///{tmp_path}/a.db"
    engine = open_engine(url)
    settings = (f"NEWSEXTRACT_DATABASE={url}", f"NEWSEXTRACT_WEBHOOKS={hook}")
    brief = [part for setting in settings for part in ("-s", setting)]
    scrapy(tmp_path, "deliver", *brief)
    store_messages(engine, [article(number) for number in range(3)])
    run = scrapy(tmp_path, "deliver", *brief)
    assert run.out.endswith("0 delivered, 3 left\n")
    assert (run.out.count("\n"), run.err) == (1, "")


def test_deliver_sends_a_new_target_what_is_stored(scrapy: Scrapy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    with writing(open_engine(url)) as connection:
        put_articles(connection, [article(number) for number in range(3)])
    settings = ("-s", f"NEWSEXTRACT_DATABASE={url}", "-s", "NEWSEXTRACT_MESSAGES=new.jsonl")
    assert "0 delivered" in scrapy(tmp_path, "deliver", *settings).out
    run = scrapy(tmp_path, "deliver", "--since", "2020-01-01", "--to", "new.jsonl", *settings)
    assert (run.code, run.out.endswith(": 3 delivered, 0 left\n")) == (0, True)
    assert len((tmp_path / "new.jsonl").read_text().splitlines()) == 3
    wrong = scrapy(tmp_path, "deliver", "--since", "2020-01-01", "--to", "redis", *settings)
    assert wrong.code == 2
    assert "no target has 'redis' in its name" in wrong.err
