"""Why a host could not be reached, by Scrapy's errors."""

from __future__ import annotations

from scrapy import exceptions

UNREACHABLE: dict[type[Exception], str] = {
    exceptions.CannotResolveHostError: "host not found",
    exceptions.DownloadConnectionRefusedError: "connection refused",
    exceptions.DownloadTimeoutError: "timeout",
    exceptions.ResponseDataLossError: "truncated response",
    exceptions.DownloadFailedError: "connection lost",
}
"""Failures of the server or the network."""
