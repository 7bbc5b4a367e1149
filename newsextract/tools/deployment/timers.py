"""Crontab lines and systemd units that run the crawl at the schedule in a list of sites.

One timer runs at the shortest schedule of the list; the crawl itself skips sites that are not due.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.sites.site_list.site import Site

DEFAULT_INTERVAL = timedelta(minutes=30)
"""The interval if no site has a schedule."""

MINUTE, HOUR = 7, 4
"""Start times: not on the full hour, when most timers run; daily ones at night."""

NICENESS = 10
"""Runs at low priority."""

LOG = "newsextract.log"
"""The log of crawls started by cron, in the folder of the output."""

_MINUTES, _HOURS = (15, 20, 30), (1, 2, 3, 4, 6, 8, 12)
"""Divisors of an hour and a day: a calendar timer cannot express other intervals evenly."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """An interval in the syntax of cron and of systemd."""

    interval: timedelta
    cron: str
    calendar: str


@dataclass(frozen=True, slots=True)
class Crawl:
    """The command to run; all paths are absolute, since cron and systemd have other folders and another PATH."""

    scrapy: tuple[str, ...]
    project: str
    """The folder of `scrapy.cfg`."""
    sites: str
    output: str = "output"
    """The folder of what crawls leave, relative to the project's or absolute."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the crawl needs and cron would not set, without secrets."""

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command."""
        return (*self.scrapy, "crawl", "news", "-a", f"sites={self.sites}")


def shortest_schedule(sites: Iterable[Site]) -> timedelta | None:
    """Return the shortest schedule of the enabled sites; `None` if none has one."""
    return min((site.schedule for site in sites if site.schedule and site.enabled), default=None)


def rhythm_of(interval: timedelta) -> Rhythm:
    """Return the longest rhythm that does not exceed the interval, and not more often than every 15 minutes.

    >>> [rhythm_of(timedelta(minutes=minutes)).cron for minutes in (15, 45, 60, 300)]
    ['7-59/15 * * * *', '7-59/30 * * * *', '7 * * * *', '7 */4 * * *']
    >>> [rhythm_of(timedelta(days=days)).calendar for days in (1, 3, 7)]
    ['*-*-* 04:07:00', '*-*-* 04:07:00', 'Mon *-*-* 04:07:00']
    """
    if interval >= timedelta(days=7):
        return Rhythm(timedelta(days=7), f"{MINUTE} {HOUR} * * 1", f"Mon *-*-* {HOUR:02}:{MINUTE:02}:00")
    if interval >= timedelta(days=1):
        return Rhythm(timedelta(days=1), f"{MINUTE} {HOUR} * * *", f"*-*-* {HOUR:02}:{MINUTE:02}:00")
    if interval >= timedelta(hours=1):
        hours = max(each for each in _HOURS if timedelta(hours=each) <= interval)
        every, calendar = ("*", "*") if hours == 1 else (f"*/{hours}", f"00/{hours}")
        return Rhythm(timedelta(hours=hours), f"{MINUTE} {every} * * *", f"*-*-* {calendar}:{MINUTE:02}:00")
    minutes = max((each for each in _MINUTES if timedelta(minutes=each) <= interval), default=_MINUTES[0])
    first = MINUTE % minutes
    return Rhythm(timedelta(minutes=minutes), f"{first}-59/{minutes} * * * *", f"*-*-* *:{first:02}/{minutes}:00")


def in_words(interval: timedelta) -> str:
    """Return an interval as `sites.yml` writes it.

    >>> in_words(timedelta(minutes=45)), in_words(timedelta(hours=36)), in_words(timedelta(days=7))
    ('45m', '36h', '7d')
    """
    minutes = int(interval.total_seconds()) // 60
    for unit, size in (("d", 24 * 60), ("h", 60)):
        if minutes % size == 0:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"


def remarks(shortest: timedelta | None) -> list[str]:
    """Return comment lines that explain the rhythm."""
    wanted = shortest or DEFAULT_INTERVAL
    got, said = rhythm_of(wanted).interval, in_words(wanted)
    first = f"# Runs every {in_words(got)}; sites that are not due yet are skipped."
    if shortest is None:
        return [first, "# No site has a schedule, so this is a guess: write schedule: 1h to change it."]
    visits = got * -(-wanted // got)
    if visits == wanted:
        return [first]
    return [
        first,
        f"# The shortest schedule is {said}, which a calendar timer cannot express: it becomes {in_words(visits)}.",
        f"# For an exact timer, write schedule: {in_words(got)} or {in_words(visits)}.",
    ]


def crontab(crawl: Crawl, shortest: timedelta | None) -> str:
    """Return the lines for a crontab."""
    command = _for_cron(shlex.join(("nice", "-n", str(NICENESS), *crawl.command)))
    folder, output = _for_cron(shlex.quote(crawl.project)), _for_cron(shlex.quote(crawl.output))
    log = _for_cron(shlex.quote(f"{crawl.output}/{LOG}"))
    given = "".join(f"{name}={_for_cron(shlex.quote(value))} " for name, value in crawl.environment)
    rhythm = rhythm_of(shortest or DEFAULT_INTERVAL).cron
    line = f"{rhythm} cd {folder} && mkdir -p {output} && {given}{command} >> {log} 2>&1"
    return "\n".join([*remarks(shortest), line, ""])


def scrapyd_crontab(url: str, project: str, sites: str, shortest: timedelta | None) -> str:
    """Return crontab lines that schedule the crawl on a scrapyd; its password is read from `~/.netrc`."""
    address = f"{url.rstrip('/')}/schedule.json"
    manners = ("--fail", "--silent", "--show-error", "--netrc-optional")
    fields = ("-d", f"project={project}", "-d", "spider=news", "--data-urlencode", f"sites={sites}")
    command = _for_cron(shlex.join(("curl", *manners, *fields, address)))
    host = urlsplit(url).hostname
    return "\n".join(
        [
            *remarks(shortest),
            f"# scrapyd reads {sites} on its own machine. Its password goes into ~/.netrc:",
            f"#   machine {host} login NAME password PASSWORD",
            f"{rhythm_of(shortest or DEFAULT_INTERVAL).cron} {command} > /dev/null",
            "",
        ]
    )


def nodes_crontab(crawl: Crawl, urls: str, shortest: timedelta | None) -> str:
    """Return crontab lines that give the crawl to several scrapyds, whose addresses are separated by commas."""
    words = (*crawl.scrapy, "schedule", crawl.sites, "--scrapyd", urls, "--now")
    given = "".join(f"{name}={_for_cron(shlex.quote(value))} " for name, value in crawl.environment)
    folder = _for_cron(shlex.quote(crawl.project))
    rhythm = rhythm_of(shortest or DEFAULT_INTERVAL).cron
    return "\n".join(
        [
            *remarks(shortest),
            f"# Every node reads {crawl.sites} on its own machine. Names and passwords go into ~/.netrc:",
            "#   machine HOST login NAME password PASSWORD",
            "# cron mails what is printed: the nodes that could not be given the crawl.",
            f"{rhythm} cd {folder} && {given}{_for_cron(shlex.join(words))} > /dev/null",
            "",
        ]
    )


def systemd_service(crawl: Crawl, user: str) -> str:
    """Return the unit that runs the crawl once, as this user; systemd never starts two at once."""
    return f"""\
