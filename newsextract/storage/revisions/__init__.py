"""What differs between two versions of an article, and what of that is worth telling: pure functions on texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.former_paths import former_names

if not TYPE_CHECKING:  # checkers shall know what there is
    __getattr__ = former_names(__name__)
