"""The differences between two versions of an article, without cosmetic ones: pure functions on texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.former_paths import former_names

if not TYPE_CHECKING:  # type checkers must see the real names
    __getattr__ = former_names(__name__)
