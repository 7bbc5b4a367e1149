"""Nothing that a page can do sends a packet to a private address: sockets listen there, and hear nothing."""

from __future__ import annotations

import select
import socket
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.outcome import RenderFailed
from tests.crawl.rendering.rig import ARTICLE, NEEDS_BROWSER, Rig

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = NEEDS_BROWSER

PRIVATE = "127.0.0.2"

SILENT = {
    "stun": "peer({urls: 'stun:HOST'})",
    "stun over TCP": "peer({urls: 'stun:HOST?transport=tcp'})",
    "turn": "peer({urls: 'turn:HOST', username: 'a', credential: 'b'})",
    "turn over TCP": "peer({urls: 'turn:HOST?transport=tcp', username: 'a', credential: 'b'})",
    "turn over TLS": "peer({urls: 'turns:HOST?transport=tcp', username: 'a', credential: 'b'})",
    "candidates": "candidates()",
    "web transport": "new WebTransport('https://HOST/a').ready.catch(() => 0)",
    "secure socket": "new WebSocket('wss://HOST/a')",
    "preconnect": "link({rel: 'preconnect', href: 'http://HOST'})",
    "preconnect with cookies": "link({rel: 'preconnect', href: 'https://HOST', crossOrigin: 'use-credentials'})",
    "dns prefetch": "link({rel: 'dns-prefetch', href: '//HOST'})",
    "preload": "link({rel: 'preload', as: 'fetch', href: 'http://HOST/a'})",
    "module preload": "link({rel: 'modulepreload', href: 'http://HOST/a.js'})",
    "prerender": "link({rel: 'prerender', href: 'http://HOST/a'})",
    "icon": "link({rel: 'icon', href: 'http://HOST/a.ico'})",
    "manifest": "link({rel: 'manifest', href: 'http://HOST/a.json'})",
    "style": "link({rel: 'stylesheet', href: 'http://HOST/a.css'})",
    "speculation": "put('script', {type: 'speculationrules', textContent: JSON.stringify({prefetch: "
    "[{source: 'list', urls: ['http://HOST/a'], eagerness: 'immediate'}]})})",
    "ping": "put('a', {href: '#a', ping: 'http://HOST/a'}).click()",
    "beacon": "navigator.sendBeacon('http://HOST/a', 'b')",
    "kept alive": "fetch('http://HOST/a', {method: 'POST', mode: 'no-cors', keepalive: true}).catch(() => 0)",
    "image": "new Image().src = 'http://HOST/a.png'",
    "object": "put('object', {data: 'http://HOST/a'})",
    "embed": "put('embed', {src: 'http://HOST/a'})",
    "frame of the source": "put('iframe', {src: 'view-source:http://HOST/a'})",
    "frame in a data URL": "put('iframe', {src: 'data:text/html,<script src=http://HOST/a></scr' + 'ipt>'})",
    "window": "window.open('http://HOST/a')",
    "window without opener": "window.open('http://HOST/a', '_blank', 'noopener')",
    "download": "put('a', {href: 'http://HOST/a', download: 'a'}).click()",
    "service worker": "navigator.serviceWorker.register('/sw.js').catch(() => 0)",
    "shared worker": "new SharedWorker('data:text/javascript,fetch(\"http://HOST/a\")')",
    "ftp": "put('iframe', {src: 'ftp://HOST/a'})",
    "import": "import('http://HOST/a.js').catch(() => 0)",
    "script": "put('script', {src: 'http://HOST/a.js'})",
    "fetch": "fetch('http://HOST/a', {mode: 'no-cors'}).catch(() => 0)",
    "frame": "put('iframe', {src: 'http://HOST/a'})",
    "events": "new EventSource('http://HOST/a')",
    "prefetch": "link({rel: 'prefetch', href: 'http://HOST/a'})",
    "worker": "new Worker(URL.createObjectURL(new Blob([\"importScripts('http://HOST/a')\"])))",
    "socket": "new WebSocket('ws://HOST/a')",
}
"""What a page may do beside its own text, by scripts that know `link`, `put`, `peer` and `candidates`."""

