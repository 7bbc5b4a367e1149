"""A client for scrapyd's HTTP API: deploys, schedules, and follows a job by its state and log.

scrapyd-client is not used: its requests go through the environment's proxy even to loopback, and it uploads only with
its own command.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

SECONDS = 60
"""Seconds to wait for a response: on deployment scrapyd first imports the whole project."""

NOT_YET = (404, 416)
"""Status codes for a log that does not exist yet, or has nothing new."""


class ScrapydError(RuntimeError):
    """scrapyd does not respond, or reports an error; the message has its text."""


def _no_proxy() -> OpenerDirector:
    return build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class ScrapydClient:
    """A scrapyd server, with the user's credentials."""

    url: str
    """Without a trailing slash."""
    username: str = ""
    password: str = field(default="", repr=False)
    opener: OpenerDirector = field(default_factory=_no_proxy, repr=False)
    seconds: float = SECONDS
    """How long to wait for a response."""

    def status(self) -> dict[str, Any]:
        """Return how many jobs are pending, running and finished."""
        return self._ask("daemonstatus")

    def deploy(self, project: str, version: str, egg: Path) -> int:
        """Upload an egg and return the number of spiders that scrapyd finds in it, at least one."""
        boundary = secrets.token_hex(16)
        fields = {"project": project, "version": version}
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
        parts.append(f'name="egg"; filename="{egg.name}"\r\n\r\n'.encode() + egg.read_bytes())
        body = b"".join(f"--{boundary}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts)
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        spiders = int(self._ask("addversion", body + f"--{boundary}--\r\n".encode(), headers)["spiders"])
        if not spiders:
            raise ScrapydError("scrapyd finds no spider in the egg: the settings in it must set SPIDER_MODULES")
        return spiders

    def spiders(self, project: str) -> list[str]:
        """Return the names of the spiders of a project."""
        return [str(name) for name in self._ask(f"listspiders.json?{urlencode({'project': project})}")["spiders"]]

    def schedule(self, project: str, spider: str, arguments: Iterable[tuple[str, str]]) -> str:
        """Schedule a crawl and return the id of the job.

        The arguments are the spider's, and `("setting", "NAME=VALUE")` for each setting.
        """
        form = urlencode([("project", project), ("spider", spider), *arguments]).encode()
        return str(self._ask("schedule", form)["jobid"])

    def unfinished(self, project: str) -> dict[str, str]:
        """Return the jobs of a project that are to come or under way: `pending` or `running`, by id."""
        answer = self._ask(f"listjobs.json?{urlencode({'project': project})}")
        return {str(job["id"]): state for state in ("pending", "running") for job in answer[state]}

    def state(self, project: str, job: str) -> str:
        """Return `pending`, `running` or `finished`; an empty string for a job that scrapyd does not know.

        A job is unknown for a moment between leaving the queue and starting its process.
        """
        return self._ask(f"status.json?{urlencode({'project': project, 'job': job})}").get("currstate") or ""

    def cancel(self, project: str, job: str) -> None:
        """Stop a job, as Ctrl-C would."""
        self._ask("cancel", urlencode({"project": project, "job": job}).encode())

    def log(self, project: str, spider: str, job: str, start: int = 0) -> bytes:
        """Return the log of a job from this byte on; empty if there is none yet."""
        path = "/".join(quote(part, safe="") for part in (project, spider, job))
        try:
            return self._fetch(f"logs/{path}.log", headers={"Range": f"bytes={start}-"})
        except HTTPError as error:
            if error.code in NOT_YET:
                return b""
            raise ScrapydError(f"{self.url}/logs/{path}.log: {error}") from error

    def _ask(self, name: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        path = name if "?" in name else f"{name}.json"
        try:
            answer: dict[str, Any] = json.loads(self._fetch(path, body, headers))
        except HTTPError as error:
            hint = ": wrong user name or password" if error.code == 401 else ""
            raise ScrapydError(f"{self.url}/{path}: {error}{hint}") from error
        except (URLError, OSError, HTTPException, ValueError) as error:
            raise ScrapydError(f"{self.url}/{path}: {error}") from error
        if answer.get("status") != "ok":
            raise ScrapydError(f"{self.url}/{path}: {str(answer.get('message', answer)).strip()}")
        return answer

    def _fetch(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
        request = Request(f"{self.url}/{path}", data=body, headers=headers or {})  # noqa: S310 - our own server's URL
        if self.username:
            token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            request.add_header("Authorization", f"Basic {token}")
        with self.opener.open(request, timeout=self.seconds) as response:
            return bytes(response.read())


PROJECT = "newsextract"
SPIDER = "news"

POLL_SECONDS = 0.3

LOST_SECONDS = 10
"""Seconds after which a job unknown to scrapyd counts as lost."""

ENDED_WELL = "Spider closed (finished)"
"""What Scrapy logs at the end of a crawl that finished."""


@dataclass(frozen=True)
class Job:
    """A crawl that was scheduled."""

    client: ScrapydClient
    name: str

    def follow(self, show: Callable[[str], None], seconds: float = float("inf")) -> str:
        """Pass on the log line by line until the job has finished, and return all of it.

        Raises:
            ScrapydError: scrapyd does not know the job, or it took longer than `seconds`.
        """
        log, shown = b"", 0
        started = known = time.monotonic()
        while True:
            state = self.client.state(PROJECT, self.name)  # before the log, so that the last lines are read
            log += self.client.log(PROJECT, SPIDER, self.name, len(log))
            lines, _, _ = log.rpartition(b"\n")
            for line in lines[shown:].splitlines():
                show(line.decode("utf-8", "replace"))
            shown = len(lines) + 1 if lines else 0
            if state == "finished":
                return log.decode("utf-8", "replace")
            now = time.monotonic()
            known = now if state else known
            if now - known > LOST_SECONDS:
                raise ScrapydError(f"scrapyd does not know the job {self.name}")
            if now - started > seconds:
                raise ScrapydError(f"the job {self.name} is still {state or 'unknown'} after {seconds:.0f} seconds")
            time.sleep(POLL_SECONDS)

    def articles(self, output: Path) -> list[dict[str, Any]]:
        """Return the articles in the job's feed, in its output folder."""
        feed = output / "articles" / f"{self.name}.jsonl"
        return [json.loads(line) for line in feed.read_text("utf-8").splitlines()] if feed.exists() else []


def schedule(client: ScrapydClient, arguments: dict[str, str], settings: dict[str, str]) -> Job:
    """Schedule a crawl of the `news` spider."""
    pairs = [*arguments.items(), *(("setting", f"{name}={value}") for name, value in settings.items())]
    return Job(client, client.schedule(PROJECT, SPIDER, pairs))
