"""Scrapy's request queue, which holds back the requests of resting hosts.

In the downloader they would occupy the places of other hosts for as long as the rest lasts.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface
from scrapy.utils.asyncio import call_later

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.core.downloader import Downloader, Slot


class RestingQueue(DownloaderAwarePriorityQueue):
    """Returns only requests of slots that do not rest."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._downloader_interface = _AwakeSlots(self.crawler)


class _AwakeSlots(DownloaderInterface):
    def stats(self, possible_slots: Iterable[str]) -> list[tuple[int, str]]:
        """Return the load of each slot that does not rest."""
        return super().stats(slot for slot in possible_slots if not self._rests(slot))

    def _rests(self, key: str) -> bool:
        slot = self.downloader.slots.get(key)
        return slot is not None and slot.lastseen > monotonic()


def rest(downloader: Downloader, slot: Slot, seconds: float) -> None:
    """Stop a download slot from sending for some seconds, including requests already in its queue."""
    slot.close()
    # No request is ever sent in the future: so the downloader keeps the slot, and the queue sees that it rests.
    slot.lastseen = monotonic() + seconds
    slot.latercall = call_later(seconds, downloader._latercall, slot)  # noqa: SLF001 - which ends any wait
