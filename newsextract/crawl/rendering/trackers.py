"""Hosts that count, advertise or ask for consent: no text comes from them."""

from __future__ import annotations

from urllib.parse import urlsplit

TRACKERS = frozenset(
    """
    2mdn.net adnxs.com adform.net adsafeprotected.com adservice.google.com adsrvr.org amazon-adsystem.com amplitude.com
    atinternet.com bat.bing.com bing-int.com bluekai.com branch.io bugsnag.com casalemedia.com chartbeat.com
    chartbeat.net clarity.ms connect.facebook.net consensu.org cookiebot.com cookielaw.org criteo.com criteo.net
    demdex.net didomi.io doubleclick.net doubleverify.com dynatrace.com everesttech.net exelator.com fullstory.com
    google-analytics.com googleadservices.com googlesyndication.com googletagmanager.com googletagservices.com
    hotjar.com id5-sync.com imrworldwide.com ioam.de krxd.net licdn.com liadm.com matomo.cloud mixpanel.com
    moatads.com mookie1.com newrelic.com nr-data.net omtrdc.net onetrust.com openx.net optimizely.com outbrain.com
    parsely.com permutive.com piano.io privacy-center.org privacy-mgmt.com pubmatic.com quantcast.com quantserve.com
    quantcount.com rlcdn.com rubiconproject.com scorecardresearch.com segment.com segment.io sentry.io sharethrough.com
    smartadserver.com snowplowanalytics.com sourcepoint.com spotxchange.com static.ads-twitter.com t.co taboola.com
    tapad.com teads.tv tiqcdn.com trustarc.com usercentrics.eu yieldlab.net zemanta.com
    """.split()
)
"""Registrable domains and hosts, with all below them."""


def is_tracker(url: str) -> bool:
    """Return whether a URL is on a tracker's host.

    >>> is_tracker("https://www.google-analytics.com/a.js"), is_tracker("https://news.example/t.co")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    while "." in host:
        if host in TRACKERS:
            return True
        host = host.partition(".")[2]
    return False
