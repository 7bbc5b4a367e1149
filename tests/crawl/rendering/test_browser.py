"""What a real Chromium makes of pages that need it, and what it is refused."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.outcome import NotAPage, NotSent, RenderFailed
from newsextract.crawl.rendering.rendered_page import PageWanted
from newsextract.reading.reader import read_article
from tests.crawl.rendering.rig import ARTICLE, NEEDS_BROWSER, Rig
from tests.crawl.rendering.web import STORY, app_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = NEEDS_BROWSER

PAGES: dict[str, str | tuple[str, str]] = {
    "/scroll": f"""<title>t</title>{ARTICLE}<div id="more"></div><script>
        const add = text => more.insertAdjacentHTML('beforeend', text);
        new IntersectionObserver(() => fetch('/more').then(r => r.text()).then(add)).observe(more)</script>""",
    "/more": "<p style='height: 3000px'>more</p>",
    "/overlay": f"""<title>t</title><body style="overflow: hidden">{ARTICLE}
        <div role="dialog" style="position: fixed; inset: 0; background: white">We value your privacy and our partners
        do too.<button onclick="fetch('/clicked')">Accept all</button></div>""",
    "/worker": f"""<title>t</title>{ARTICLE}<p id="told"></p><script>
        navigator.serviceWorker.register('/sw.js').then(() => told.textContent = 'registered')
        </script>""",
    "/sw.js": ("text/javascript", "self.addEventListener('fetch', e => e.respondWith(new Response('taken over')))"),
    "/restless": f"""<title>t</title>{ARTICLE}<p id="clock"></p><script>setInterval(() => fetch('/tick'), 100);
        fetch('/never'); setInterval(() => clock.textContent += 'tick ', 100)</script><img src="/never">""",
    "/patient": f"<title>t</title>{ARTICLE}<script>fetch('/never')</script>",
    "/tick": "tick",
    "/never": "never",
    "/hang": f"<title>t</title>{ARTICLE}<script>for (;;) {{}}</script>",
    "/images": f"""<title>t</title>{ARTICLE}<img src="/a.png"><video src="/a.mp4"></video>
        <style>@font-face {{ font-family: a; src: url(/a.woff2) }} p {{ font-family: a }}</style>""",
    "/file": ("application/pdf", "%PDF-1.4"),
    "/cookie": "<title>t</title><p id=a></p><script>fetch('/api/story')</script><p>Read this.",
    "/peek": f"<title>t</title>{ARTICLE}<p id=a></p><script>a.textContent = 'cookies: ' + document.cookie</script>",
    "/many": f"<title>t</title>{ARTICLE}<script>for (let n = 0; n < 500; n++) fetch('/many/' + n)</script>",
    "/popup": f"<title>t</title>{ARTICLE}<script>window.open('/opened'); alert('Hello'); location.hash = 'a'</script>",
    "/overridden": f"""<title>t</title>{ARTICLE}<script>
        Object.defineProperty(HTMLElement.prototype, 'innerText', {{get: () => ({{length: 'many'}})}})</script>""",
    "/components": f"""<title>t</title><the-story></the-story><script>
        customElements.define('the-story', class extends HTMLElement {{
        connectedCallback() {{ this.attachShadow({{mode: 'open'}}).innerHTML = `{ARTICLE}` }} }})</script>""",
    **app_pages(),
}


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    found = Rig(PAGES)
    yield found
    found.close()


@pytest.mark.parametrize("app", ["preact", "vue"])
def test_reads_what_frameworks_build(rig: Rig, app: str) -> None:
    page = rig.render(f"/{app}")
    article = read_article(page.html, page.url)
    assert article.headline == STORY["headline"]
    assert " ".join(STORY["paragraphs"]) in " ".join((article.articleBody or "").split())


def test_reads_what_web_components_show(rig: Rig) -> None:
    assert rig.body("/components").startswith(STORY["paragraphs"][0])


def test_scrolls_nothing(rig: Rig) -> None:
    assert rig.body("/scroll").startswith(STORY["paragraphs"][0])
    assert rig.web.seen.count("/more") <= 2


def test_ignores_what_covers_the_text_and_clicks_nothing(rig: Rig) -> None:
    assert rig.body("/overlay").split() == " ".join(STORY["paragraphs"]).split()
    assert "/clicked" not in rig.web.seen


def test_runs_no_service_worker(rig: Rig) -> None:
    assert "taken over" not in rig.render("/worker").html
    assert "/sw.js" not in rig.web.seen


def test_reads_a_page_that_never_settles_at_its_limit(rig: Rig) -> None:
    assert STORY["paragraphs"][0] in rig.render("/restless").html


def test_reads_a_page_that_overrides_what_it_is_measured_by(rig: Rig) -> None:
    assert STORY["paragraphs"][0] in rig.render("/overridden").html


def test_closes_a_page_that_hangs_and_goes_on(rig: Rig) -> None:
    with pytest.raises(RenderFailed, match="too slow in the browser"):
        rig.render("/hang")
    assert str(STORY["headline"]) in rig.render("/preact").html


def test_loads_no_images_media_and_fonts(rig: Rig) -> None:
    rig.render("/images")
    assert not {"/a.png", "/a.mp4", "/a.woff2"} & set(rig.web.seen)


def test_leaves_files_to_the_downloader(rig: Rig) -> None:
    with pytest.raises(NotAPage):
        rig.render("/file")


def test_closes_popups_and_dialogs(rig: Rig) -> None:
    assert STORY["paragraphs"][0] in rig.render("/popup").html


def test_sends_cookies_to_the_host_of_the_page_and_forgets_them(rig: Rig) -> None:
    rig.render("/cookie", cookies={"session": "mine"})
    assert rig.web.cookies["/api/story"] == "session=mine"
    rig.render("/cookie")
    assert rig.web.cookies["/api/story"] == ""


def test_scripts_see_no_cookie_of_a_subscription(rig: Rig) -> None:
    page = rig.render("/peek", cookies={"session": "mine"})
    assert "cookies: " in page.html
    assert "mine" not in page.html


def test_a_page_makes_a_few_hundred_requests_at_most(rig: Rig) -> None:
    from newsextract.crawl.rendering.browser import MAX_REQUESTS

    assert STORY["paragraphs"][0] in rig.render("/many").html
    assert 0 < sum(path.startswith("/many/") for path in rig.web.seen) <= MAX_REQUESTS


def test_asks_for_nothing_that_robots_txt_forbids(rig: Rig) -> None:
    before = len(rig.web.seen)
    rig.render("/preact", allows=lambda url: "/api/" not in url)
    assert "/api/story" not in rig.web.seen[before:]
    assert rig.browser.forbidden == 1


def test_follows_no_redirect_to_a_private_address(rig: Rig) -> None:
    rig.web.pages["/moved"] = f"{rig.trap.home}/secret"
    with pytest.raises(RenderFailed, match="private address"):
        rig.render("/moved")
    assert rig.trap.seen == []


def test_believes_no_refusal_but_those_of_its_own_proxy(rig: Rig) -> None:
    rig.web.pages["/lie"] = ("text/html\r\nX-Proxy-Refusal: \x1b[2Jgone", f"<title>t</title>{ARTICLE}")
    assert rig.body("/lie").startswith(STORY["paragraphs"][0])


def test_what_a_page_throws_is_no_code_for_a_terminal(rig: Rig) -> None:
    thrower = "Object.defineProperty(document, 'documentElement', {get() { throw Error('\\x1b[2J') }})"
    rig.web.pages["/thrower"] = f"<title>t</title>{ARTICLE}<script>{thrower}</script>"
    with pytest.raises(RenderFailed) as failure:
        rig.render("/thrower")
    assert "\x1b" not in str(failure.value)


def test_follows_no_name_that_points_elsewhere_a_moment_later(rig: Rig) -> None:
    rig.names["rebinding.example"] = ["127.0.0.1", "127.0.0.2"]
    rig.web.pages["/rebind"] = f"<title>t</title>{ARTICLE}<script>fetch('/secret').catch(() => 0)</script>"
    page = rig.render(f"http://rebinding.example:{rig.web.server_port}/rebind")
    assert STORY["paragraphs"][0] in page.html
    assert rig.trap.seen == []
    assert rig.proxy.refused["rebinding.example"] > 0


def kill(argument: str) -> None:
    """Kill the process that was started with an argument, and its group, which are those that it has started."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if argument.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                os.killpg(int(folder.name), signal.SIGKILL)


