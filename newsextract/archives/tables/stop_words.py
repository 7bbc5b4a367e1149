"""The commonest function words of some languages.

The eight of English are those of Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training
Gopher" (2021), appendix A1.1; the others are their like. A text in running sentences has at least two of them.
"""

from __future__ import annotations

_LISTS = {
    "ar": "في من على إلى أن التي عن مع",
    "bg": "на и да се за от не че",
    "cs": "a se na v je že s to",
    "da": "og i at det er en til af",
    "de": "der die und in den von zu das",
    "el": "και το να του η της με για",
    "en": "the be to of and that have with",
    "es": "de la que el en y los se",
    "fa": "و در به از که این را با",
    "fi": "ja on ei että se oli mutta myös",
    "fr": "de la le et les des en un",
    "he": "של את על לא הוא עם זה כי",
    "hi": "के में की है से को का और",
    "hu": "a az és hogy nem is egy meg",
    "id": "yang dan di dengan untuk dari ini pada",
    "it": "di e che la il un per in",
    "ja": "の に は を た が で と",
    "ko": "이 그 및 등 수 것 있는 대한",
    "nb": "og i det er på en til av",
    "nl": "de het van een en in is dat",
    "no": "og i det er på en til av",
    "pl": "w i na z się do nie że",
    "pt": "de a o que e do da em",
    "ro": "de și în la a cu pe care",
    "ru": "и в не на что с по это",
    "sv": "och i att det som en på är",
    "tr": "ve bir bu da de için ile olarak",
    "uk": "і в на не що з у до",
    "vi": "và của là có trong được cho không",
    "zh": "的 了 在 是 和 有 不 人",
}
STOP_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
"""By the language's subtag, as `fr`. Of Chinese and Japanese they are characters, as words are counted there."""
