""""""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.sites.site_files import parse_date, parse_since

NOW = datetime(2024, 5, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2024", "2024-01-01T00:00:00+00:00"),
        ("2024-05", "2024-05-01T00:00:00+00:00"),
        ("2024-05-14", "2024-05-14T00:00:00+00:00"),
        ("20240514", "2024-05-14T00:00:00+00:00"),
        ("2024-05-14T08:30Z", "2024-05-14T08:30:00+00:00"),
        ("2024-05-14T08:30+02:00", "2024-05-14T08:30:00+02:00"),
        ("2024-05-14T08:30:15+0200", "2024-05-14T08:30:15+02:00"),
        ("2024-05-14T08:30:15.45-05:00", "2024-05-14T08:30:15.450000-05:00"),
        ("2024-05-14 08:30:15 +0200", "2024-05-14T08:30:15+02:00"),
        ("2024-05-14 08:30:15 UTC", "2024-05-14T08:30:15+00:00"),
        ("2024-05-14 08:30:15", "2024-05-14T08:30:15+00:00"),
        (" 2024-05-14T08:30:15.123456789Z\n", "2024-05-14T08:30:15.123456+00:00"),
        ("Tue, 14 May 2024 08:30:15 GMT", "2024-05-14T08:30:15+00:00"),
        ("Tue, 14 May 2024 08:30:15 +0200", "2024-05-14T08:30:15+02:00"),
        ("Tue, 14 May 2024 08:30:15 +02:00", "2024-05-14T08:30:15+02:00"),
        ("14 May 24 08:30 EST", "2024-05-14T08:30:00-05:00"),
        ("Tue, 14 May 2024 08:30:15 CEST", "2024-05-14T08:30:15+02:00"),
        ("Tue, 14 May 2024 08:30:15 -0000", "2024-05-14T08:30:15+00:00"),
    ],
)
def test_reads_the_spellings_of_sites(raw: str, expected: str) -> None:
    date = parse_date(raw)
    assert date
    assert date.isoformat() == expected


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "",
        "soon",
        "2024-13",
        "2024-02-30",
        "0001-01-01",
        "9999-12-31",
        "0000",
        "14/05/2024",
        "5",
        "9" * 99,
    ],
)
def test_answers_none_to_the_rest(raw: str | None) -> None:
    assert parse_date(raw) is None


@given(st.text(max_size=80) | st.from_regex(r"[\d:TZ+\- ]{4,40}") | st.from_regex(r"\w{3}, \d+ \w{3} \d+ [\d:]+ .*"))
def test_never_raises_and_is_always_aware(raw: str) -> None:
    date = parse_date(raw)
    assert date is None or date.astimezone(UTC).utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2d", NOW - timedelta(days=2)),
        ("36h", NOW - timedelta(hours=36)),
        ("90M", NOW - timedelta(minutes=90)),
        (" 1 w ", NOW - timedelta(weeks=1)),
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-01T10:00+02:00", datetime(2024, 5, 1, 8, tzinfo=UTC)),
    ],
)
def test_since_is_an_age_or_a_date(text: str, expected: datetime) -> None:
    assert parse_since(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "2", "2y", "-2d", "yesterday", "999999w"])
def test_since_says_what_it_accepts(text: str) -> None:
    with pytest.raises(ValueError, match="36h"):
        parse_since(text, NOW)
