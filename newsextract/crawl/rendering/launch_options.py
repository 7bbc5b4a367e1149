"""How the browser is started: nothing but our proxy to reach the network by, and little of our environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract.crawl.rendering.rendered_page import BrowserLimits

ARGUMENTS = (
    "--disable-quic",  # UDP passes no proxy
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # the proxy resolves names
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--max-old-space-size=512",
)

_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PLAYWRIGHT_BROWSERS_PATH")
"""What the browser gets of our environment, in which there may be secrets."""


def launch_options(limits: BrowserLimits, server: str, user: str, password: str) -> dict[str, Any]:
    """Return the arguments of Playwright's `launch` for a browser behind the proxy at `server`."""
    return {
        "executable_path": limits.executable,
        "args": list(ARGUMENTS),
        "chromium_sandbox": limits.has_sandbox,
        "proxy": {"server": server, "username": user, "password": password},
        "env": {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        # The crawl ends the browser.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
    }