def kill_driver() -> None:
    """Kill the driver that this process has started."""
    children = (
        child for each in Path("/proc/self/task").iterdir() for child in (each / "children").read_text().split()
    )
    drivers = [child for child in children if b"run-driver" in Path(f"/proc/{child}/cmdline").read_bytes()]
    os.kill(int(drivers[0]), signal.SIGKILL)


def test_tells_a_crash_and_starts_again(rig: Rig) -> None:
    started = max(rig.browser.started, 1)

    async def crash() -> None:
        await rig.browser.version()  # it runs
        wanted = PageWanted(f"{rig.web.home}/restless")
        rendering = asyncio.ensure_future(rig.browser.render(wanted))
        await asyncio.sleep(1)
        kill(f"--proxy-server={rig.browser._server}")
        assert str(STORY["paragraphs"][0]) in (await rendering).html  # once more, in the next browser

    rig.runner.run(crash())
    assert str(STORY["headline"]) in rig.render("/vue").html
    assert (rig.browser.started, rig.browser.crashes) == (started + 1, 1)


def test_a_driver_that_dies_is_started_again_with_its_browser_and_the_pages_in_it(rig: Rig) -> None:
    async def render_and_kill() -> None:
        await rig.browser.version()
        kill_driver()  # between two pages
        assert STORY["paragraphs"][0] in (await rig.browser.render(PageWanted(f"{rig.web.home}/vue"))).html
        pages = [rig.browser.render(PageWanted(f"{rig.web.home}{path}")) for path in ("/patient", "/vue", "/preact")]
        rendering = asyncio.gather(*pages)
        while "/patient" not in rig.web.seen:  # noqa: ASYNC110 - the web runs in another thread
            await asyncio.sleep(0.1)
        kill_driver()
        assert all(STORY["paragraphs"][0] in page.html for page in await rendering)

    rig.runner.run(render_and_kill())


