"""What the hosts of a crawl reserve in their tdmrep.json; pages that arrive before it is read do without."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.sites.published.tdmrep import read_tdmrep, tdm_values

if TYPE_CHECKING:
    from newsextract.sites.published.tdmrep import TdmRule


@dataclass
class Reservations:
    """The rules by host, port included."""

    _rules: dict[str, list[TdmRule]] = field(default_factory=dict)

    def claim(self, url: str) -> bool:
        """Note that the file of an address's host is asked for; tell whether it was not before."""
        host = urlsplit(url).netloc
        is_new = host not in self._rules
        self._rules.setdefault(host, [])
        return is_new

    def read(self, host: str, body: bytes, url: str) -> None:
        """Take in the rules of a host; raises `SiteFileError` when there is nothing to be made of the file."""
        self._rules[host] = read_tdmrep(body, url)

    def values(self, url: str) -> dict[str, str]:
        """Return what is reserved for an address."""
        return tdm_values(self._rules.get(urlsplit(url).netloc, ()), url)
