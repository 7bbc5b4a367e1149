"""How long articles stand on front pages, and where."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.storage.database import writing
from newsextract.storage.front_pages import FrontPage, front_places_of, note_front_page
from newsextract.storage.ledger import address_id

if TYPE_CHECKING:
    from newsextract.storage.articles import ArticleStore

START = datetime(2026, 5, 20, 9, tzinfo=UTC)


def test_a_stay_lasts_from_the_first_to_the_last_look_in_a_row(store: ArticleStore) -> None:
    a, b, c = (address_id(f"https://site.example/{name}") for name in "abc")
    looks = [("front", 0, [a, b]), ("front", 1, [b, c, a]), ("sport", 2, [c]), ("front", 3, [c]), ("front", 4, [a, c])]
    for _ in range(2):  # the second time changes nothing
        for front, hours, ids in looks:
            with writing(store.engine) as connection:
                note_front_page(
                    connection,
                    [FrontPage(address_id(f"https://site.example/{front}/"), START + timedelta(hours=hours), ids)],
                )
    with store.engine.connect() as connection:
        found = {
            name: [
                (row["date_first"][11:13], row["date_last"][11:13], row["place"], row["best_place"])
                for row in front_places_of(connection, key)
            ]
            for name, key in (("a", a), ("b", b), ("c", c))
        }
    assert found == {
        "a": [("09", "10", 3, 1), ("13", "13", 1, 1)],
        "b": [("09", "10", 1, 1)],
        "c": [("10", "13", 2, 1), ("11", "11", 1, 1)],
    }
