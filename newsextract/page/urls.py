"""URLs: cleaned, compared, taken apart, and the words in their paths."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from posixpath import splitext
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from w3lib.url import safe_url_string

from newsextract.page.text import unmarked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tldextract import TLDExtract


# Words in paths that tell listings and service pages from articles, in the languages of the press.
#
# They are compared with whole path segments, and with the first word of short ones, without case and accents.
# A word that names a section of news (`world`, `politics`) needs no place here: alone it is a short path.


def without_accents(text: str) -> str:
    """Return the text in lower case, without accents.

    >>> without_accents("Catégorie")
    'categorie'
    """
    return unicodedata.normalize("NFC", unmarked(unicodedata.normalize("NFKD", text.lower())))


def _gather(by_language: dict[str, str]) -> frozenset[str]:
    return frozenset(map(without_accents, " ".join(by_language.values()).split()))


LISTING_WORDS = _gather(
    {
        "English": """
            archive archives archiv people calendar topic topics category categories section sections series hub index
            latest trending popular most-read all page pages collection collections gallery galleries photos videos
            podcasts newsletters events tv-guide weather horoscopes
            """,
        "French": """
            categorie categories rubrique rubriques theme themes thematique dossier dossiers sujet sujets plan-du-site
            plus-lus en-continu meteo horoscope
            """,
        "German": "thema themen kategorie kategorien rubrik ressort wetter",
        "Spanish, Portuguese, Italian": """
            categoria categorias seccion secciones tema temas ultimas assunto assuntos editoria argomenti argomento
            sezione
            """,
        "Dutch, Nordic, Polish, Czech, Turkish": """
            onderwerp onderwerpen emne emner amne amnen kategori avainsanat kategoria kategoriler
            """,
        "Russian, Greek, Arabic": "rubrika rubriki рубрика κατηγορια تصنيف",
        "Chinese, Japanese, Korean": "zhuanti list lists lanmu 专题 分类 カテゴリー 카테고리",
    }
)
"""Listings, under which some sites keep their articles too."""

ENDLESS_WORDS = _gather(
    {
        "English": """
            tag tags author authors profile profiles contributor contributors by writers columnists keyword keywords
            label labels search find results feed feeds rss atom sitemap
            """,
        "French": "auteur auteurs mot-cle mots-cles recherche",
        "German": "schlagwort schlagworte autor autoren suche",
        "Spanish, Portuguese, Italian": """
            etiqueta etiquetas autores buscar buscador busca busqueda autore autori cerca ricerca firma firmas
            """,
        "Dutch, Nordic, Polish, Czech, Turkish": """
            zoeken sok haku tagi autorzy szukaj stitek hledat etiket etiketler yazar yazarlar arama
            """,
        "Russian, Greek, Arabic": "teg tegi avtor avtory poisk метка тег теги автор поиск ετικετα وسم كاتب",
        "Chinese, Japanese, Korean": "标签 搜索 タグ 検索 태그 검색",
    }
)
"""Listings by tag, author or question: a site has thousands of them, with nothing new in them."""

HOUSE_WORDS = _gather(
    {
        "English": """
            login signin sign-in signup sign-up register registration logout account myaccount my-account user users
            member members subscribe subscription subscriptions subscriber newsletter donate membership about about-us
            aboutus contact contact-us contactus privacy privacy-policy cookie cookies cookie-policy terms terms-of-use
            terms-of-service terms-and-conditions conditions legal imprint advertise advertising advertisers careers
            jobs help faq faqs support shop store cart checkout basket app apps accessibility corrections ethics
            masthead staff team press-office sponsors widgets print share email-alerts preferences settings password
            """,
        "French": """
            connexion inscription abonnement abonnements abonnes compte mon-compte a-propos qui-sommes-nous
            contactez-nous mentions-legales confidentialite politique-de-confidentialite cgu cgv charte aide boutique
            publicite emploi
            """,
        "German": """
            anmelden anmeldung registrieren konto abo abonnement impressum datenschutz datenschutzerklaerung kontakt agb
            ueber-uns hilfe werbung mediadaten stellenangebote karriere nutzungsbedingungen
            """,
        "Spanish, Portuguese, Italian": """
            iniciar-sesion registro suscripcion suscripciones suscribete quienes-somos contacto aviso-legal privacidad
            politica-de-privacidad publicidad ayuda tienda entrar cadastro assine assinatura quem-somos contato
            contactos fale-conosco privacidade termos-de-uso anuncie accedi registrati abbonati abbonamenti chi-siamo
            contatti note-legali pubblicita lavora-con-noi
            """,
        "Dutch, Nordic, Polish, Czech, Turkish": """
            inloggen abonneren over-ons voorwaarden adverteren logg-inn om-oss kontakta-oss logga-in prenumerera
            tietosuoja yhteystiedot zaloguj rejestracja prenumerata o-nas regulamin polityka-prywatnosci reklama
            prihlaseni predplatne kunye iletisim gizlilik hakkimizda giris
            """,
        "Russian, Arabic, Chinese, Japanese, Korean": """
            vhod registratsiya kontakty o-nas реклама контакты вход اتصل-بنا من-نحن aboutme guanyu 关于我们 联系我们
            登录 お問い合わせ 会社概要 로그인 회사소개
            """,
    }
)
"""Pages about the publisher, its shop and its readers' accounts."""

