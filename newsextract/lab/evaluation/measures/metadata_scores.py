"""Score metadata against annotations: headline, date, authors, kind.

headline    exact: the same words in the same order, whatever their case and punctuation; F1 of the bags of words.
date        the calendar day as it is written, and where the gold states a time, the minute: as instants where both
            have an offset, else as written.
authors     F1 of the sets of names, 2 |P ∩ G| / (|P| + |G|); over pages the mean, and the ratio of the sums (micro).
kind        precision, recall and F1 of article-like pages (`ARTICLE_LIKE`) against all others.

A page counts for a measure where it has gold for it; what is missing in an answer scores 0. Organisations that sign are
marked in our metadata and are no persons: where persons are among the answer only they count, and organisations that
the gold names too; where there are none, organisations stand for them.

A signature may name several: it is taken apart at `;`, `|`, `,`, `&` and at "and", "und", "et", "y". Degrees and
generations (two to five capitals with or without dots, PhD, Jr, Sr) are no names, whether they stand alone or follow
one; in a signature that is all capitals nothing tells them from names, so there they go only alone between commas.
What comes first in a signature is a name, and what introduces it ("By", "Von") is none of it. Names are equal when
their words are, whatever their case.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.measures.measured_texts import harmonic_mean, overlap, share
from newsextract.page.text import INVISIBLE, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ARTICLE_LIKE = frozenset(("article", "live", "gallery", "video"))
"""Kinds of pages that tell one story."""

_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))
_DAY_CHARS = len("2023-05-04")


def headline_words(headline: str) -> list[str]:
    """Return the words of a headline, without soft hyphens and zero-width marks.

    >>> headline_words("Rain: “It’s o\u00adver”")
    ['rain', 'it', 's', 'over']
    """
    return words(headline.casefold().translate(_INVISIBLE))


def headline_scores(found: str | None, gold: str) -> dict[str, float]:
    """Return `headline_exact` and `headline_f1`.

    >>> headline_scores("RAIN in Spain", "Rain in Spain!")
    {'headline_exact': 1.0, 'headline_f1': 1.0}
    """
    ours, theirs = headline_words(found or ""), headline_words(gold)
    common = overlap(Counter(ours), Counter(theirs))
    f1 = harmonic_mean(share(common, len(ours)), share(common, len(theirs)))
    return {"headline_exact": float(ours == theirs), "headline_f1": f1}


def date_scores(found: str | None, gold: str) -> dict[str, float]:
    """Return `date_day`, and `date_minute` if the gold states a time; the dates are ISO 8601.

    >>> date_scores("2023-05-04", "2023-05-04"), date_scores("2023-05-04", "2023-05-04T10:00:00")
    ({'date_day': 1.0}, {'date_day': 1.0, 'date_minute': 0.0})
    """
    scores = {"date_day": float(found is not None and day_of(found) == day_of(gold))}
    if has_time(gold):
        scores["date_minute"] = float(found is not None and has_time(found) and is_same_minute(found, gold))
    return scores


def day_of(iso: str) -> str:
    """Return the day that a date states.

    >>> day_of("2023-05-04T23:00:00-05:00")
    '2023-05-04'
    """
    return iso[:_DAY_CHARS]


def has_time(iso: str) -> bool:
    """Tell whether a date states more than its day."""
    return len(iso) > _DAY_CHARS


def is_same_minute(one: str, other: str) -> bool:
    """Tell whether two dates with times are one moment, to the minute.

    >>> is_same_minute("2023-05-04T10:00:00+02:00", "2023-05-04T08:00:30+00:00")
    True
    >>> is_same_minute("2023-05-04T10:00:00", "2023-05-04T08:00:00+00:00")
    False
    """
    moments = [datetime.fromisoformat(iso).replace(second=0, microsecond=0) for iso in (one, other)]
    if any(moment.tzinfo is None for moment in moments):
        moments = [moment.replace(tzinfo=None) for moment in moments]
    return moments[0] == moments[1]


def counted_names(persons: Collection[str], organizations: Collection[str], gold: Collection[str]) -> frozenset[str]:
    """Return the names of an answer that are compared with the gold, by the rule in the module's docstring.

    >>> sorted(counted_names({"ann lee"}, {"the courier", "afp"}, {"ann lee", "afp"}))
    ['afp', 'ann lee']
    """
    return frozenset(persons) | (frozenset(organizations) & frozenset(gold)) if persons else frozenset(organizations)


def author_scores(found: Collection[str], gold: Collection[str]) -> dict[str, float]:
    """Return `author_f1`, `author_exact`, and the counts for F1 over many pages.

    >>> author_scores({"ann lee"}, {"ann lee", "bo chen"})["author_f1"]
    0.6666666666666666
    """
    ours, theirs = frozenset(found), frozenset(gold)
    right = len(ours & theirs)
    return {
        "author_f1": 2 * right / (len(ours) + len(theirs)),
        "author_exact": float(ours == theirs),
        "author_right": float(right),
        "author_named": float(len(ours) + len(theirs)),
    }


def kind_scores(found: str, gold: str) -> dict[str, float]:
    """Return whether a page is taken for article-like, whether it is, and whether both hold.

    >>> kind_scores("video", "listing")
    {'kind_found': 1.0, 'kind_gold': 0.0, 'kind_right': 0.0}
    """
    is_found, is_gold = found in ARTICLE_LIKE, gold.casefold() in ARTICLE_LIKE
    return {"kind_found": float(is_found), "kind_gold": float(is_gold), "kind_right": float(is_found and is_gold)}


_SEPARATOR = re.compile(r"\s*[;|,&]\s*(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
_INTRODUCTION = re.compile(r"^\s*(?:by|von|par|por)[\s:]+", re.IGNORECASE)
_CREDENTIAL = re.compile(r"(?:(?:[A-Z]\.?){2,5}|Ph\.?D\.?|[JS]r\.?)[®™]?$")


def names_in(signatures: Iterable[str]) -> frozenset[str]:
    """Return the distinct names in some signatures, normalised for comparison.

    >>> sorted(names_in(["By Ann Lee, PhD and BO Chen; Cy Dee MD"]))
    ['ann lee', 'bo chen', 'cy dee']
    >>> sorted(names_in(["BBC"])), sorted(names_in(["Lee, M.D.", "RALPH RUSSO, BO CHEN, MD"]))
    (['bbc'], ['bo chen', 'lee', 'ralph russo'])
    """
    return frozenset(key for signature in signatures for name in _split(signature) if (key := name_key(name)))


def name_key(name: str) -> str:
    """Return the key that equal names share.

    >>> name_key("Ann O'Hara-Lee")
    'ann o hara lee'
    """
    return " ".join(words(name.casefold()))


def _split(signature: str) -> list[str]:
    parts = [part for part in _SEPARATOR.split(_INTRODUCTION.sub("", signature)) if part.strip()]
    # Agencies sign with capitals too; the first part is always a name.
    named = parts[:1] + [part for part in parts[1:] if not _is_credentials(part, is_shouted=signature.isupper())]
    return [_bare(part) for part in named]


def _is_credentials(part: str, *, is_shouted: bool) -> bool:
    """Tell whether a part of a signature consists only of degrees.

    >>> _is_credentials("M.D. FACLM", is_shouted=False), _is_credentials("BO CHEN", is_shouted=True)
    (True, False)
    """
    tokens = part.split()
    return not (is_shouted and len(tokens) > 1) and all(map(_CREDENTIAL.fullmatch, tokens))


def _bare(name: str) -> str:
    """Return a name without the degrees that follow it.

    >>> _bare("Shelby Loos DVM M.D."), _bare("RALPH D. RUSSO")
    ('Shelby Loos', 'RALPH D. RUSSO')
    """
    tokens = name.split()
    while len(tokens) > 1 and not name.isupper() and _CREDENTIAL.fullmatch(tokens[-1]):
        tokens.pop()
    return " ".join(tokens)
