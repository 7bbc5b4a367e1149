"""Runs `scrapy` as a node of `benchmarks/nodes.py`: with NODE_NAME, as if on a machine of that name."""

from __future__ import annotations

import os
import sys

from scrapy.cmdline import execute

if name := os.environ.get("NODE_NAME"):
    import socket

    # So processes of other nodes are not looked for here, and only their silence shows that they died.
    socket.gethostname = lambda name=name: name  # type: ignore[misc]

if __name__ == "__main__":
    execute(["scrapy", *sys.argv[1:]])
