from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from newsextract.processes.garbage_collection import THRESHOLDS, collect_rarely

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before, was_enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    if was_enabled:
        gc.enable()


def test_looks_at_new_objects_less_often_than_python_does() -> None:
    gc.set_threshold(700, 10, 10)
    collect_rarely()
    assert gc.get_threshold() == THRESHOLDS
    assert gc.get_freeze_count() > 0


def test_leaves_a_process_alone_that_does_not_look_at_all() -> None:
    gc.set_threshold(700, 10, 10)
    gc.disable()
    collect_rarely()
    assert gc.get_threshold() == (700, 10, 10)
