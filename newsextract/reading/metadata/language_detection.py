"""The language of the running text, where none is declared: by its script if one language has it, else by a model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.writing_systems import LANGUAGES, script_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.page_clues import Clues

_MAX_BLOCKS = 6
"""Blocks read: the longest of a page are sentences, whatever the rest is."""
_MAX_CHARS = 2_000
"""Characters read, about 0.2 ms of the model; more of them change nothing."""
_MIN_CHARS = 40
"""A shorter text is a name or a title, and any guess as good as another."""
_MIN_CONFIDENCE = 0.75
"""Below, the model errs about as often as not."""

_NEWSLESS = frozenset(("zxx", "la", "vo", "eo", "jv", "ht", "sa", "an", "wa", "oc", "br", "gd", "fy", "se", "qu"))
"""What the model takes lists, codes and short texts for, and what hardly any newsroom writes."""
_SURE = 0.99
"""Confidence where a single language has the script."""


def read(clues: Clues) -> Findings:
    """Return the language that the page's running text is in, with the confidence in it."""
    found = detect(running_text(clues))
    return Findings({"inLanguage": [found[0]]}, confidence=found[1]) if found else Findings()


def running_text(clues: Clues) -> str:
    """Return the beginnings of the page's longest blocks outside links."""
    table = clues.page.outline.table
    texts = table.texts
    plain_chars = np.fromiter(map(len, texts), np.intp, len(texts)) - 2 * table.link_chars
    longest = plain_chars.argsort()[: -_MAX_BLOCKS - 1 : -1].tolist()
    return " ".join(texts[number][: _MAX_CHARS // 2] for number in longest if plain_chars[number] > 0)[:_MAX_CHARS]


def detect(text: str) -> tuple[str, float] | None:
    """Return the language of a text and how sure that is, from 0 to 1.

    >>> detect("Η βροχή πέφτει στην πεδιάδα της Ισπανίας, και όλοι μένουν στο σπίτι για να διαβάσουν.")
    ('el', 0.99)
    """
    if len(text) < _MIN_CHARS:
        return None
    languages = LANGUAGES.get(script_of(text) or "", ())
    if len(languages) == 1:
        return languages[0], _SURE
    language, confidence = _classifier()(text)
    # The model is never quite sure of short texts and never in doubt about long ones: one digit of it is noise.
    return (language, round(confidence, 3)) if confidence >= _MIN_CONFIDENCE else None


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    """Load the model, which takes half a second and 70 MB, when the first page asks for it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - a crawl of declared pages needs none

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    labels = (label for label in identifier.labels if len(label) == 2)
    identifier.set_languages([label for label in labels if label not in _NEWSLESS])
    classify: Callable[[str], tuple[str, float]] = identifier.classify
    return classify