[Unit]
Description=newsextract: crawl the sites of {_specifiers(crawl.sites)}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
User={user}
WorkingDirectory={_specifiers(crawl.project)}
{_unit_environment(crawl)}ExecStart={" ".join(_unit_word(word) for word in crawl.command)}
Nice={NICENESS}
SyslogIdentifier=newsextract
# A crawl may take any time; when stopped, it finishes the pages it has begun.
TimeoutStartSec=infinity
TimeoutStopSec=5min
"""


def systemd_timer(shortest: timedelta | None) -> str:
    """Return the unit that starts the service."""
    rhythm = rhythm_of(shortest or DEFAULT_INTERVAL)
    delay = min(rhythm.interval / 10, timedelta(minutes=5))
    comments = "\n".join(remarks(shortest))
    return f"""\
{comments}
[Unit]
Description=newsextract: every {in_words(rhythm.interval)}

[Timer]
OnCalendar={rhythm.calendar}
# A run missed while the machine was off is made up for at once.
Persistent=true
# Not with all other machines at the same second, but always this one at the same: sites are due by the minute.
RandomizedDelaySec={int(delay.total_seconds())}
FixedRandomDelay=true

[Install]
WantedBy=timers.target
"""


def _for_cron(command: str) -> str:
    r"""Return a command escaped for a crontab, where a bare % ends the line.

    >>> print(_for_cron("date +%d"))
    date +\%d
    """
    return command.replace("%", "\\%")


def _unit_environment(crawl: Crawl) -> str:
    return "".join(f"Environment={_unit_word(f'{name}={value}')}\n" for name, value in crawl.environment)


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")


def _unit_word(word: str) -> str:
    r"""Return a word of a command escaped for `ExecStart=`, quoted if it has a space or a special character.

    >>> print(_unit_word("/a b/100%"), _unit_word("plain"))
    "/a b/100%%" plain
    """
    escaped = _specifiers(word).replace("\\", "\\\\").replace("$", "$$").replace('"', '\\"')
    is_plain = escaped == word and not any(char.isspace() or char in "';" for char in word)
    return word if is_plain else f'"{escaped}"'
