"""The file of rules, and the errors in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.newsroom.watch import RuleIndex, WatchFileError, WatchFileTable, WatchTable, read_rules
from newsextract.storage.search.queries import FIELD_NAMES
from newsextract.yaml_files import MAX_ERRORS

if TYPE_CHECKING:
    from newsextract.newsroom.watch import Rule

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "watch.yml"


def read(folder: Path, text: str | bytes) -> list[Rule]:
    file = folder / "watch.yml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_rules(file)


def errors(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(WatchFileError) as told:
        read(folder, text)
    return str(told.value).replace(f"{folder}/", "").splitlines()


def test_reads_the_example_of_the_documentation() -> None:
    rules = read_rules(EXAMPLE)
    assert [rule.name for rule in rules] == ["bridges", "closed bridges", "Élysée", "東京", "by our correspondent"]
    assert (rules[0].languages, rules[2].sites) == (("fr", "en", "de"), ("lemonde.fr", "lefigaro.fr"))
    article = {"headline": "The bridge is closed", "in_language": "en", "site": "bbc.co.uk"}
    assert [match.rule.name for match in RuleIndex(rules).match(article)] == ["bridges", "closed bridges"]


def test_the_documentation_has_the_example_and_names_every_field() -> None:
    told = (EXAMPLE.parent / "reference" / "watch-rules.md").read_text()
    assert EXAMPLE.read_text() in told
    names = {*WatchTable.model_fields, *WatchFileTable.model_fields, *(f"{name}:" for name in FIELD_NAMES)}
    assert not [name for name in names if name not in told]


QUERIES = {
    "plain": ("watches:\n- name: a\n  query: pont AND OR b", 3, 19),
    "quotes": ("watches:\n- name: a\n  query: 'pont AND OR x'", 3, 20),
    "flow": ("watches: [{name: a, query: a AND}]", 1, 33),
    "definition": ("definitions:\n  city: paris (\nwatches:\n- name: a\n  query: b", 2, 16),
    "anchor": ("watches:\n- name: a\n  query: &q a OR\n", 3, 17),
    "a block, by its field": ("watches:\n- name: a\n  query: |\n    pont\n      AND OR b\n", 3, 3),
}


@pytest.mark.parametrize(("text", "line", "column"), QUERIES.values(), ids=QUERIES)
def test_says_in_which_line_and_column_of_the_file_a_query_is_wrong(
    text: str, line: int, column: int, tmp_path: Path
) -> None:
    (found,) = errors(tmp_path, text)
    assert found.startswith(f"watch.yml, line {line}, column {column}, ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "watch.yml, line 1, column 1: is not a table"),
        ("watches: []", "line 1, column 1, watches: is empty"),
        ("watches: pont", "line 1, column 1, watches: is not a list"),
        ("definitions: {}", "line 1, column 1, watches: is missing; write watches: and list the rules"),
        ("watches:\n- pont", "line 2, column 3, watches[0]: is not a table; write name:, query:"),
        ("watches:\n- name: a", "line 2, column 3, watches[0].query: is missing; write query: and words"),
        ("watches:\n- name: a\n  query: ''", "line 3, column 3, watches[0].query: is not a query"),
        (
            "watches:\n- name: a\n  query: b\n  site: x",
            "line 4, column 3, watches[0].site: unknown field; did you mean sites?",
        ),
        ("watches:\n- name: a\n  query: b\n  sites: [a b]", "watches[0].sites: is not a list of sites"),
        ("watches:\n- name: a\n  query: b\n  languages: french", "line 4, column 3, watches[0].languages"),
        (
            "watches:\n- name: a\n  query: b\n- name: A\n  query: c",
            "line 4, column 3, watches[1].name: the rule in line 2 has the same name",
        ),
    ],
)
def test_says_what_is_wrong_with_the_file(text: str | bytes, expected: str, tmp_path: Path) -> None:
    assert expected in errors(tmp_path, text)[0]


def test_tells_ten_errors_at_once_and_counts_the_others(tmp_path: Path) -> None:
    text = "watches:\n" + "".join(f"- name: {number}\n  query: a OR\n" for number in range(14))
    told = errors(tmp_path, text)
    assert len(told) == MAX_ERRORS + 1
    assert told[0].startswith(
        "watch.yml, line 3, column 14, watches[0].query: expected a word, a phrase, NOT or '(' after OR"
    )
    assert told[-1] == "and 4 more"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WatchFileError, match="no such file"):
        read_rules(tmp_path / "none.yml")


def test_the_revision_of_a_rule_is_that_of_what_it_says(tmp_path: Path) -> None:
    text = "watches:\n- {name: a, query: Pont OR  (golf)}\n- {name: b, query: pont OR golf}\n- {name: c, query: pont}"
    one, same, other = (rule.revision for rule in read(tmp_path, text))
    assert one == same != other
