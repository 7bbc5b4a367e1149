"""A field's column follows from its declaration, and its value comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from itemadapter import ItemAdapter
from sqlalchemy import JSON, Float, MetaData, String, Table, Text, create_engine, insert, select

from docs.generators.field_reference import article_schema, fields_page
from newsextract.article import Article, Kept
from newsextract.newsroom.delivery.messages import article_message
from newsextract.storage.articles.article_store import row_of
from newsextract.storage.database.value_fitting import fit
from newsextract.storage.revisions.change import Change
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS, columns_of, snake_case
from newsextract.storage.schema.crawl_tables import articles


@dataclass(frozen=True)
class Place:
    """A made-up part of an article."""

    name: str
    latitude: float | None = None
    """Degrees north."""


@dataclass
class Longer(Article):
    """An article with fields that `Article` does not have."""

    standfirst: str | None = None
    """What stands between the headline and the text."""
    firstEdition: str | None = field(default=None, metadata={"kept": Kept(chars=90, comment="of the paper")})  # noqa: N815
    places: list[Place] | None = None
    """Where it happens."""
    mood: float | None = field(default=None, metadata={"json_schema_extra": {"minimum": -1}})
    scratch: str | None = field(default=None, metadata={"kept": None})


LONGER = Longer("https://a.example/", standfirst="It opens.", places=[Place("Ulm", 48.4)], mood=0.5, scratch="x")


def test_every_field_has_a_column_of_its_name_or_says_that_it_has_none() -> None:
    columns = {column.path: column.name for column in ARTICLE_COLUMNS if not column.is_utc}
    for each in fields(Article):
        kept = each.metadata.get("kept", Kept())
        at = [path for path in columns if path[0] == each.name]
        assert at, each.name
        if not kept.is_spread:
            assert [columns[path] for path in at] == [snake_case(each.name)]
    assert set(columns.values()) < set(articles.columns.keys())
    assert len({column.name for column in ARTICLE_COLUMNS}) == len(ARTICLE_COLUMNS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("standfirst", Text), ("first_edition", String), ("places", JSON), ("mood", Float), ("scratch", None)],
)
def test_a_new_field_has_a_column_as_its_declaration_says(name: str, kind: type | None) -> None:
    table = Table("longer", MetaData(), *(column.column() for column in columns_of(Longer)))
    assert (type(table.c[name].type) if name in table.c else None) is kind
    assert table.c.first_edition.comment == "of the paper"


def test_a_new_field_is_in_the_row_the_message_the_schema_and_the_docs() -> None:
    row = {column.name: column.value_of(LONGER) for column in columns_of(Longer)}
    assert (row["standfirst"], row["places"], row["mood"]) == ("It opens.", [{"name": "Ulm", "latitude": 48.4}], 0.5)
    message = json.loads(article_message(Change(LONGER, row_of(LONGER), None)).payload)["article"]
    assert message == json.loads(json.dumps(ItemAdapter(LONGER).asdict()))
    schema = article_schema(Longer)["properties"]
    assert schema["standfirst"] == {
        "type": ["string", "null"],
        "description": "What stands between the headline and the text.",
    }
    assert (schema["places"]["type"], schema["places"]["items"]["required"]) == (["array", "null"], ["name"])
    assert (schema["mood"]["type"], schema["mood"]["minimum"]) == (["number", "null"], -1)
    page = fields_page(Longer)
    assert "| `places` | array of object | Where it happens. | `places` |  |\n" in page
    assert "| `places[].latitude` | number | Degrees north. |  |  |\n" in page


TABLE = Table("articles", MetaData(), *(column.column() for column in ARTICLE_COLUMNS))
ANY_ARTICLE = st.builds(
    Article,
    url=st.just("https://a.example/1"),
    canonicalUrl=st.sampled_from([None, "https://a.example/"]),
    wordCount=st.none() | st.integers(0, 1 << 30),
)
FILLED_IN = {"url", "canonical_url", "date_downloaded"}
"""Columns that are never empty."""


@settings(max_examples=60, deadline=None)
@given(article=ANY_ARTICLE)
def test_what_is_stored_of_any_article_comes_back(article: Article) -> None:
    fitting, cut = fit(TABLE, {column.name: column.value_of(article) for column in ARTICLE_COLUMNS})
    engine = create_engine("sqlite://")
    TABLE.create(engine)
    with engine.begin() as connection:
        connection.execute(insert(TABLE), {name: row_of(article)[name] for name in fitting})
        back = dict(connection.execute(select(TABLE)).mappings().one())
    engine.dispose()
    if cut:
        fitting["warnings"] = back["warnings"]
    for name in fitting.keys() - FILLED_IN:
        assert back[name] == fitting[name], name
