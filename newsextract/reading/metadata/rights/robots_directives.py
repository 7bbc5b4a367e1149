"""Directives to robots, as meta tags and `X-Robots-Tag` headers write them, and the robots that they name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EVERYBODY = frozenset(("robots", "x-robots-tag"))
"""The names of tags that speak to every robot."""

AI_CRAWLERS = frozenset(
    """
    ai2bot amazonbot anthropic-ai applebot-extended bytespider ccbot chatgpt-user claude-searchbot claude-user
    claude-web claudebot cohere-ai cohere-training-data-crawler deepseekbot diffbot duckassistbot facebookbot
    google-cloudvertexbot google-extended googleother gptbot iaskspider icc-crawler imagesiftbot img2dataset
    meta-externalagent meta-externalfetcher mistralai-user oai-searchbot omgili omgilibot pangubot perplexity-user
    perplexitybot petalbot sidetrade timpibot velenpublicwebcrawler webzio-extended youbot
    """.split()
)
"""Robots that collect texts for models, or for answers made by them."""

CRAWLERS = AI_CRAWLERS | frozenset(
    """
    applebot baiduspider bingbot duckduckbot facebookexternalhit googlebot googlebot-image googlebot-news
    googlebot-video msnbot naverbot otherbot qwantbot seznambot slurp sogou teoma yandex yandexbot yeti
    """.split()
)
"""Robots that pages speak to by name."""

_NOT_FOR_MODELS = frozenset(("noai", "noml"))
_NOT_FOR_ANYTHING = frozenset(("noindex", "none"))

_DIRECTIVE = re.compile(r"no(?!odp$|ydir$)[a-z-]{2,30}$|indexifembedded$|(?:max-[a-z-]{3,20}|unavailable_after):.+$")
"""What restricts or bounds the use of a page. `index` and `follow` say nothing, and the directories are gone."""

_VALUED = re.compile(r"max-|unavailable_after")
_MAX_CHARS = 2_000
"""Longer lists are floods."""
_MAX_DIRECTIVE_CHARS = 80


def directives(text: str, robot: str = "") -> Iterator[str]:
    """Yield the directives in a text, lower-cased; those to one robot begin with its name.

    >>> list(directives("index, follow, NoAI, max-snippet: 50"))
    ['noai', 'max-snippet:50']
    >>> list(directives("noarchive, GPTBot: noindex, nofollow")), list(directives("noai", "ccbot"))
    (['noarchive', 'gptbot: noindex', 'gptbot: nofollow'], ['ccbot: noai'])
    """
    for told in text[:_MAX_CHARS].lower().split(","):
        first, colon, rest = told.partition(":")
        is_named = bool(colon) and not _VALUED.match(first.strip())
        robot = first.strip() if is_named else robot
        name, colon, value = (rest if is_named else told).partition(":")
        for directive in (f"{name.strip()}:{value.strip()}",) if colon else name.split():
            if _DIRECTIVE.match(directive) and len(directive) <= _MAX_DIRECTIVE_CHARS:
                yield directive if not robot or robot in EVERYBODY else f"{robot}: {directive}"


def opts_out_of_ai(found: Iterable[str]) -> bool:
    """Tell whether some of the directives forbid the training of models: to all, or by shutting out who does it.

    >>> opts_out_of_ai(["noarchive", "noai"]), opts_out_of_ai(["gptbot: noindex"]), opts_out_of_ai(["noindex"])
    (True, True, False)
    """
    for directive in found:
        robot, _, bare = directive.rpartition(": ")
        if bare in _NOT_FOR_MODELS or (robot in AI_CRAWLERS and bare in _NOT_FOR_ANYTHING):
            return True
    return False
