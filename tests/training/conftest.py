"""Trainings that take seconds."""

from __future__ import annotations

from dataclasses import asdict

import pytest


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boost a tenth of the trees, which is enough for made-up pages."""
    monkeypatch.setattr("training.boosting.asdict", lambda recipe: asdict(recipe) | {"iterations": 30})
