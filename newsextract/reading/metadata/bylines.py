"""Split bylines into names, without introductions, places, dates, roles and degrees; recognise organisations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize

from newsextract.page.text import letters_of
from newsextract.reading.metadata.chinese_names import IS_HAN, is_chinese_outlet
from newsextract.reading.metadata.written_dates import find_dates, key_of, month_names, weekdays

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


# Recognise organisations among authors: news agencies, the outlet itself, its newsroom.

_AGENCIES = frozenset(
    """afp agencefrancepresse agencefrance aap adnkronos aljazeera anadoluagency anadoluajansı ani ansa ansacom ap apa
    associatedpress belga bbc bbcnews bloomberg bloombergnews bns bta cna cnn cnnnews ctk čtk cp
    canadianpress cihan dha dpa dpainfocom dapd dts dtsnachrichtenagentur efe epd europapress fides folhapress
    hina iha ians interfax irna itartass jiji kcna keystonesda kna kyodo kyodonews lapresse lusa mti ntb ntbnyhet
    novosti paa pap pressassociation pamedia prnewswire businesswire globenewswire pti presstrustofindia
    reuters ritzau rtr ria sda sid stt tanjug tass conversation tt ttnyhetsbyrån ukrinform unian upi wam xinhua
    yonhap 新华社 新华网 中新社 共同通信 時事通信 연합뉴스 тасс риановости интерфакс укрінформ рбк апеμπε""".split()
)
"""Names of news agencies and wires, without spaces."""

_NEWSROOM = re.compile(
    r"\b(?:staff|team|editors|editorial|newsroom|news\s?desk|correspondents|redaktion\w*|redacci[oó]n|redac[cç][aã]o"
    r"|r[eé]daction|redazione|redactie|redaksjon\w*|redaksi|toimitus|redakcj[ae]|redakce|szerkesztőség|redacția"
    r"|редакци\w*|редакці\w*|haber merkezi|webteam|contributors|agenc(?:y|ies|e|ia)|agentur(?:en)?|pressestelle)\b"
    r"|编辑部|編集部|편집국|هيئة|تحرير|وكال|редколег|συντακτικ",
    re.IGNORECASE,
)
"""Words for an outlet's staff, in many languages."""

_INSTITUTION = re.compile(
    r"\b(?:news|newspaper|magazine?|zeitung|nachrichten|verlag|television|network|university|institution|hospital|clinic"
    r"|association|foundation|department|ministry|committee|council|commission|corporation|gmbh|inc|llc|ltd|plc|online"
    r"|solutions|interactive|technologies|universit\w+|institut[eo]?|verein|ministerium|stiftung"
    r"|\w*(?:verband|fraktion|partei|behörde|feuerwehr)|gesellschaft|kg|e\.v)\b|\s(?-i:A[Gg]|SE|S\.?A|SpA|Α\.Ε)\.?$"
    r"|新闻网?$|网$|日报|公司$|신문|뉴스",
    re.IGNORECASE,
)
"""Words of organisations' names."""
_INSTITUTION_OF = re.compile(
    r"(?:[^\W\d_][\w.’'-]*\s)?(?:center|centre|institut[eo]?|ministry|department|university|universit\w+|office|bureau"
    r"|agency|\w*anstalt|bundesamt|landesamt|ministerium|verband|union|association|federation|council|society|school"
    r"|faculty|foundation)\s(?:of|for|für|der|des|de|du|di|da|pour|para|voor|för)\s",
    re.IGNORECASE,
)
"""How the name of an institution begins that says what it is for: what follows is no further author."""

_ALSO_SURNAMES = re.compile(
    r"\b(?:post|press|journal|media|radio|tv|channel|college|school|society|office|center|centre|company|group|presse"
    r"|desk|services?|wire|reports?|bureau|studio|writers|blatt|daily|weekly|editor|times|tribune|herald|gazette"
    r"|chronicle)\b",
    re.IGNORECASE,
)
"""Words that count only in a name of three or more words: Emily Post is a person."""
_OUTLET = re.compile(
    r"\b(?:times|tribune|herald|gazette|chronicle|reports?|media|radio|tv|weekly|presse|group|studios?|services?|wire)$",
    re.IGNORECASE,
)
"""The last words of names that are hardly anybody's surname, if they follow the name of a person."""
_MANY_WORDS = 3


