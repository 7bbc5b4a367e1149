"""Reads pages with and without a dialog on them: is it the same article, and is any text of the dialog in it?

    python -m benchmarks.consent CORPORA/*.jsonl.xz --combinations 500 --managers node_modules

The dialogs are the markup of twelve consent managers and of boxes that sites make themselves, in ten languages. With
`--managers`, the folder where `npm install klaro vanilla-cookieconsent tarteaucitronjs orejime cookieconsent` has put
them, there are also those that these write into a page in Chromium. A dialog is the first or the last in the page, or
stands between two paragraphs of the article.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from itertools import cycle, islice, product
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract import read_article
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.page.page import Page
from newsextract.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

# The title, two paragraphs, and the labels of two buttons; what a newsletter is offered with.
TEXTS = {
    "en": (
        "Your privacy matters to us",
        ("We and our partners use cookies to store information on your device, to measure our audience and to show "
        "you advertising that fits your interests."),
        ("You may accept all purposes, or choose them one by one. You can withdraw your consent at any time at the "
        "bottom of each page."),
        "Accept all", "More options",
        "Get the most important stories of the day by email every morning. You can unsubscribe at any time.",
    ),
    "de": (
        "Ihre Privatsphäre ist uns wichtig",
        ("Wir und unsere Partner verwenden Cookies, um Informationen auf Ihrem Gerät zu speichern, unsere Reichweite "
        "zu messen und Ihnen passende Werbung zu zeigen."),
        ("Sie können allen Zwecken zustimmen oder sie einzeln auswählen. Ihre Einwilligung können Sie jederzeit am "
        "Ende jeder Seite widerrufen."),
        "Alle akzeptieren", "Einstellungen",
        "Die wichtigsten Meldungen des Tages jeden Morgen per E-Mail. Sie können sich jederzeit wieder abmelden.",
    ),
    "fr": (
        "Le respect de votre vie privée",
        ("Nos partenaires et nous utilisons des cookies pour conserver des informations sur votre appareil, mesurer "
        "notre audience et vous proposer des publicités adaptées."),
        ("Vous pouvez accepter toutes les finalités ou les choisir une à une. Votre consentement peut être retiré à "
        "tout moment au bas de chaque page."),
        "Tout accepter", "Personnaliser",
        "Recevez chaque matin par courriel l'essentiel de l'actualité. Vous pouvez vous désabonner à tout moment.",
    ),
    "es": (
        "Tu privacidad nos importa",
        ("Nosotros y nuestros socios usamos cookies para guardar información en tu dispositivo, medir la audiencia y "
        "mostrarte publicidad que se ajuste a tus intereses."),
        ("Puedes aceptar todas las finalidades o elegirlas una a una. Puedes retirar tu consentimiento en cualquier "
        "momento al pie de cada página."),
        "Aceptar todo", "Más opciones",
        "Recibe cada mañana en tu correo las noticias más importantes. Puedes darte de baja cuando quieras.",
    ),
    "it": (
        "La tua privacy è importante per noi",
        ("Noi e i nostri partner usiamo i cookie per conservare informazioni sul tuo dispositivo, misurare il pubblico "
        "e mostrarti annunci adatti ai tuoi interessi."),
        ("Puoi accettare tutte le finalità oppure sceglierle una per una. Puoi revocare il consenso in ogni momento in "
        "fondo a ogni pagina."),
        "Accetta tutto", "Altre opzioni",
        "Ricevi ogni mattina per posta elettronica le notizie del giorno. Puoi annullare l'iscrizione quando vuoi.",
    ),
    "pt": (
        "A sua privacidade é importante",
        ("Nós e os nossos parceiros usamos cookies para guardar informações no seu dispositivo, medir a audiência e "
        "mostrar publicidade de acordo com os seus interesses."),
        ("Pode aceitar todas as finalidades ou escolhê-las uma a uma. Pode retirar o consentimento a qualquer momento "
        "no fim de cada página."),
        "Aceitar tudo", "Mais opções",
        "Receba todas as manhãs as notícias mais importantes por email. Pode cancelar a qualquer momento.",
    ),
    "nl": (
        "Wij hechten aan uw privacy",
        ("Wij en onze partners gebruiken cookies om gegevens op uw apparaat te bewaren, ons bereik te meten en u "
        "advertenties te tonen die bij u passen."),
        ("U kunt alle doeleinden aanvaarden of ze een voor een kiezen. U kunt uw toestemming altijd onder aan elke "
        "pagina intrekken."),
        "Alles aanvaarden", "Meer keuzes",
        "Ontvang elke ochtend het belangrijkste nieuws per e-mail. U kunt zich op elk moment weer afmelden.",
    ),
    "pl": (
        "Dbamy o Twoją prywatność",
        ("My i nasi partnerzy używamy plików cookie, aby przechowywać informacje na Twoim urządzeniu, mierzyć zasięg i "
        "pokazywać reklamy zgodne z zainteresowaniami."),
        ("Możesz zgodzić się na wszystkie cele albo wybrać je pojedynczo. Zgodę możesz wycofać w każdej chwili na dole "
        "każdej strony."),
        "Zgadzam się", "Więcej opcji",
        "Codziennie rano najważniejsze wiadomości w Twojej skrzynce. Możesz zrezygnować w każdej chwili.",
    ),
    "ru": (
        "Мы заботимся о ваших данных",
        ("Мы и наши партнёры используем файлы cookie, чтобы хранить сведения на вашем устройстве, измерять аудиторию и "
        "показывать подходящую вам рекламу."),
        ("Вы можете согласиться со всеми целями или выбрать их по отдельности. Отозвать согласие можно в любой момент "
        "внизу каждой страницы."),
        "Принять все", "Настройки",
        "Получайте каждое утро главные новости дня на почту. Отписаться можно в любой момент.",
    ),
    "ja": (
        "プライバシーの尊重について",
        "当社とパートナーは、お使いの端末に情報を保存し、閲覧状況を測定し、興味に合った広告を表示するためにクッキーを使用します。",
        "すべての目的に同意することも、一つずつ選ぶこともできます。同意は各ページの下部からいつでも取り消すことができます。",
        "すべて同意する", "詳細設定",
        "その日の重要なニュースを毎朝メールでお届けします。配信はいつでも停止できます。",
    ),
}  # fmt: skip

_ASKED = "<h2>{0}</h2><p>{1}</p><p>{2}</p><div><button>{3}</button><button>{4}</button></div>"
_LOOSE = "<div>{1}<br><br>{2}</div><a href='#' role=button>{3}</a> <a href='#'>{4}</a>"
_OFFERED = "<h3>Newsletter</h3><p>{5}</p><form><input type=email><button>OK</button></form>"
MARKUP = {
    "OneTrust": f"<div id=onetrust-consent-sdk><div id=onetrust-banner-sdk class='otFlat'>{_ASKED}</div></div>",
    "Cookiebot": f"<div id=CybotCookiebotDialog name=CybotCookiebotDialog lang=en>{_ASKED}</div>",
    "Didomi": f"<div id=didomi-host class=didomi-host-rounded><div id=didomi-popup>{_LOOSE}</div></div>",
    "Sourcepoint": f"<div id=sp_message_container_812345><div class=message>{_ASKED}</div></div>",
    "consentmanager": f"<div id=cmpwrapper><div id=cmpbox class='cmpbox cmpstyleroot'>{_LOOSE}</div></div>",
    "Usercentrics": f"<aside id=usercentrics-cmp-ui><div class=cmp-wrapper>{_ASKED}</div></aside>",
    "Quantcast": f"<div class=qc-cmp2-container id=qc-cmp2-container><div class=qc-cmp2-main>{_ASKED}</div></div>",
    "TrustArc": f"<div id=truste-consent-track><div id=truste-consent-content>{_LOOSE}</div></div>",
    "Funding Choices": f"<div class=fc-consent-root><div class=fc-dialog-container>{_ASKED}</div></div>",
    "iubenda": f"<div id=iubenda-cs-banner class=iubenda-cs-bottom><div class=iubenda-cs-content>{_LOOSE}</div></div>",
    "CookieYes": f"<div class='cky-consent-container cky-box-bottom-left'>{_ASKED}</div>",
    "Complianz": f"<div id=cmplz-cookiebanner-container><div class=cmplz-cookiebanner>{_ASKED}</div></div>",
    "own cookie bar": f"<div class='site-cookie-notice'>{_LOOSE}</div>",
    "own dialog": f"<div role=dialog aria-modal=true class=css-1x2y3z><h1>{{0}}</h1>{_LOOSE}</div>",
    "own <dialog>": f"<dialog open>{_ASKED}</dialog>",
    "fixed": f"<div style='position:fixed;bottom:0;z-index:999'>{_LOOSE}</div>",
    "newsletter": f"<div class='newsletter-signup'>{_OFFERED}</div>",
}
"""Ids and classes as the managers write them, and boxes that sites make themselves."""

_VANILLA = """<script src="{folder}/vanilla-cookieconsent/dist/cookieconsent.umd.js"></script><script>
CookieConsent.run({{categories: {{necessary: {{readOnly: true}}, audience: {{}}}},
language: {{default: "x", translations: {{x: {{consentModal:
{{title: "{0}", description: "{1}", acceptAllBtn: "{3}", showPreferencesBtn: "{4}"}},
preferencesModal: {{title: "{0}", sections: [{{title: "{0}", description: "{2}"}}]}}}}}}}}}})</script>"""
_OSANO = """<script src="{folder}/cookieconsent/build/cookieconsent.min.js"></script><script>
window.cookieconsent.initialise({{content: {{message: "{1} {2}", dismiss: "{3}", link: "{4}"}}}})</script>"""
_KLARO = """<script>window.klaroConfig = {{lang: "{language}", mustConsent: {modal}, privacyPolicy: "/p",
purposes: ["audience"], services: [{{name: "matomo", title: "Matomo", purposes: ["audience"]}}],
translations: {{{language}: {{privacyPolicyUrl: "/p", purposes: {{audience: "Matomo"}}}}}}}}</script>
<script src="{folder}/klaro/dist/klaro.js" data-config=klaroConfig></script><script>klaro.show()</script>"""
_TARTEAUCITRON = """<script>var tarteaucitronForceLanguage = "{language}"</script>
<script src="{folder}/tarteaucitronjs/tarteaucitron.js"></script><script>tarteaucitron.init({{privacyUrl: "",
bodyPosition: "bottom", orientation: "middle", cookieName: "t", highPrivacy: true, showAlertSmall: true}});
(tarteaucitron.job = tarteaucitron.job || []).push("gtag")</script>"""
_OREJIME = """<script>window.orejimeConfig = {{privacyPolicyUrl: "/p", forceModal: {modal}, purposes: [
{{id: "a", title: "{0}", description: "{1}", cookies: ["_ga"]}}]}}</script>
<script src="{folder}/orejime/dist/orejime-standard-{language}.js"></script>"""
PACKAGES = {
    "vanilla-cookieconsent": _VANILLA,
    "cookieconsent": _OSANO,
    "klaro": _KLARO,
    "tarteaucitronjs": _TARTEAUCITRON,
    "orejime": _OREJIME,
}
PACKAGE_LANGUAGES = ("en", "de", "fr", "es", "it", "nl")
"""Those of ours that all of them speak."""
PLACES = ("first", "last", "inside")


def rendered(package: str, language: str, folder: Path) -> str:
    """Return what a consent manager writes into an empty page in Chromium."""
    script = PACKAGES[package].format(*TEXTS[language], language=language, folder=folder.as_uri(), modal="false")
    with tempfile.TemporaryDirectory() as place:
        page = Path(place, "page.html")
        page.write_text(f"<!DOCTYPE html><meta charset=utf-8><title>.</title><body>{script}</body>", encoding="utf-8")
        flags = "--headless --no-sandbox --disable-gpu --allow-file-access-from-files --virtual-time-budget=4000"
        command = ["chromium", *flags.split(), f"--user-data-dir={place}/profile", "--dump-dom", page.as_uri()]
        shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    body = re.sub(r"(?s)<script\b.*?</script>", "", shown.partition("<body")[2].partition(">")[2])
    return body.partition("</body>")[0].strip()


def dialogs(managers: Path | None) -> dict[str, str]:
    """Return the dialogs by name and language."""
    found = {f"{name}, {lang}": MARKUP[name].format(*TEXTS[lang]) for lang, name in product(TEXTS, MARKUP)}
    if managers:
        for language, package in product(PACKAGE_LANGUAGES, PACKAGES):
            markup = rendered(package, language, managers)
            if not markup:
                raise SystemExit(f"{package} shows nothing in {language}")
            found[f"npm {package}, {language}"] = markup
    return found


def sentences(markup: str) -> list[str]:
    """Return the texts of a dialog that are long enough to be known again."""
    texts = (" ".join(text.split()) for text in parse(f"<body>{markup}").itertext())
    return [text for text in texts if len(text) >= 15]


def placed(html: str, dialog: str, place: str, gold: str) -> str | None:
    """Return a page with a dialog at a place; `None` if it has no such place."""
    body = re.search(r"<body\b[^>]*>", html, re.IGNORECASE)
    if body is None:
        return None
    at = body.end() if place == "first" else html.lower().rfind("</body")
    if place == "inside":
        lines = gold.split("\n")
        known = html.find(lines[len(lines) // 2].strip()[:30], body.end())
        at = max(html.rfind("<p>", body.end(), known), html.rfind("<p ", body.end(), known)) if known > 0 else -1
    return None if at < 0 else f"{html[:at]}{dialog}{html[at:]}"


def pages(corpora: list[Path], count: int) -> Iterator[GoldPage]:
    """Yield articles with a body and a paragraph to put a dialog before, from each corpus in turn."""
    streams = [read_corpus(corpus) for corpus in corpora]
    taken = 0
    for stream in cycle(streams):
        for page in islice(stream, 7):
            if not isinstance(page, GoldPage) or not page.text or page.page_type not in (None, "article"):
                continue
            html, text = Page(page.html).decoded.text, page.text
            if all(placed(html, "-", place, text) for place in PLACES):
                yield page
                taken += 1
                break
        if taken >= count:
            return


def main() -> None:
    """Read the combinations and print how many articles stayed the same."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--combinations", type=int, default=500)
    parser.add_argument("--managers", type=Path, help="a folder node_modules")
    wanted = parser.parse_args()
    shown = list(dialogs(wanted.managers and wanted.managers.resolve()).items())
    each = 5
    equal, leaks, done = 0, 0, 0
    changed: Counter[str] = Counter()
    for number, page in enumerate(pages(wanted.corpora, -(-wanted.combinations // each))):
        html, url = Page(page.html).decoded.text, page.url or "https://news.example/story"
        plain = read_article(html, url=url)
        for step in range(number * each, min((number + 1) * each, wanted.combinations)):
            name, markup = shown[step * 37 % len(shown)]
            place = PLACES[step % len(PLACES)]
            covered = read_article(placed(html, markup, place, page.text or "") or "", url=url)
            seen = f"{covered.headline}\n{covered.articleBody}\n{covered.authors}"
            was = f"{plain.headline}\n{plain.articleBody}\n{plain.authors}"
            is_leak = any(text in seen and text not in was for text in sentences(markup))
            is_equal = covered.articleBody == plain.articleBody
            equal, leaks, done = equal + is_equal, leaks + is_leak, done + 1
            if is_leak or not is_equal:
                changed[name.partition(",")[0]] += 1
                print(f"{page.corpus} {page.id}: {name}, {place}: {'text of the dialog' if is_leak else 'other body'}")
    print(f"{done} combinations: body equal in {equal / done:.3f}, text of the dialog in {leaks}")
    print("changed by dialog:", dict(changed.most_common()))


if __name__ == "__main__":
    main()
