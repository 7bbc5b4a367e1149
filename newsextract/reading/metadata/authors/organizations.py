"""Recognise organisations among authors: news agencies, the outlet itself, its newsroom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.text_forms import letters_of

if TYPE_CHECKING:
    from collections.abc import Collection

_AGENCIES = frozenset(
    """afp agencefrancepresse agencefrance aap adnkronos aljazeera anadoluagency anadoluajansı ani ansa ansacom ap apa
    associatedpress theassociatedpress belga bbc bbcnews bloomberg bloombergnews bns bta cna cnn cnnnews ctk čtk cp
    canadianpress cihan dha dpa dpainfocom dapd dts dtsnachrichtenagentur efe epd europapress fides folhapress
    hina iha ians interfax irna itartass jiji kcna keystonesda kna kyodo kyodonews lapresse lusa mti ntb ntbnyhet
    novosti paa pap pressassociation pamedia prnewswire businesswire globenewswire pti presstrustofindia
    reuters ritzau rtr ria sda sid stt tanjug tass theconversation tt ttnyhetsbyrån ukrinform unian upi wam xinhua
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
    r"|solutions|interactive|technologies|universit\w+|instituto?|verein|verband|ministerium|stiftung|gesellschaft"
    r"|e\.v)\b|新闻网?$|网$|日报|신문|뉴스",
    re.IGNORECASE,
)
"""Words of organisations' names; a declared person may have one as a surname."""

_SURE_INSTITUTION = re.compile(
    r"\b(?:universit\w+|université|üniversite\w*|uniwersytet\w*|univerzit\w*|egyetem|yliopisto|università|universidad\w*"
    r"|institut\w*|instytut\w*|intézet|enstitü\w*|istituto|academy|akademi\w*|académie|academia|accademia|ministr\w+"
    r"|ministerium|ministère|ministerio|ministério|ministero|ministerie|bundesministerium|medical school|school of"
    r"|college of|hospital|foundation|fundaci[oó]n|fundação|fondation|fondazione|fundacja|nadace|stiftung|association"
    r"|asociaci[oó]n|associação|associazione|stowarzyszenie|verband|verein|gesellschaft|society (?:of|for)|council"
    r"|committee|commission|comisi[oó]n|department|departamento|département|cent(?:er|re) (?:for|of)|centro de"
    r"|centre de|rundfunk|agentur|agency|gmbh|ltd|llc|inc|corp|e\.\s?v|s\.a|s\.p\.a|zeitung|nachrichten|verlag"
    r"|financial services)(?!\w)"
    r"|університет|університ|университет|інститут|институт|академі|академи|міністерств|министерств|фонд\b|асоціаці"
    r"|ассоциаци|центр\b|агентств|πανεπιστήμιο|ινστιτούτο|υπουργείο|جامعة|معهد|وزارة|مؤسسة|مركز|אוניברסיט|מכון|משרד ה"
    r"|大学|大學|研究所|研究院|学院|學院|協会|协会|公司|財団|대학교|연구원|연구소|협회|विश्वविद्यालय|संस्थान|মন্ত্রণালয়|มหาวิทยาลัย|กระทรวง",
    re.IGNORECASE,
)
"""Words of organisations' names that are nobody's surname, so that they count even in a declared person."""

_ALSO_SURNAMES = re.compile(
    r"\b(?:post|press|journal|media|radio|tv|channel|college|school|society|office|center|centre|company|group|presse"
    r"|desk|services?|wire|reports?|bureau|studio|writers|blatt|daily|weekly|editor|times|tribune|herald|gazette"
    r"|chronicle|institute?)\b",
    re.IGNORECASE,
)
"""Words that count only in a name of three or more words, or after an article: Emily Post is a person."""
_OUTLET = re.compile(
    r"\b(?:times|tribune|herald|gazette|chronicle|reports?|media|radio|tv|weekly|presse|group|studios?|services?|wire)$",
    re.IGNORECASE,
)
"""The last words of names that are hardly anybody's surname, if they follow the name of a person."""
_ARTICLE = re.compile(r"(?:the|der|die|das|le|la|les|el|il|lo|de|het|o|a)\s", re.IGNORECASE)
_MANY_WORDS = 3

_MIN_KEY_CHARS = 4


def is_organization(name: str, site_keys: Collection[str] = (), *, is_declared: bool = False) -> bool:
    """Tell whether a name is that of an organisation: an agency, the site, or a name with a telling word.

    If the page declares it to be a person (`is_declared`), a telling word counts only after an article: "The Post".

    >>> is_organization("dpa"), is_organization("La Stampa", {"lastampa"}), is_organization("Ann Lee")
    (True, True, False)
    >>> is_organization("Redaktion"), is_organization("The Jersey Journal"), is_organization("Emily Post")
    (True, True, False)
    """
    if is_known_organization(name, site_keys) or _NEWSROOM.search(name):
        return True
    has_article = _ARTICLE.match(name) is not None
    if is_declared:
        is_outlet = has_article and (_ALSO_SURNAMES.search(name) or _INSTITUTION.search(name)) is not None
        return is_outlet or is_institution(name)
    is_long = has_article or len(name.split()) >= _MANY_WORDS
    return _INSTITUTION.search(name) is not None or (is_long and _ALSO_SURNAMES.search(name) is not None)


def is_institution(name: str) -> bool:
    """Tell whether a name has several words, one of which only organisations have.

    >>> is_institution("Institute for Basic Science"), is_institution("Institut Pasteur"), is_institution("Ann Lee")
    (True, True, False)
    """
    is_long = " " in name or not name.isascii()
    return is_long and _SURE_INSTITUTION.search(name) is not None


def is_affiliation(name: str) -> bool:
    """Tell whether what follows a person's name is that of an employer: "Ann Lee, Financial Times".

    >>> is_affiliation("Financial Times"), is_affiliation("University of Oxford"), is_affiliation("Bo Chen")
    (True, True, False)
    """
    return is_organization(name) or is_institution(name) or _OUTLET.search(name) is not None


def is_known_organization(name: str, site_keys: Collection[str] = ()) -> bool:
    """Tell whether a name is that of a news agency or of the site.

    >>> is_known_organization("The Associated Press"), is_known_organization("Ann Lee, Associated Press")
    (True, False)
    """
    key = letters_of(name)
    bare = key.removeprefix("the")
    if key in _AGENCIES or bare in _AGENCIES or key in site_keys:
        return True
    return len(bare) >= _MIN_KEY_CHARS and bare in {site.removeprefix("the") for site in site_keys}
