"""Notices: codes and values, and the sentences made from them."""

from __future__ import annotations

import pickle
from copy import deepcopy

import pytest

from newsextract.reading.notices import Notice, NoticeCode, noticed

LONG = Notice(NoticeCode.TOO_LONG, most=100)


def test_a_code_and_its_values_make_a_sentence() -> None:
    notice = Notice(NoticeCode.REFUSED, field="authors", source="json_ld", value="Ann's", reason=LONG)
    assert notice == 'authors: json_ld says "Ann\'s", longer than 100 characters'


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="place"):
        Notice(NoticeCode.MISPLACED, part="body")


def test_a_notice_travels_between_processes_with_its_values() -> None:
    for arrived in (pickle.loads(pickle.dumps(LONG)), deepcopy(LONG)):  # noqa: S301
        assert (arrived, arrived.code, arrived.values) == (LONG, NoticeCode.TOO_LONG, {"most": 100})


def test_plain_text_that_reads_like_a_notice_is_none() -> None:
    notice = Notice(NoticeCode.LAYOUT_CHANGED, shape="/x")
    found = list(noticed(NoticeCode.LAYOUT_CHANGED, ["".join(notice), notice, LONG]))
    assert [one.values for one in found] == [{"shape": "/x"}]