TOOLS = """
const put = (tag, with_) => document.body.appendChild(Object.assign(document.createElement(tag), with_));
const link = with_ => document.head.appendChild(Object.assign(document.createElement('link'), with_));
const peer = async server => {
    const one = new RTCPeerConnection({iceServers: [server]});
    one.createDataChannel('a');
    await one.setLocalDescription(await one.createOffer());
};
const candidates = async () => {
    const [one, two] = [new RTCPeerConnection(), new RTCPeerConnection()];
    one.createDataChannel('a');
    await one.setLocalDescription(await one.createOffer());
    await two.setRemoteDescription(one.localDescription);
    await two.setLocalDescription(await two.createAnswer());
    await one.setRemoteDescription(two.localDescription);
    const [host, port] = 'HOST'.split(':');
    for (const way of ['udp', 'tcp'])
        await one.addIceCandidate({sdpMid: '0', candidate:
            `candidate:1 1 ${way} 2113937151 ${host} ${port} typ host ${way == 'tcp' ? 'tcptype passive' : ''}`});
};
"""

LEADING_AWAY = [
    "http://HOST/a", "view-source:http://HOST/a", "file:///etc/hostname", "chrome://version", "ftp://HOST/a",
]  # fmt: skip


class Ears:
    """Listens to TCP and UDP on one port of some addresses."""

    def __init__(self, stack: ExitStack, hosts: list[str]) -> None:
        first = stack.enter_context(socket.create_server((hosts[0], 0)))
        self.port = first.getsockname()[1]
        self.sockets = [first, *(stack.enter_context(socket.create_server((host, self.port))) for host in hosts[1:])]
        for host in hosts:
            datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            datagrams.bind((host, self.port))
            self.sockets.append(datagrams)

    def heard(self) -> int:
        """Return on how many sockets somebody has called."""
        return len(select.select(self.sockets, [], [], 0)[0])


@contextmanager
def ears(*hosts: str) -> Iterator[Ears]:
    with ExitStack() as stack:
        yield Ears(stack, list(hosts))


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    found = Rig({"/sw.js": ("text/javascript", "fetch('/a')")})
    yield found
    found.close()


def attacks(host: str) -> str:
    scripts = [f"try {{ {script.replace('HOST', host)} }} catch (error) {{}}" for script in SILENT.values()]
    return f"<script type=module>{TOOLS.replace('HOST', host)}{';'.join(scripts)}</script>"


def own_hosts() -> list[str]:
    """Return an address of loopback, and one of this machine in its network: WebRTC is said not to use the first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return [PRIVATE]
        own = str(asked.getsockname()[0])
    return [PRIVATE] if own.startswith("127.") else [PRIVATE, own]


@pytest.mark.parametrize("host", own_hosts())
def test_no_packet_leaves_for_a_private_address(rig: Rig, host: str) -> None:
    with ears(host) as listening:
        home = f"{host}:{listening.port}"
        # The text grows for a while, so that the page stays.
        stay = "<script>setInterval(() => document.body.append(' more'), 300)</script>"
        rig.web.pages["/attacks"] = f"<title>t</title><body>{ARTICLE}{stay}{attacks(home)}"
        rig.render("/attacks")
        assert listening.heard() == 0
    assert rig.proxy.refused[host] >= 12  # what asks by HTTP asks the proxy


@pytest.mark.parametrize("url", LEADING_AWAY)
def test_no_page_leads_to_a_private_address_or_a_file(rig: Rig, url: str) -> None:
    with ears(PRIVATE) as listening:
        target = url.replace("HOST", f"{PRIVATE}:{listening.port}")
        script = f"<script>setTimeout(() => location.href = '{target}', 100)</script>"
        rig.web.pages["/away"] = f"<title>t</title><body>{ARTICLE}{script}"
        try:
            found = rig.render("/away")
        except RenderFailed:
            pass  # it may fail, or stay where it was
        else:
            assert found.url.startswith((rig.web.home, "chrome-error:", f"http://{PRIVATE}:"))
        assert listening.heard() == 0


def test_the_ears_hear() -> None:
    with ears(PRIVATE) as listening, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        assert listening.heard() == 0
        with socket.create_connection((PRIVATE, listening.port)):
            datagrams.sendto(b"a", (PRIVATE, listening.port))
            assert listening.heard() == 2
