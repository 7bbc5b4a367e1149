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

_ALSO_SURNAMES = re.compile(
    r"\b(?:post|press|journal|media|radio|tv|channel|college|school|society|office|center|centre|company|group|presse"
    r"|desk|services?|wire|reports?|bureau|studio|writers|blatt|daily|weekly|editor|times|tribune|herald|gazette"
    r"|chronicle|institute?)\b",
    re.IGNORECASE,
)
"""Words that count only in a name of three or more words, or after an article: Emily Post is a person."""
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
        return has_article and (_ALSO_SURNAMES.search(name) or _INSTITUTION.search(name)) is not None
    is_long = has_article or len(name.split()) >= _MANY_WORDS
    return _INSTITUTION.search(name) is not None or (is_long and _ALSO_SURNAMES.search(name) is not None)


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