ARTICLE_WORDS = _gather(
    {
        "every language": """
            article articles story stories post posts artikel articulo noticia noticias artigo articolo statya a novosti
            haber makale wiadomosc artykul clanek
            """,
    }
)
"""Folders of articles; the plural ones are listings themselves when they come last."""


# The parts of a URL that tell what kind of page it leads to.

Kind: TypeAlias = Literal["article", "listing", "house", "endless"]

_WORDS: dict[Kind, frozenset[str]] = {
    "article": ARTICLE_WORDS,
    "listing": LISTING_WORDS,
    "house": HOUSE_WORDS,
    "endless": ENDLESS_WORDS,
}

CHARS_PER_WORD = 2
"""In scripts without spaces (Chinese, Japanese, Thai), about this many characters make a word."""

MAX_LABEL_WORDS = 3
"""A segment of more words is a headline, where a word such as `jobs` or `people` tells nothing."""

_MONTH = r"(?:0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE = re.compile(
    rf"(?<!\d)(?:19|20)\d\d[/._-]{_MONTH}(?=[/._-]|$)|(?<!\d)20\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{5,}")
_HEX_ID = re.compile(r"(?<![a-z0-9])(?=[a-f-]*\d)[0-9a-f]{8,}(?:-[0-9a-f]{4,})*(?![a-z0-9])", re.IGNORECASE)
# `p` is a page up to three digits, beyond that WordPress means a post by it.
_PAGED = re.compile(r"(?:^|[/&])(?:(?:page|pagina|pag|seite|paged|start|offset)[=/-]?\d{1,4}|p[=/-]?\d{1,3})(?=[/&]|$)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_DOCUMENT_EXTENSIONS = frozenset({".html", ".htm", ".shtml", ".cms", ".phtml", ".xhtml", ".aspx", ".ece", ".story"})
_EXTENSIONS = _DOCUMENT_EXTENSIONS | {".php", ".asp", ".jsp", ".do"}
_FOLDER_PAGES = frozenset({"index", "default", "home"})


@dataclass(frozen=True, slots=True)
class Address:
    """What a URL tells about its page."""

    segments: tuple[str, ...]
    """The parts of the path, decoded, lower-cased, without accents and extension."""

    is_document: bool
    """Whether the path ends like a file rather than a folder."""

    path: str
    query: str

    @property
    def slug_words(self) -> int:
        """Words in the longest of the last two segments, as the last may be only a number."""
        return max(map(count_words, self.segments[-2:]), default=0)

    @property
    def has_date(self) -> bool:
        """Whether a year and a month, or a whole date, are in the path."""
        return bool(_DATE.search(self.path))

    @property
    def has_id(self) -> bool:
        """Whether the end of the path or the query has a number or identifier as a database gives them."""
        last = self.segments[-1] if self.segments else ""
        values = (pair.partition("=")[2] for pair in self.query.split("&"))
        return any(_NUMBER.search(text) or _HEX_ID.search(text) for text in (last, *values))

    @property
    def has_query(self) -> bool:
        """Whether there is a query."""
        return bool(self.query)

    @property
    def is_paged(self) -> bool:
        """Whether it is the second page or a later one."""
        return bool(_PAGED.search(self.path.lower()) or _PAGED.search(self.query.lower()))

    def names(self, kind: Kind) -> bool:
        """Return whether a segment, or a word of a short one, names that kind of page."""
        words = _WORDS[kind]
        return any(segment in words or _first_of_label(segment) in words for segment in self.segments)

    def is_below(self, kind: Kind) -> bool:
        """Return whether the page stands in a folder named for that kind."""
        return not _WORDS[kind].isdisjoint(self.segments[:-1])


@lru_cache(maxsize=4096)  # asked for each kind of page
def _first_of_label(segment: str) -> str | None:
    """Return the first word of a segment of a few words, else `None`."""
    parts = list(filter(None, re.split(r"[-_+ ]", segment)))
    return parts[0] if 1 < len(parts) <= MAX_LABEL_WORDS else None


def split_url(url: str) -> SplitResult:
    """Return the parts of an address; all are empty where it cannot be parsed.

    >>> split_url("https://example.com/a").path, split_url("http://[::1/%zz").path
    ('/a', '')
    """
    try:
        return urlsplit(url)
    except ValueError:  # brackets that are no IPv6 address, letters that look like the marks of an address
        return _NO_PARTS


_NO_PARTS = urlsplit("")


@lru_cache(maxsize=4096)  # a candidate is judged several times: as a link, when sorted, when filtered
def read_address(url: str) -> Address:
    """Return the parts of a URL; one that cannot be parsed looks like a home page.

    >>> read_address("https://example.com/D%C3%A9bats/Une-id%C3%A9e.html").segments
    ('debats', 'une-idee')
    """
    parts = split_url(url)
    stem, extension = splitext(parts.path)
    path = stem if extension.lower() in _EXTENSIONS else parts.path
    segments = [without_accents(unquote(segment)) for segment in path.split("/") if segment]
    is_folder_page = bool(segments) and segments[-1] in _FOLDER_PAGES
    is_document = extension.lower() in _DOCUMENT_EXTENSIONS and not is_folder_page
    return Address(tuple(segments[:-1] if is_folder_page else segments), is_document, path, parts.query)


@lru_cache(maxsize=4096)  # asked for several signs
def count_words(segment: str) -> int:
    """Return the number of words in a path segment, numbers aside.

    >>> count_words("n600344-floods-close-pass"), count_words("東京で大雨の恐れ")
    (3, 4)
    """
    unspaced = len(_UNSPACED.findall(segment))
    words = [word for word in re.split(r"[-_+ .,~]+", segment) if word and not any(map(str.isdigit, word))]
    return unspaced // CHARS_PER_WORD if unspaced else len(words)


def title_units(text: str) -> int:
    """Return the length of a link's text in words; in scripts without spaces, two characters are a word.

    >>> title_units("Floods close three Alpine passes"), title_units("洪水封锁阿尔卑斯山三处山口")
    (5, 6)
    """
    unspaced = len(_UNSPACED.findall(text))
    return unspaced // CHARS_PER_WORD + len(_UNSPACED.sub("", text).split())


# Normalise URLs: which page a link means, and which site it belongs to.
#
# `clean_url` changes only what cannot change the page that is fetched. Links come from the wild: whatever it is
# given, it answers or returns None.

MAX_URL_CHARS = 4096
"""Longer URLs, in characters, are traps; sitemaps allow 2,048, and percent-encoding inflates them."""

RECENT_URLS = 2_000
"""URLs whose clean form is cached: each is asked for a dozen times while its page is read and stored."""

_DEFAULT_PORTS = {"http": 80, "https": 443}

_EXTENSIONS_BY_KIND = {
    "pictures": "jpg jpeg jpe png gif webp avif svg bmp tif tiff ico heic psd eps",
    "sound": "mp3 m4a ogg oga opus wav flac aac wma m3u m3u8",
    "film": "mp4 m4v webm ogv mov avi wmv flv mkv mpg mpeg 3gp swf",
    "documents": "pdf ps doc docx odt rtf xls xlsx ods csv ppt pptx pps ppsx odp epub mobi djvu",
    "archives and programs": "zip rar 7z gz tgz bz2 xz tar iso dmg exe msi apk ipa deb rpm jar bin torrent",
    "parts of pages, calendars": "css js mjs map wasm woff woff2 ttf otf eot ics vcf",
}

_BINARY_EXTENSIONS = frozenset(" ".join(_EXTENSIONS_BY_KIND.values()).split())

_TRACKING_BY: dict[str, str] = {
    "Google Analytics and Ads": r"utm_.+|gclid|gclsrc|dclid|gbraid|wbraid|_ga|_gl|srsltid",
    "Facebook and Instagram": r"fbclid|fb_action_ids|fb_action_types|fb_source|fb_ref|igshid|igsh",
    "other social networks": r"twclid|ttclid|li_fat_id|__twitter_impression|ref_src|ref_url|epik|rdt_cid",
    "Microsoft and Yandex advertising": r"msclkid|yclid|ymclid|_openstat",
    "AT Internet (Piano), all over the French press": r"xtor|xtref|xtatc|xts|at_.+",
    "Matomo": r"pk_.+|mtm_.+|piwik_.+|matomo_.+",
    "Mailchimp": r"mc_cid|mc_eid",
    "HubSpot": r"_hsenc|_hsmi|hsctatracking",
    "Marketo, Vero, Omeda": r"mkt_tok|vero_id|vero_conv|oly_anon_id|oly_enc_id",
    "Webtrends and Mapp": r"wt_mc|wt_zmc|wt\.mc_id|wt\.mc_ev",
    "Adobe Analytics": r"s_cid|s_kwcid|ef_id",
    "comScore, as the BBC uses it": r"ns_mchannel|ns_source|ns_campaign|ns_linkname|ns_fee",
    "campaign names of single publishers": r"smid|smtyp|ftag|cmpid|icid|ocid|ncid|guccounter|guce_.+",
    "Alibaba, all over the Chinese press": r"spm|scm",
}
"""The tools that add tracking parameters, and a pattern that matches the parameters' full names."""

_TRACKING = re.compile("|".join(_TRACKING_BY.values()), re.IGNORECASE)


def clean_url(url: str, base: str | None = None) -> str | None:
    """Return the absolute http(s) URL without fragment and tracking, or `None` if it is not one.

    >>> clean_url("HTTP://Example.com:80/a?b=2&utm_source=x&a=1#top")
    'http://example.com/a?b=2&a=1'
    >>> clean_url("../two.html", "https://example.com/news/one.html")
    'https://example.com/two.html'
    >>> clean_url("mailto:desk@example.com") is None
    True
    """
    if len(url) > MAX_URL_CHARS or "\0" in url:
        return None
    return _clean(str(url), base)  # a string from an XPath keeps its whole tree alive


@lru_cache(maxsize=RECENT_URLS)
def _clean(url: str, base: str | None) -> str | None:
    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        return _normal(urlsplit(safe_url_string(joined)))
    except ValueError:  # brackets without an IPv6 address, a port above 65535, a host that IDNA refuses
        return None


def _normal(parts: SplitResult) -> str | None:
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or _has_odd_host(parts.hostname):
        return None
    userinfo, at, _ = parts.netloc.rpartition("@")
    netloc = f"{userinfo}{at}{_host_and_port(parts)}"
    return parts._replace(netloc=netloc, path=parts.path or "/", query=drop_tracking(parts.query), fragment="").geturl()


def _has_odd_host(host: str) -> bool:
    # Hosts that no resolver would look up: unfilled templates (`http://{{host}}/`), spaces, empty labels.
    return any(char in host for char in " %{}<>\"'\\^`|$,;()*!+=") or ".." in host or host.strip(".") == ""


def _host_and_port(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    has_own_port = parts.port is not None and parts.port != _DEFAULT_PORTS.get(parts.scheme)
    return f"{host}:{parts.port}" if has_own_port else host


def url_key(url: str) -> str:
    """Return a key that all spellings of one URL share: for comparing, not for fetching.

    >>> url_key("http://www.example.com/a/?b=2&a=1") == url_key("https://example.com/a?a=1&b=2")
    True
    """
    parts = urlsplit(clean_url(url) or "")
    query = "&".join(sorted(filter(None, parts.query.split("&"))))
    return f"{_site(parts)}{parts.path.rstrip('/')}?{query}".rstrip("?")


def site_of(url: str) -> str:
    """Return the site's name: the host without `www.`, with its port if that is not the default.

    >>> site_of("https://www.lemonde.fr/international/"), site_of("http://127.0.0.1:8000/")
    ('lemonde.fr', '127.0.0.1:8000')
    """
    return _site(urlsplit(clean_url(url) or ""))


def _site(parts: SplitResult) -> str:
    return _host_and_port(parts).removeprefix("www.")


def is_binary_url(url: str) -> bool:
    """Return whether the extension names something other than a page.

    >>> is_binary_url("https://example.com/report.PDF?page=2"), is_binary_url("https://example.com/a.html")
    (True, False)
    """
    return splitext(split_url(url).path)[1].lower().removeprefix(".") in _BINARY_EXTENSIONS


def unique_urls(urls: Iterable[str | None]) -> list[str]:
    """Return the URLs in order, without duplicates and broken ones (`None`).

    >>> unique_urls(["https://a.org/", None, "https://b.org/", "https://a.org/"])
    ['https://a.org/', 'https://b.org/']
    """
    return list(dict.fromkeys(filter(None, urls)))


def drop_tracking(query: str) -> str:
    """Return the query without its tracking parameters; everything else stays in place.

    >>> drop_tracking("id=7&utm_source=x&b=%2f")
    'id=7&b=%2f'
    """
    kept = [pair for pair in query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    return "&".join(kept)


# Who a host belongs to: its registrable domain by the public suffix list, in the copy that tldextract brings.
#
# Hosts below a suffix of the list's private part, such as `github.io`, belong to different people. Nothing is fetched.

RECENT_HOSTS = 4_000
"""Hosts whose domain is remembered: those of the sites of a run, and of what their pages name."""


def same_owner(one: str, other: str) -> bool:
    """Return whether two URLs are on hosts of one registrable domain, at the same port.

    >>> same_owner("https://m.example.co.uk/a", "http://www.example.co.uk/b")
    True
    >>> same_owner("https://anna.github.io/", "https://ben.github.io/")
    False
    """
    here, there = site_of(one), site_of(other)
    return bool(here) and (here == there or registrable_domain(here) == registrable_domain(there))


def is_on_site(url: str, site: str) -> bool:
    """Return whether the URL is on that site or on one of its subdomains, at the same port.

    A public suffix has no subdomains of its own: `anna.github.io` is another site than `github.io`.

    >>> is_on_site("https://sport.example.com/a", "example.com")
    True
    >>> is_on_site("https://notexample.com/", "example.com"), is_on_site("https://anna.github.io/", "github.io")
    (False, False)
    """
    found, wanted = site_of(url), site.lower().removeprefix("www.")
    for port in (":80", ":443"):
        wanted = wanted.removesuffix(port)
    if not wanted or found == wanted:
        return bool(wanted)
    return found.endswith(f".{wanted}") and not is_public_suffix(wanted)


@lru_cache(maxsize=RECENT_HOSTS)
def registrable_domain(site: str) -> str:
    """Return the registrable domain of a site that `site_of` names, with its port; the site itself if it has none.

    A top-level domain that the list does not know has no public suffixes but itself, as the list prescribes.

    >>> registrable_domain("sport.example.com:81"), registrable_domain("127.0.0.1:81"), registrable_domain("github.io")
    ('example.com:81', '127.0.0.1:81', 'github.io')
    >>> registrable_domain("a.b.example")
    'b.example'
    """
    host, port = _parts_of_site(site)
    labels = host.split(".")
    if len(labels) == 1 or ":" in host or _is_number(labels[-1]):
        return site
    found = _public_suffixes().extract_str(host)
    domain = f"{found.domain}.{found.suffix}" if found.suffix else ".".join(labels[-2:])
    return f"{domain}{port}" if found.domain else site


@lru_cache(maxsize=RECENT_HOSTS)
def is_public_suffix(site: str) -> bool:
    """Return whether the list has a host as a suffix below which everybody can have a domain.

    >>> is_public_suffix("github.io"), is_public_suffix("example.com"), is_public_suffix("localhost:80")
    (True, False, False)
    """
    found = _public_suffixes().extract_str(_parts_of_site(site)[0])
    return bool(found.suffix) and not found.domain


def _parts_of_site(site: str) -> tuple[str, str]:
    parts = urlsplit(f"//{site}")
    return (parts.hostname or "").rstrip("."), f":{parts.port}" if parts.port else ""


def _is_number(label: str) -> bool:
    # What ends in a number is an IPv4 address in one of its spellings, such as 127.1.
    return label.isdecimal() or label.startswith("0x")


@cache
def _public_suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - slow to import, and rarely needed outside a crawl

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


_PASSWORD = re.compile(r"(://[^\s:@/]*:)\S*@")
_QUERY = re.compile(r"(://[^\s?]*\?)[^\s'\"]+")


def without_passwords(text: str) -> str:
    """Return a text with the passwords of its URLs hidden, and their queries, which may have some too.

    >>> without_passwords("'postgres://reader:s/e@cret@host/news?password=secret' is no URL")
    "'postgres://reader:***@host/news?***' is no URL"
    """
    return _QUERY.sub(r"\1***", _PASSWORD.sub(r"\1***@", text))


# The page numbers in the URLs of one article's pages: `/2`, `/seite-2`, `-2.html`, `_2.html` or `?page=2`.

_NAMES = "pagewanted|page|pagina|página|paged|pag|pg|seite|sida|side|strana|strona|stranica|sayfa|teil|part|p|s"
_PARAMETER = re.compile(rf"(?:{_NAMES}|pn|teil|artpage|articlepage|page_no|pageno)=(\d{{1,3}})", re.IGNORECASE)
_MARKER = re.compile(rf"(?P<separator>[/_,.-])(?P<word>(?:{_NAMES})[/_=-]?)?(?P<number>\d{{1,3}})", re.IGNORECASE)
_LAST_MARKER = re.compile(_MARKER.pattern + "$", re.IGNORECASE)
_FIRST_MARKER = re.compile(rf"(?:[/_,.-](?:{_NAMES})[/_=-]?|[_,.-])0*1$", re.IGNORECASE)
"""The marker of a first page; not a bare `/1`, which numbers articles."""

_LONG_NUMBER = re.compile(r"\d{5,}$")


def is_numbered(url: str) -> bool:
    """Return whether the URL ends like that of a second or later page.

    >>> is_numbered("https://a.org/story_2.html"), is_numbered("https://a.org/story?page=3"), is_numbered("https://a.org/story")
    (True, True, False)
    """
    parts = split_url(url)
    marker = _LAST_MARKER.search(splitext(parts.path.rstrip("/"))[0])
    number = int(marker["number"]) if marker else _split_query(parts.query)[1]
    return (number or 0) > 1


def page_number(url: str, first: str) -> int | None:
    """Return the page number that a URL has in the article that begins at `first`, or `None` if it has none there.

    >>> page_number("https://a.org/story/2", "https://a.org/story/"), page_number("https://a.org/b-2", "https://a.org/b")
    (2, None)
    >>> page_number("https://a.org/b_2.html", "https://a.org/b.html"), page_number("https://a.org/b?page=3", "https://a.org/b")
    (2, 3)
    """
    here, start = split_url(url), split_url(first)
    if site_of(url) != site_of(first):
        return None
    (query, by_query), (first_query, begins) = _split_query(here.query), _split_query(start.query)
    # A `first` with another number is a later page, or not an article's page: `?p=1234` is the URL of a post.
    if query != first_query or begins not in {None, 0, 1}:
        return None
    if here.path.rstrip("/") == start.path.rstrip("/") and by_query is not None:
        return by_query
    return _number_in_path(here.path.rstrip("/"), start.path.rstrip("/")) if by_query is None else None


def _split_query(query: str) -> tuple[tuple[str, ...], int | None]:
    pairs = [pair for pair in query.split("&") if pair]
    numbers = [int(match[1]) for pair in pairs if (match := _PARAMETER.fullmatch(pair))]
    others = tuple(sorted(pair for pair in pairs if not _PARAMETER.fullmatch(pair)))
    return others, numbers[0] if numbers else None


def _number_in_path(path: str, first: str) -> int | None:
    for stem, extension in dict.fromkeys(((first, ""), splitext(first))):
        if not path.endswith(extension):
            continue
        bare = path.removesuffix(extension)
        for start in dict.fromkeys((stem, _FIRST_MARKER.sub("", stem))):
            marker = _MARKER.fullmatch(bare.removeprefix(start)) if start and bare.startswith(start) else None
            if marker and (marker["word"] or marker["separator"] == "/" or extension or _LONG_NUMBER.search(start)):
                # Without any of these, `story-2` is another story with the same title, as blogs number them.
                return int(marker["number"])
    return None
