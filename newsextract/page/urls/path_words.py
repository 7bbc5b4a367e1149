"""Words in paths that tell listings and service pages from articles, in the languages of the press.

They are compared with whole path segments, and with the first word of short ones, without case and accents.
A word that names a section of news (`world`, `politics`) needs no place here: alone it is a short path.
"""

from __future__ import annotations

import unicodedata

from newsextract.page.text_forms import unmarked


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
