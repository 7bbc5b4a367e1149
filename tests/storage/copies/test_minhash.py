"""Keys of texts must stay the same, as stored ones are compared with new ones."""

from __future__ import annotations

from newsextract.storage.copies.minhash import LEAST_WORDS, fingerprint

STORY = " ".join(f"Speaker number {number} said that the bridge over the river would open soon." for number in range(9))
OTHER = " ".join(f"In year {number} the team lost every match that it played away from home." for number in range(9))


def test_the_keys_of_a_text_are_those_that_databases_hold() -> None:
    keys = fingerprint(STORY)
    assert len(keys) == 33
    assert (keys[:2], keys[-1]) == ((1366706123744629438, 1435277201051341718), 8676893915162219243)


def test_texts_that_share_most_shingles_share_keys_and_others_none() -> None:
    edited = STORY.replace("number 4 said", "number 4 told us")
    assert len(set(fingerprint(STORY)) & set(fingerprint(edited))) > len(fingerprint(STORY)) / 4
    assert not set(fingerprint(STORY)) & set(fingerprint(OTHER))


def test_a_short_text_has_no_keys() -> None:
    assert fingerprint(" ".join(STORY.split()[: LEAST_WORDS - 1])) == ()
    assert fingerprint(None) == ()