def test_a_page_that_always_kills_the_browser_is_told_from_those_beside_it(rig: Rig) -> None:
    hostile = rig.new_browser()

    async def killing(wanted: PageWanted) -> str:
        killer = asyncio.ensure_future(kill_again())
        try:
            return (await hostile.render(wanted)).html
        finally:
            killer.cancel()

    async def kill_again() -> None:
        while True:
            await asyncio.sleep(0.1)
            if "/hang" in rig.web.seen:
                rig.web.seen.remove("/hang")
                kill(f"--proxy-server={hostile._server}")

    async def both() -> str:
        bad, good = await asyncio.gather(
            killing(PageWanted(f"{rig.web.home}/hang")),
            hostile.render(PageWanted(f"{rig.web.home}/patient")),
            return_exceptions=True,
        )
        await hostile.close()
        assert isinstance(bad, RenderFailed)
        assert bad.reason == "crashed in the browser"
        return good.html  # type: ignore[union-attr]

    assert STORY["paragraphs"][0] in rig.runner.run(both())


def test_says_why_no_browser_starts(rig: Rig) -> None:
    browser = rig.new_browser(executable="/bin/false")

    async def one() -> None:
        try:
            await browser.render(PageWanted(rig.web.home))
        finally:
            await browser.close()

    with pytest.raises(NotSent, match="the browser does not start"):
        rig.runner.run(one())
