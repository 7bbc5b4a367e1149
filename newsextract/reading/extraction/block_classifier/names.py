"""Score the names of elements: what classes and ids say about the text inside.

A class, an id or an `itemprop` is a few words: `article-body`, `relatedPosts`, `comment_list`; see `words_in`
for those that are none. Each whole name and each word has a score, learned from the corpora: the log-odds that text
inside an element so named is the article's, against the odds of any text, averaged over sites. A whole name that is
known counts as such; of others the scores of the words are added up.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.lazy import cached_property
from newsextract.reading.extraction.block_classifier.layout import TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray


# The words that a class or an id says something with, in one language.
#
# Left out are names that somebody's tool gave: hashes of style sheets (`css-1x2y3z`), utilities and grids of style-
# sheet frameworks (`col-md-8`, `text-center`), numbers, and words of one or two letters. They tell how a site was
# built, and a score learned from them would be an accident. Words of other languages, and abbreviations, stand for the
# English word that means the same in names of elements: so what is learned from one language's pages holds for all.

_words_of = re.compile(r"[A-Z]?[a-z]+|[A-Z]+").findall
_MAX_CHARS = 60
_LEAST_LETTERS = 3
_SHORT = frozenset(("ad", "by", "no"))
"""Words of two letters that mean something in names of elements."""

_SIZE = "(?:xs|sm|md|lg|xl|xxl|[2-9]xl)"
_SIDE = "(?:start|end|center|between|around|evenly|stretch|baseline)"
_UTILITIES = (
    rf"row(?:-fluid)?|col(?:s|umns?)?(?:[-_](?:{_SIZE}|auto|offset|push|pull|start|end|span|\d+))*|container(?:-fluid)?",
    r"(?:small|medium|large|grid|span|offset|size|column)[-_]?\d+",
    r"clearfix|clear(?:-both)?|(?:float|pull|text)-(?:left|right|none|start|end|center|justify)",
    rf"text-(?:{_SIZE}|base|white|black|muted|dark|light|primary|secondary|body|nowrap|wrap|decoration-none|\w+-\d+)",
    r"font-(?:bold|semibold|medium|normal|light|thin|extrabold|black|sans|serif|mono|weight-\w+|italic)",
    r"(?:flex|rounded|border|shadow|transition)(?:-\S+)?|(?:bg|leading|opacity|cursor|duration|ease|object|uk|d)-\S+",
    r"(?:space|gap|overflow)(?:-[xy])?-\S+|-?[mp][tblrxyse]?-(?:auto|px|\d+)",
    rf"(?:min-|max-)?[wh]-(?:\d+|px|auto|full|screen|none|fit|min|max|prose|[sld]v[wh]|{_SIZE}|node-\S+)",
    r"grid(?:-(?:cols|rows|flow)\S*)?|inline(?:-(?:block|flex|grid))?|img-(?:fluid|responsive)",
    rf"(?:align|justify|items|self|content|place)(?:-(?:items|content|self))?(?:-{_SIZE})?-{_SIDE}",
    r"(?:vc|wpb|et_pb|fl)[-_](?:row|col|column|section|wrapper|module|node|inner)\S*",
    r"elementor(?:-(?:element|section|column|col|container|row|inner|widget-wrap|widget-container|\d+)\S*)?",
)
_PLAIN_UTILITIES = frozenset(
    "row col cols column columns container clearfix clear flex rounded border shadow transition grid inline elementor "
    "uppercase lowercase capitalize italic underline truncate antialiased relative absolute static block table".split()
)
_has_signs = re.compile(r"[:\[\]/!]").search
"""Of `md:w-1/2`, `hover:underline`, `text-[15px]`."""
_is_utility = re.compile("|".join(f"(?:{pattern})" for pattern in _UTILITIES)).fullmatch
_HASH = r"[A-Za-z0-9]"
_may_have_hashes = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d|(?:css|sc|jsx|jss|svelte|astro)-").search
_without_hashes = re.compile(
    rf"(?<!{_HASH})(?:(?:css|sc|jsx|jss|svelte|astro)-(?={_HASH}*[A-Z0-9]){_HASH}{{4,}}"
    rf"|(?={_HASH}*[A-Za-z]\d)(?={_HASH}*\d[A-Za-z]){_HASH}{{5,}})(?!{_HASH})"
).sub

_OTHERS = {
    "comment": "kommentar commentaire comentario commento comentariu komentarz komentar kommentti yorum reactie "
    "komentaras hozzaszolas koment cmt cmnt coment pinglun binhluan komen kommentaar komentari skolia",
    "comments": "kommentare kommentarer commentaires comentarios commenti komentarze komentare kommentit yorumlar "
    "reacties komentarai hozzaszolasok cmts comm coments komentarji comentaris",
    "caption": "bildunterschrift bildtext bildbeschreibung legende didascalia leyenda podpis altyazi billedtekst "
    "bildetekst onderschrift cutline kepalairas epigrafe",
    "related": "verwandt verwandte aehnliche relacionada relacionadas relacionado relacionados connexe connexes "
    "correlati correlate gerelateerd powiazane ilgili benzer terkait lienquan relaterade relateret relatert "
    "liittyvat souvisejici kapcsolodo xiangguan associes similaires simili lesen-auch recirc sxetika",
    "recommended": "empfehlungen recommandations recomendados recomendadas consigliati polecane onerilen tuijian "
    "rekomendasi aanbevolen",
    "popular": "meistgelesen meistgelesene leido leidas leidos lidas czytane okunan populer terpopuler remen "
    "mestlest lettura populaire populaires popolari populares populyarnoe",
    "author": "autor autora autore auteur auteurs autores autori yazar penulis verfasser zuozhe redakteur forfatter "
    "szerzo tacgia skribent avtor kirjoittaja redactor autoren",
    "share": "teilen compartir partager condividi compartilhar paylas udostepnij bagikan fenxiang delen dela "
    "partage sharing podelitsya megosztas jaa",
    "date": "datum fecha tarih tanggal riqi ngay dato kelt",
    "time": "zeit heure hora waktu shijian saat uhrzeit ora",
    "article": "artikel articulo articolo artigo artykul makale statia statya articol clanek cikk artikkeli wenzhang "
    "straipsnis arthro artikelen",
    "news": "nachrichten noticia noticias nouvelle nouvelles notizia notizie haber haberler wiadomosci novosti "
    "xinwen berita tintuc nieuws nyheter nyhed hirek uutiset zpravy novini stiri akhbar",
    "content": "inhalt contenido conteudo contenu contenuto inhoud tresc icerik neirong zhengwen noidung innehall "
    "indhold innhold isi obsah tartalom sisalto cntnt kontent contingut",
    "text": "texte texto testo tekst metin txt texten tekstas",
    "title": "titel titulo titre titolo tytul baslik judul biaoti tieude tittel rubrik otsikko ttl zagolovok",
    "subtitle": "untertitel subtitulo soustitre sottotitolo podtytul dachzeile",
    "advert": "werbung anzeige anzeigen publicidad publicite pubblicita publicidade reklama reklam reklame iklan "
    "guanggao quangcao advertisement advertising advertorial advt publi annonce mainos hirdetes",
    "menu": "navegacion navigazione navigatie menue menyu caidan nawigacja",
    "footer": "fussbereich fusszeile rodape stopka piedepagina foot",
    "sidebar": "seitenleiste sidespalte sidopanel sidemenu sidebare zijbalk",
    "search": "suche buscar busca buscador recherche ricerca szukaj sousuo zoeken sok pencarian timkiem hledat",
    "tags": "schlagworte schlagwort etiquetas etiketten etiket etiketler tagi biaoqian taglist",
    "gallery": "galerie galeria galleria bildergalerie fotogalerie fotogaleria galeri galereya",
    "photo": "foto fotos fotografia fotografie photos",
    "image": "bild bilder imagen imagenes immagine immagini zdjecie zdjecia resim gambar tupian imagem imagens img "
    "obrazek kuva hinhanh",
    "newsletter": "infolettre boletin rundbrief nyhetsbrev nyhedsbrev nieuwsbrief bulten hirlevel uutiskirje",
    "summary": "zusammenfassung resumen resume resumo riassunto sommario streszczenie ozet samenvatting zhaiyao",
    "intro": "vorspann entradilla chapo chapeau occhiello ingress anleser bajada copete sapo manchet",
    "quote": "zitat citation citazione citat citaat cytat alinti",
    "source": "quelle fuente fonte zrodlo kaynak laiyuan sumber bron kilde",
    "read": "lesen leer lire leggi czytaj oku baca lees",
    "more": "mehr mas plus altro mais wiecej daha gengduo selengkapnya meer",
    "privacy": "datenschutz privacidad confidentialite privacidade prywatnosc gizlilik",
    "subscribe": "abonnieren suscribete suscripcion abonnez abonnement abbonati assine subskrypcja abone dingyue",
}
_ENGLISH = {other: word for word, others in _OTHERS.items() for other in others.split()}
_WHOLE = {"com": "comment", "coms": "comments"}
"""Abbreviations that are words of a name only if they are all of it: in `example-com`, `com` is something else."""


def words_in(name: str) -> str:
    """Return the words of a name, joined by hyphens; an empty text if it says nothing.

    >>> words_in("relatedPosts-2"), words_in("entry_kommentare"), words_in("com0")
    ('related-posts', 'entry-comments', 'comment')
    >>> words_in("css-1x2y3z"), words_in("col-md-8"), words_in("x7"), words_in("Article_body__a3Xz9")
    ('', '', '', 'article-body')
    """
    name = name[:_MAX_CHARS]
    if not name.isalpha():  # most names are one word: quick to read, as a page has dozens never met before
        if _is_utility(name) or _has_signs(name):
            return ""
        if _may_have_hashes(name):
            name = _without_hashes("", name)
    elif name in _PLAIN_UTILITIES:
        return ""
    found = "-".join(_words_of(name)).lower().split("-")
    known = [_ENGLISH.get(word, word) for word in found if len(word) >= _LEAST_LETTERS or word in _SHORT]
    meant = "-".join(known)
    return _WHOLE.get(meant, meant)


_ATTRIBUTES = (("class", ""), ("id", ""), ("itemprop", "i:"))
_MAX_NAMES = 10
"""Names read from one attribute: utility classes come by the dozen, and the meaningful ones come first."""
_MAX_VALUE_CHARS = 1_000
_MAX_REMEMBERED = 10_000


def terms(name: str, prefix: str = "") -> list[str]:
    """Return the terms that a name is looked up by: the whole, then its words. A prefix tells the attribute.

    >>> terms("relatedPosts-2"), terms("articleBody", "i:")
    (['=related-posts', 'related', 'posts'], ['=i:article-body', 'i:article', 'i:body'])
    """
    whole = words_in(name)
    return [f"={prefix}{whole}", *(prefix + word for word in whole.split("-"))] if whole else []


def terms_of(element: HtmlElement) -> set[str]:
    """Return the terms of all the names that an element has."""
    return {
        term
        for attribute, prefix in _ATTRIBUTES
        for name in element.get(attribute, "").split()[:_MAX_NAMES]
        for term in terms(name, prefix)
    }


class _Vocabulary:
    """The scores for the names in one attribute; those of the values met most recently are remembered."""

    def __init__(self, scores: Mapping[str, float], prefix: str) -> None:
        skipped = len(prefix)
        own = {term: score for term, score in scores.items() if term.lstrip("=").startswith(prefix)}
        self.wholes = {term[1 + skipped :]: score for term, score in own.items() if term[0] == "="}
        self.words = {term[skipped:]: score for term, score in own.items() if term[0] != "="}
        self.name = lru_cache(_MAX_REMEMBERED)(self._name)
        self.value = lru_cache(_MAX_REMEMBERED)(self._value)

    def rows(self, values: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the scores of these values, a row for each."""
        return np.array([self.value(value and value[:_MAX_VALUE_CHARS]) for value in values], np.float64)

    def _name(self, name: str) -> float:
        """Return the score of a name: its own, or else the sum of its words' scores."""
        whole = words_in(name)
        score = self.wholes.get(whole)
        return sum(self.words.get(word, 0.0) for word in whole.split("-")) if score is None else score

    def _value(self, value: str | None) -> tuple[float, float, float]:
        """Return the sum of the scores of some names, the highest score or 0, and the lowest score or 0."""
        scores = [self.name(name) for name in (value or "").split()[:_MAX_NAMES]]
        return sum(scores), max((0.0, *scores)), min((0.0, *scores))


class NameScores:
    """The scores of names and tags."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        """Take the scores of terms; those of tags are written `<p>`."""
        self.scores = scores
        self._vocabularies = [_Vocabulary(scores, prefix) for _, prefix in _ATTRIBUTES]

    def table(self, elements: Sequence[HtmlElement], classes: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the scores of the names of M elements, M x 3; those of their classes are known already."""
        said = self._vocabularies[0].rows(classes)
        for (attribute, _), vocabulary in zip(_ATTRIBUTES[1:], self._vocabularies[1:], strict=True):
            values = [element.get(attribute) for element in elements]
            present = [number for number, value in enumerate(values) if value]
            if present:
                added = vocabulary.rows([values[number] for number in present])
                said[present, 0] += added[:, 0]
                said[present, 1] = np.maximum(said[present, 1], added[:, 1])
                said[present, 2] = np.minimum(said[present, 2], added[:, 2])
        return said

    def classes(self, classes: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the sums of the scores in these class attributes."""
        return self._vocabularies[0].rows(classes)[:, 0]

    @cached_property
    def tags(self) -> NDArray[np.float64]:
        """The scores of the tags by their number in the layout."""
        return np.array([0.0, *(self.scores.get(f"<{tag}>", 0.0) for tag in TAGS)])
