"""Cut what follows a name in a byline without any sign between: a role, an employer, a label, another contributor."""

from __future__ import annotations

import re

from newsextract.reading.metadata.authors.organizations import is_known_organization
from newsextract.reading.metadata.dates.month_names import key_of, month_names, weekdays

_ROLES = frozenset(
    """
    editor reporter writer correspondent columnist contributor journalist publisher photographer photojournalist
    producer analyst coordinator director manager officer president founder presenter ceo cto specialist strategist
    critic blogger intern freelancer anchor researcher dietitian nutritionist redakteur redakteurin reporterin
    korrespondent korrespondentin journalistin volontär volontärin chefredakteur chefredakteurin ressortleiter
    ressortleiterin autorin gastautor gastautorin kolumnist kolumnistin journaliste rédacteur rédactrice
    correspondant correspondante envoyé envoyée chroniqueur chroniqueuse periodista redactor redactora corresponsal
    columnista redator redatora repórter colunista correspondente jornalista giornalista redattore redattrice
    inviato inviata corrispondente redacteur verslaggever journalisten redaktör reportrar skribent krönikör
    korrespondentti toimittaja kirjoittaja redaktør kommentator dziennikarz dziennikarka redaktor redaktorka
    korespondent novinář novinářka komentátor újságíró szerkesztő ziarist jurnalist novinar novinarka urednik
    dopisnik muhabir gazeteci yazar editör muhabiri корреспондент журналист журналистка редактор обозреватель
    репортёр репортер кореспондент журналістка журналіст редакторка оглядач журналистът δημοσιογράφος συντάκτης
    wartawan jurnalis
    """.split()
)
"""What people of the press are called."""

_BEFORE_ROLES = frozenset(
    """
    senior junior staff chief lead deputy associate assistant contributing managing executive special guest national
    international local city state political politics business economics economy health science environment climate
    sports sport entertainment culture arts music film food travel education legal crime court courts features
    feature news online digital web data investigative investigations foreign home world europe asia africa white
    house washington opinion technology tech money consumer marketing content social media video audience head
    global regional property royal trainee freelance multimedia breaking weekend night general assignment globe
    times post former ex sr principal
    """.split()
)
"""Words between a name and a role that belong to the role."""

_LAST_LABELS = frozenset(
    """
    on at for in am vom von le il el del den um published updated posted modified edited veröffentlicht erstellt
    aktualisiert publié publicado pubblicato publicerad lesezeit stand reading read min share shares comment
    comments follow email twitter facebook
    """.split()
)
"""Words that begin what followed the name before a date or a number was cut off."""

_PICTURES = (
    r"photograph\w*|photos?|pictures?|images?|illustrat\w+|art(?:work)?|graphics?|video|fotos?|bild(?:er)?|grafi[kc]\w*"
)
_CONTRIBUTION = re.compile(
    rf"(?<![\s.,;|–—-])[\s.,;|–—-]+(?:medically\s|additional\s)?(?:(?:{_PICTURES}|fotografi\w*)\s?:\s?"
    rf"|(?:{_PICTURES}|reviewed|edited|fact[- ]?checked|updated|translated|produced|reporting|redigiert|bearbeitet"
    r"|traduit|übersetz\w*|traduc\w*|traduz\w*|ilustra\w*|foto\w*)\s(?:by|von|par|por|de|di|da|av|af|door|przez)\s).*$",
    re.IGNORECASE,
)
"""Who else contributed, and what."""

_MIN_WORDS = 2
_MAX_EMPLOYER_WORDS = 4


def without_tail(name: str) -> str:
    """Return a name without a role, an agency or a label behind it; a name keeps two words.

    >>> without_tail("Ann Lee Senior Political Reporter"), without_tail("Ann Lee The Associated Press")
    ('Ann Lee', 'Ann Lee')
    >>> without_tail("Ann Lee Published"), without_tail("Max Müller Redakteur Sport"), without_tail("Ann Staff")
    ('Ann Lee', 'Max Müller', 'Ann Staff')
    """
    words = name.split()
    stop = min(_role_start(words), _employer_start(words))
    words = words[:stop]
    while len(words) > _MIN_WORDS and _is_label(words[-1]):
        words.pop()
    return " ".join(words) if len(words) < len(name.split()) else name


def without_head(name: str) -> str:
    """Return a name without the role, or agency and role, before it.

    >>> without_head("Associated Press writer Ann Lee"), without_head("Senior Political Editor Ann Lee")
    ('Ann Lee', 'Ann Lee')
    >>> without_head("Ann Lee"), without_head("Editor Ann")
    ('Ann Lee', 'Editor Ann')
    """
    words = name.split()
    for place, word in enumerate(words[: len(words) - _MIN_WORDS]):
        if word.casefold().strip(".,") in _ROLES:
            return " ".join(words[place + 1 :]) if _is_title(words[:place]) else name
    return name


def _is_title(words: list[str]) -> bool:
    """Tell whether words may stand before a role: an agency, and what tells roles apart."""
    for stop in range(len(words), 0, -1):
        if is_known_organization(" ".join(words[:stop])):
            words = words[stop:]
            break
    return all(word.casefold().strip(".,") in _BEFORE_ROLES for word in words)


def has_role(text: str) -> bool:
    """Tell whether a text names a role of the press."""
    return any(word.casefold().strip(".,") in _ROLES for word in text.split())


def without_contribution(byline: str) -> str:
    """Return a byline up to who edited, illustrated, translated or reviewed the text.

    >>> without_contribution("Ann Lee, DVM . Reviewed by Bo Chen"), without_contribution("Ann Lee Fotos: Bo Chen")
    ('Ann Lee, DVM', 'Ann Lee')
    """
    return _CONTRIBUTION.sub("", byline)


def _role_start(words: list[str]) -> int:
    """Return the place of the first word of a role after the name, or the number of words."""
    plain = [word.casefold().strip(".,") for word in words]
    for place in range(_MIN_WORDS, len(plain)):
        if plain[place] in _ROLES:
            start = place
            while start > _MIN_WORDS and plain[start - 1] in _BEFORE_ROLES:
                start -= 1
            return start
    return len(words)


def _employer_start(words: list[str]) -> int:
    """Return the place where the name of a news agency begins after the name of a person, or the number of words."""
    for place in range(max(_MIN_WORDS, len(words) - _MAX_EMPLOYER_WORDS), len(words)):
        if is_known_organization(" ".join(words[place:])):
            return place
    return len(words)


def _is_label(word: str) -> bool:
    key = key_of(word)
    return word.casefold() in _LAST_LABELS or key in weekdays() or (key in month_names(None) and len(key) > 3)
