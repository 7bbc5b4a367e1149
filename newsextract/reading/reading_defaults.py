"""What is read and how, unless a project says otherwise; importing it loads no reader."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["article", "live", "gallery", "video", "listing", "other"]

KINDS: tuple[Kind, ...] = get_args(Kind)
ARTICLE_LIKE: tuple[Kind, ...] = ("article", "live", "gallery", "video")
"""The kinds that report something; they become items unless a project chooses others."""

DEFAULT_EXTRACTOR = "auto"