def is_organization(name: str, site_keys: Collection[str] = (), *, is_declared: bool = False) -> bool:
    """Return whether a name is that of an organisation: an agency, the site, or a name with a telling word.

    If the page declares it to be a person (`is_declared`), words that may be a surname do not count.

    >>> is_organization("dpa"), is_organization("La Stampa", {"lastampa"}), is_organization("Ann Lee")
    (True, True, False)
    >>> is_organization("Redaktion"), is_organization("The Jersey Journal"), is_organization("Emily Post")
    (True, True, False)
    """
    if is_known_organization(name, site_keys) or _NEWSROOM.search(name):
        return True
    if IS_HAN.match(name) and is_chinese_outlet(name):
        return True
    if is_declared:
        return not name[0].islower() and _INSTITUTION.search(name) is not None
    is_long = len(name.split()) >= _MANY_WORDS
    return _INSTITUTION.search(name) is not None or (is_long and _ALSO_SURNAMES.search(name) is not None)


def is_institution(name: str) -> bool:
    """Return whether a whole text is the name of one institution, whatever separators it has.

    >>> is_institution("Center for Drug Evaluation and Research"), is_institution("Ann Lee, University of Oxford")
    (True, False)
    """
    return _INSTITUTION_OF.match(name) is not None and "," not in name and "|" not in name


def is_known_organization(name: str, site_keys: Collection[str] = ()) -> bool:
    """Return whether a name is that of a news agency or of the site.

    >>> is_known_organization("The Associated Press"), is_known_organization("Ann Lee, Associated Press")
    (True, False)
    """
    key = letters_of(name.replace("İ", "I")).removeprefix("the")
    return key in _AGENCIES or key in {site.removeprefix("the") for site in site_keys}


# The words before the names in a byline: "Von", "Posted on May 4 by", "Автор:", "记者".

_BY = (
    r"by|von|vom|par|por|di|da|door|av|af|od|przez|napisał[a]?|yazan|ni|oleh|bởi|с|από|του|της|מאת|بقلم|بواسطة|كتبت?"
    r"|द्वारा|โดย|írta|על ידי"
)
_LABEL = (
    r"authors?|autor(?:in|en|es|a|e|ka|stwo)?|auteur(?:s|e)?|författare|forfatter|kirjoittaja|szerző|yazar|συντάκτης"
    r"|автор[ыи]?|текст|text|texte|testo|texto|teksti?|words|story|autoři|szöveg|reporter|journalist\w*|penulis"
    r"|tác giả|kaleme alan|autors|autorius|napsal[a]?|skrevet|skriven|writer|pisze|opr\.?|نویسنده|लेखक|ผู้เขียน"
)
_LEAD_IN = frozenset(
    """a an the ein eine un une um posted published written submitted compiled story article articles word words text
    report reported reporting guest post review reviewed column opinion analysis authored recipe medically last beitrag
    gastbeitrag artikel kommentar interview bericht geschrieben veröffentlicht eingestellt verfasst erstellt
    gespeichert eingetragen pressemitteilung im wortlaut protokoll aufgezeichnet écrit publié rédigé propos recueillis
    escrito publicado redactado scritto pubblicato geschreven publicerad skriven skrevet on am le el at updated created
    analyse gastkommentar kolumne essay glosse reportage leitartikel porträt rezension kritik eine einer נכתב פורסם
    and contribution uhr pm edt est gmt guide view see more show all posts articles read browse zeige alle beiträge
    alles mehr voir tous toutes les articles ver todas todos las os entradas artículos artigos vedi tutti gli articoli
    pokaż wszystkie wpisy bekijk blog this was is dieser wurde""".split()
)
"""Words that may come before "by": of publishing, and of dates other than months."""
_WORD = re.compile(r"[^\W\d_]+")

