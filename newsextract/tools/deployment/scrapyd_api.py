"""scrapyd over HTTP: deploy, schedule, ask, read a log.

By hand rather than by scrapyd-client, whose requests go through the proxy of the environment even to loopback, and
which uploads by a command of its own only.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SECONDS = 60
"""For an answer: a deployment imports the whole project before scrapyd has one."""

NOT_YET = (404, 416)
"""What a log answers that is not there yet, or has nothing new."""


class ScrapydError(RuntimeError):
    """scrapyd does not answer, or says why it will not; the message holds what it said."""


def _no_proxy() -> OpenerDirector:
    return build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class ScrapydClient:
    """One scrapyd and who asks it."""

    url: str
    """Without a slash at the end."""
    username: str = ""
    password: str = field(default="", repr=False)
    opener: OpenerDirector = field(default_factory=_no_proxy, repr=False)

    def status(self) -> dict[str, Any]:
        """Return how many jobs are pending, running and finished."""
        return self._ask("daemonstatus")

    def deploy(self, project: str, version: str, egg: Path) -> int:
        """Upload an egg and return how many spiders scrapyd finds in it, which is at least one."""
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
        """Ask for a crawl and return the name of the job.

        The arguments are the spider's, and `("setting", "NAME=VALUE")` as often as there are settings.
        """
        form = urlencode([("project", project), ("spider", spider), *arguments]).encode()
        return str(self._ask("schedule", form)["jobid"])

    def state(self, project: str, job: str) -> str:
        """Return `pending`, `running` or `finished`, or nothing for a job that scrapyd does not know.

        Between the queue and its process a job is unknown for a moment.
        """
        return self._ask(f"status.json?{urlencode({'project': project, 'job': job})}").get("currstate") or ""

    def cancel(self, project: str, job: str) -> None:
        """Ask a job to stop as Ctrl-C would."""
        self._ask("cancel", urlencode({"project": project, "job": job}).encode())

    def log(self, project: str, spider: str, job: str, start: int = 0) -> bytes:
        """Return the log of a job from a byte on; nothing where there is none yet."""
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
        except (URLError, OSError, ValueError) as error:
            raise ScrapydError(f"{self.url}/{path}: {error}") from error
        if answer.get("status") != "ok":
            raise ScrapydError(f"{self.url}/{path}: {str(answer.get('message', answer)).strip()}")
        return answer

    def _fetch(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
        request = Request(f"{self.url}/{path}", data=body, headers=headers or {})  # noqa: S310 - our own server's URL
        if self.username:
            token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            request.add_header("Authorization", f"Basic {token}")
        with self.opener.open(request, timeout=SECONDS) as response:
            return bytes(response.read())
