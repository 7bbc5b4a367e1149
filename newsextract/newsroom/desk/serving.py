"""Serves the desk on loopback."""

from __future__ import annotations

import socket
import webbrowser
from contextlib import closing, suppress

import uvicorn

from newsextract.newsroom.desk.application import make_desk
from newsextract.newsroom.desk.desk_database import database_path

HOST = "127.0.0.1"


def serve(database: str, port: int = 0, *, is_opened: bool = False) -> None:
    """Serve the desk of a database, given as a path or SQLAlchemy URL, until Ctrl-C; port 0 chooses a free one.

    Raises:
        DeskError: the database is missing, or cannot be read by the desk.
        OSError: the port is in use.
    """
    desk = make_desk(database_path(database))
    with closing(socket.create_server((HOST, port))) as listening, suppress(KeyboardInterrupt):
        address = f"http://{HOST}:{listening.getsockname()[1]}/"
        print(f"The desk is at {address} until Ctrl-C.", flush=True)  # noqa: T201 - what it was started for
        if is_opened:
            webbrowser.open(address)  # waits for a response: we are listening already
        settings = uvicorn.Config(desk.app(), log_level="warning", proxy_headers=False, server_header=False)
        uvicorn.Server(settings).run(sockets=[listening])