_INTRODUCED = re.compile(rf"(?<![\w-])(?P<by>{_BY})(?P<colon>\s*[:：]\s*|\s+)(?=\S)", re.IGNORECASE)
_LABELLED = re.compile(
    rf"^\s*(?:{_LABEL})\s*[:：/／|]\s*(?:(?:{_BY})\s+)?|^\s*aut(?:hor|or|orin|eur|ore)s?\s+(?=\S)|^\s*(?-i:By)(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)
_ANY_LABEL = re.compile(r"^[^\W\d_]{2,20}(?:\s[^\W\d_]{1,12})?\s?[:：]\s*(?=\S+\s\S|[\u3040-\u9fff\uac00-\ud7af]{2})")
_CJK_LABEL = re.compile(
    r"^(?:新华社|本报|本社)?(?:记者|記者|作者|撰文|撰稿|文字|通讯员|執筆|取材)[\s:：/／]*|^(?:文|文字|글)[\s:：/／|・]+"
)
_CJK_TAIL = re.compile(r"(?:\s*[／/]\s*\S{1,6})?\s*(?:记者|記者|기자|특파원|報導|报道|摄|撮影)(?:\s+\S+@\S+)?$")
_CJK_ROLE = re.compile(
    r"^([\u4e00-\u9fff]{2,4})\s\S{2,12}(?:记者|記者|编辑|編輯|主编|主編|作家|撰稿人|评论员|評論員)(?:\s.*)?$"
)
"""A name, and who it is: paper and role, then perhaps a biography."""
_BRACKETS = " []【】()（）"


def without_introduction(byline: str) -> str:
    """Return a byline from its first name on, without any label before it.

    >>> without_introduction("Text: Ann Lee"), without_introduction("Ein Beitrag von Ann Lee")
    ('Ann Lee', 'Ann Lee')
    >>> without_introduction("Von Miller"), without_introduction("Írta: Kovács János")
    ('Von Miller', 'Kovács János')
    """
    bare = byline.strip(_BRACKETS) if byline[:1] in _BRACKETS else byline
    text = _CJK_TAIL.sub("", _CJK_ROLE.sub(r"\1", introduced(bare)))
    return _ANY_LABEL.sub("", text)


def is_introduced(text: str) -> bool:
    """Return whether a line introduces names.

    >>> is_introduced("By Ann Lee"), is_introduced("Ann Lee")
    (True, False)
    """
    return introduced(text) != text.strip()


def introduced(byline: str) -> str:
    """Return what follows the words that introduce names, or the whole line if it has none."""
    text = _LABELLED.sub("", _CJK_LABEL.sub("", byline.strip()))
    found = _INTRODUCED.search(text)
    if found is None or not _is_introduction(found, text):
        return text
    return text[found.end() :]


def _is_introduction(found: re.Match[str], text: str) -> bool:
    """Return whether a word means "by" here: Von and Por are also given names and begin surnames."""
    if found.start():
        before = _WORD.findall(text[: found.start()].casefold())
        return all(word in _LEAD_IN or word in month_names(None) for word in before)
    by = found["by"]
    if by.islower() or by.casefold() == "by" or ":" in found["colon"] or "：" in found["colon"]:
        return True
    following = re.split(r"[,;/|]", text[found.end() :], maxsplit=1)[0]
    return len(following.split()) > 1


# Cut what follows a name in a byline without any sign between: a role, an employer, a label, another contributor.

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
    attorney lawyer rechtsanwalt rechtsanwältin projektleiter projektleiterin educator physician engineer economist
    wartawan jurnalis expert department development professor professorin freelance founder coach head
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
    aktualisiert publié publicado pubblicato publicerad hace vor lesezeit stand reading read min share shares comment
    comments follow email twitter facebook
    """.split()
)
"""Words that begin what followed the name before a date or a number was cut off."""

_PICTURES = (
    r"photograph\w*|photos?|pictures?|images?|illustrat\w+|art(?:work)?|graphics?|video|fotos?|bild(?:er)?|grafi[kc]\w*"
)
_CONTRIBUTION = re.compile(
    rf"(?<![\s.,;|–—-])[\s.,;|–—-]+(?:medically\s|additional\s)?(?:(?:{_PICTURES}|fotografi\w*)\s?:\s?"
    rf"|(?:{_PICTURES}|reviewed|edit(?:ed|ing)|fact[- ]?checked|updated|translated|produced|reporting|redigiert"
    r"|bearbeitet|traduit|übersetz\w*|traduc\w*|traduz\w*|ilustra\w*|foto\w*)\s(?:by|von|par|por|de|di|da|av|af|door|przez)\s).*$",
    re.IGNORECASE,
)
"""Who else contributed, and what."""

_MIN_WORDS = 2


def without_tail(name: str) -> str:
    """Return a name without a role, an agency or a label behind it; a name keeps two words.

    >>> without_tail("Ann Lee Senior Political Reporter"), without_tail("Ann Lee The Associated Press")
    ('Ann Lee', 'Ann Lee')
    >>> without_tail("Ann Lee Published"), without_tail("Max Müller Redakteur Sport"), without_tail("Ann Staff")
    ('Ann Lee', 'Max Müller', 'Ann Staff')
    """
    words = name.split()
    places = range(_MIN_WORDS, len(words))
    role = next((place for place in places if _is_role(words[place])), len(words))
    while _MIN_WORDS < role < len(words) and _is_before_role(words[role - 1]):
        role -= 1
    employers = (place for place in places if is_known_organization(" ".join(words[place:])))
    words = words[: min(role, next(employers, role))]
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
        if _is_role(word):
            others = [other for other in words[:place] if not _is_before_role(other)]
            is_title = not others or is_known_organization(" ".join(others))
            return " ".join(words[place + 1 :]) if is_title else name
    return name


def _is_role(word: str) -> bool:
    return word.casefold().strip(".,") in _ROLES


def _is_before_role(word: str) -> bool:
    return word.casefold().strip(".,") in _BEFORE_ROLES


def _is_label(word: str) -> bool:
    key = key_of(word)
    return word.casefold() in _LAST_LABELS or key in weekdays() or (key in month_names(None) and len(key) > 3)


# Split bylines into names, without places, dates, roles and degrees.

PARTICLES = frozenset(
    (
        *("van", "von", "der", "den", "de", "del", "della", "di", "da", "du", "des", "la", "le", "el", "al"),
        *("bin", "ibn", "ben", "dos", "ter", "ten", "zu", "zur", "zum", "af", "av", "y", "e", "und", "vom", "do"),
    )
)
"""Lower-case words inside names."""

_SEPARATOR = re.compile(
    r"\s*[;|/•·&、，؛]\s*|(?:\s*,\s*|\s)(?:and|et|und|og|och|и|а также)\s|\s*,(?!\s*(?:jr|sr|ii|iii|md|phd)\b)\s*",
    re.IGNORECASE,
)
_WITH = r"im gespräch mit|in conversation with|en conversation avec|as told to|together with|gemeinsam mit|zusammen mit"
_WEAK_CONJUNCTION = re.compile(
    rf"\s(?:y|e|i|o|en|eta|ja|və|iyo|kaj|with|mit|avec|con|med|z|dan|ve|và|és|și|şi|si|ir|dhe|agus|та|і|й|да|және|жана|һәм|και|וגם|و|اور"
    rf"|और|एवं|तथा|व|এবং|ও|અને|ਅਤੇ|மற்றும்|మరియు|ಮತ್ತು|ഒപ്പം|සහ|และ|និង|ແລະ|და|և|եւ|ու|እና|및|와|과|{_WITH})\s|\s[وו](?=\w{{2,}}\s\w)",
    re.IGNORECASE,
)
"""Words that mean "and" between two full names, and otherwise belong to one: Ortega y Gasset, Kim En Joong."""

_ALSO_AND = dict(pair.split() for pair in "cs a|sk a|cy ac?|sl in|lv un|sw na|zu na|uz va|mt u|ha da".split("|"))
"""The same in languages whose word is a preposition or an article in another."""
_ALSO_BY = {"cy": "gan", "mt": "minn", "ha": "daga"}
"""Words that mean "by" in a language and begin names in others."""

_TAIL = re.compile(
    r"\s*(?:\b(?:last|full|view|read|follow)\s+(?:updated|modified|bio\w*|all|more|profile|on|posts)\b.*"
    r"|\(.*|\[.*|\s@.*|<.*|\S+@\S+.*"
    r"|\s(?-i:For|for)\s(?:the\s)?.*|\s(?-i:on|at|updated|published|posted|am|für|for|in|aus|publié|le|•)\s.*"
    r"|\.?\s(?:data (?:publikacji|dodania|d[ae] publicação|di pubblicazione)|date de publication|fecha de publicación"
    r"|veröffentlichungsdatum|erscheinungsdatum|publication date|date published|дата публикации|дата публікації)\b.*"
    r"|\s\d.*|\b(?:updated|published|posted)\b.*)$",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
_DASH = re.compile(r"\s[-–—]\s")
_SET_OFF = " ,|·•-–—"
_TRIMMED = " .,:-–—→»«\"'“”*©●"
_LAST_INITIAL = re.compile(r"(?:\w\.)+|Jr\.|Sr\.")
_CREDENTIAL = re.compile(r"^(?:[A-Z][A-Za-z]?\.?){1,5}®?$|^(?:Jr|Sr|Ph\.?D|I{2,3})\.?$")
_LAST_CREDENTIALS = re.compile(
    r"(?:,?\s+(?!(?:I{2,3}|I?V)\b)(?:[A-Z]{2,5}|[A-Z]{3,}-[A-Z]+|Ph\.?D\.?|M\.?D\.?|M\.?[SA]\.?|CFP)®?)+$"
)
_PLACE = re.compile(r"^(?:de|à|em|in|aus|en|na|w|v|from|i|uit|från|fra|da|a)\s(?=[^\W\d_])")
"""The word that begins a place after a name: `João da Silva, de Brasília`."""
PLACES = frozenset(
    """new york|los angeles|san francisco|san diego|las vegas|new orleans|san antonio|washington dc|washington d.c.
    |new delhi|hong kong|tel aviv|abu dhabi|kuala lumpur|addis ababa|addis abeba|cape town|kapstadt|buenos aires
    |rio de janeiro|são paulo|sao paulo|mexico city|mexiko-stadt|ciudad de méxico|san josé|san salvador
    |santo domingo|la paz|san juan|saint-denis|st. petersburg|saint petersburg|sankt petersburg|ho chi minh city
    |den haag|the hague|la haye|le caire|el cairo|new jersey|new mexico|north carolina|south carolina
    |west virginia|saudi arabia|south africa|south korea|north korea|new zealand|sri lanka|united states
    |united kingdom|costa rica|puerto rico|el salvador|сан-франциско|нью-йорк|лос-анджелес|буэнос-айрес""".replace(
        "\n    ", ""
    ).split("|")
)
"""Places of several words, which look like the name of a second author."""


def split_byline(byline: str, language: str | None = None) -> list[str]:
    """Return the names in a byline, without their introduction and what follows them.

    >>> split_byline("Par Zoé Dupont, Léo Martin"), split_byline("Ann Lee, PhD, editor")
    (['Zoé Dupont', 'Léo Martin'], ['Ann Lee'])
    >>> split_byline("Lee, Ann"), split_byline("Alexa von Heyden"), split_byline("记者 王小明")
    (['Ann Lee'], ['Alexa von Heyden'], ['王小明'])
    >>> split_byline("Ann Lee, Bo Chen, and Cy Dee"), split_byline("Ana Gil y Luis Paz")
    (['Ann Lee', 'Bo Chen', 'Cy Dee'], ['Ana Gil', 'Luis Paz'])
    >>> split_byline("Juan Ortega y Gasset"), split_byline("山田 太郎")
    (['Juan Ortega y Gasset'], ['山田 太郎'])
    """
    if own := _ALSO_AND.get(language or ""):
        byline = re.sub(rf" {own} ", " i ", byline)
    if own := _ALSO_BY.get(language or ""):
        byline = re.sub(rf"^{own}\s", "", byline, flags=re.IGNORECASE)
    bare = _without_date(without_introduction(_CONTRIBUTION.sub("", byline)))
    parts = [name for part in _SEPARATOR.split(bare) if part.strip() for name in _between_full_names(part)]
    if len(parts) == 2 and "," in bare and all(map(_is_one_name, parts)):
        return [f"{parts[1]} {parts[0]}"]
    return [name for name in map(_trim, _named(parts)) if name]


def _without_date(text: str) -> str:
    text = normalize("NFC", text)  # the offsets of dates are those in this form
    date = next(find_dates(text), None)
    if date is None or date.start == 0:
        return text
    before = text[: date.start].rstrip(_SET_OFF)
    *names, last = before.split() or [""]
    return " ".join(names).rstrip(_SET_OFF) if key_of(last) in weekdays() else before


def _between_full_names(text: str) -> Iterator[str]:
    """Yield the names that a weak conjunction joins: it needs a full name on both sides."""
    start = 0
    for match in _WEAK_CONJUNCTION.finditer(text):
        if " " in text[start : match.start()].strip() and " " in text[match.end() :].strip():
            yield text[start : match.start()].strip()
            start = match.end()
    yield text[start:].strip()


def _is_one_name(part: str) -> bool:
    """Return whether a part may be a family or a given name, in a script that separates these by a comma."""
    *before, last = part.split()
    is_plain = all(word.casefold() in PARTICLES for word in before)
    return is_plain and last[0] < "\u0590" and not _CREDENTIAL.match(last)


def _named(parts: list[str]) -> list[str]:
    """Return the parts that are names: after a full name, single words, roles and places only describe it."""
    if not parts or " " not in parts[0]:
        return [part for part in parts if is_known_organization(part) or not _CREDENTIAL.match(part)] or parts
    return parts[:1] + [part for part in parts[1:] if " " in _trim(part) and not _is_description(part)]


def _is_description(part: str) -> bool:
    """Return whether a part after a name is a role, a place or an employer."""
    has_role = any(word in _ROLES for word in _WORD.findall(part.casefold()))
    if has_role or _PLACE.match(part) or part.casefold() in PLACES:
        return True
    is_employer = is_organization(part) or _OUTLET.search(part) is not None
    return is_employer and not is_known_organization(part)


def without_brackets(name: str) -> str:
    """Return the one name in a text, without what follows it in brackets.

    >>> without_brackets("Ann Lee (dpa)"), without_brackets("(al)")
    ('Ann Lee', 'al')
    """
    return _IN_BRACKETS.sub("", name).strip() or name.strip("()[] ")


def _trim(part: str) -> str:
    """Return a name without its place, date, role or degrees.

    >>> _trim("Ann Lee (London)"), _trim("Ann Lee MS RD"), _trim("Redakteurin Ann Lee"), _trim("Nelson C.J.")
    ('Ann Lee', 'Ann Lee', 'Ann Lee', 'Nelson C.J.')
    >>> _trim("Ann Lee - Washington"), _trim("Cairo - Ann Lee")
    ('Ann Lee', 'Ann Lee')
    """
    first, *others = _DASH.split(introduced(part), maxsplit=1)
    if others and " " not in first.strip() and " " in others[0].strip():
        first = others[0]
    name = without_tail(without_head(_TAIL.sub("", f"{first} ").strip(_TRIMMED.replace(".", ""))))
    if not name.isupper() and len(name.split()) > 2:
        name = _LAST_CREDENTIALS.sub("", name)
    words = name.split()
    # The dot of an initial belongs to the name.
    return name if words and _LAST_INITIAL.fullmatch(words[-1]) else name.strip(_TRIMMED)
