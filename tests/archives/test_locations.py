"""Which archives the inputs mean, and remote ones that break off."""

from __future__ import annotations

import gzip
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

import pytest

from newsextract.archives.locations import (
    WAITS_SECONDS,
    Location,
    LocationError,
    RemoteFile,
    expand_locations,
    is_remote,
    open_location,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BODY = bytes(range(256)) * 80_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.warc.gz", "a.warc", "deep/c.WARC.ZST", "deep/a.warc.gz", "notes.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def names(*inputs: object, base: str | None = None) -> list[str]:
    return [location.file_name for location in expand_locations([str(each) for each in inputs], base=base)]


def test_finds_the_archives_of_a_folder(folder: Path) -> None:
    found = expand_locations([str(folder)])
    assert [location.url.removeprefix(f"{folder}/") for location in found] == [
        "a.warc", "b.warc.gz", "deep/a.warc.gz", "deep/c.WARC.ZST",
    ]  # fmt: skip
    assert len({location.name for location in found}) == 4
    assert found[0].name.startswith("a-")


def test_takes_each_archive_once(folder: Path) -> None:
    assert names(folder / "b.warc.gz", folder, folder / "b.warc.gz")[0] == "b.warc.gz"
    assert len(names(folder / "b.warc.gz", folder)) == 4
    (folder / "link.warc.gz").symlink_to(folder / "b.warc.gz")
    around = folder / "deep" / ".." / "b.warc.gz"
    assert names(folder / "b.warc.gz", around, folder / "link.warc.gz") == ["b.warc.gz"]


def test_takes_a_named_file_whatever_its_ending(folder: Path) -> None:
    assert names(folder / "notes.html") == ["notes.html"]


@pytest.mark.parametrize("name", ["warc.paths", "warc.paths.gz", "list.txt"])
def test_reads_lists_of_paths(folder: Path, name: str) -> None:
    text = f"# ours\r\nb.warc.gz\n\n{folder}/a.warc\nfile://{folder}/deep/a.warc.gz\nhttps://x.example/y.warc.gz\n".encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    urls = [location.url for location in expand_locations([str(folder / name)])]
    assert urls == [
        f"{folder}/b.warc.gz", f"{folder}/a.warc", f"{folder}/deep/a.warc.gz", "https://x.example/y.warc.gz",
    ]  # fmt: skip


def test_a_base_says_where_lines_begin(folder: Path) -> None:
    (folder / "warc.paths").write_text("crawl-data/CC-NEWS/2024/01/x.warc.gz\n")
    (found,) = expand_locations([str(folder / "warc.paths")], base="https://data.example/")
    assert found == Location("https://data.example/crawl-data/CC-NEWS/2024/01/x.warc.gz")
    (found,) = expand_locations([str(folder / "warc.paths")], base="memory://bucket")
    assert found.url == "memory://bucket/crawl-data/CC-NEWS/2024/01/x.warc.gz"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"missing.warc.gz", r"line 1: .*missing\.warc\.gz: cannot be read: no such file.*--base"),
        (b"https://x.example/page.html", "line 1: .*is no archive"),
        (b"# nothing\n", "no archive in it"),
        (b"\x1f\x8b\x08\x00torn", "not a list of paths"),
        (gzip.compress(b"a" * 5000, mtime=0)[:40], "not a list of paths"),
        (b"\xff\xfe\x00a", "not a list of paths"),
    ],
)
def test_a_bad_list_is_an_error_with_its_line(folder: Path, content: bytes, message: str) -> None:
    (folder / "warc.paths").write_bytes(content)
    with pytest.raises(LocationError, match=message):
        expand_locations([str(folder / "warc.paths")])


def test_what_cannot_be_read_is_an_error_at_the_start(folder: Path) -> None:
    (folder / "empty").mkdir()
    for written, message in (
        (folder / "missing.warc", "no such file"),
        (folder / "empty", "no archive in it"),
        ("https://x.example/page.html", "neither an archive nor a list"),
        ("nonsense://x/y.warc.gz", "nonsense"),
    ):
        with pytest.raises(LocationError, match=message):
            expand_locations([str(written)])


def test_tells_remote_from_local() -> None:
    assert [is_remote(url) for url in ("s3://b/x", "HTTPS://x.example/", "/x", "x", "file:///x", "C:\\x")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


class Flaky(BaseHTTPRequestHandler):
    """Serves BODY, with ranges, and breaks off after `limit` bytes of each answer while `breaks` lasts."""

    breaks = 0
    limit = 3_000_000
    etag = "one"
    busy = 0

    def do_HEAD(self) -> None:
        self._head(503 if self.busy else 200, len(self._content()))

    def _content(self) -> bytes:
        if not self.path.endswith(".paths"):
            return BODY
        return b"/etc/passwd\n" if "local" in self.path else b"files/x.warc.gz\n"

    def do_GET(self) -> None:
        if self.busy:
            type(self).busy -= 1
            self.send_error(503)
            return
        stated = self.headers.get("Range")
        start, _, stop = (stated or "bytes=0-").removeprefix("bytes=").partition("-")
        body = self._content()[int(start) : int(stop) + 1 if stop else None]
        self._head(206 if stated else 200, len(body), int(start))
        if type(self).breaks and len(body) > self.limit:
            type(self).breaks -= 1
            self.wfile.write(body[: self.limit])
            self.close_connection = True
            return
        self.wfile.write(body)

    def _head(self, status: int, size: int, start: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(size))
        self.send_header("ETag", self.etag)
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{start + size - 1}/{len(self._content())}")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of readers that go away."""


@pytest.fixture
def server() -> Iterator[str]:
    pytest.importorskip("fsspec", reason="remote archives are read by fsspec: pip install 'newsextract[archive]'")
    pytest.importorskip("aiohttp", reason="fsspec reads https:// by aiohttp")
    Flaky.breaks, Flaky.etag, Flaky.busy = 0, "one", 0
    running = QuietServer(("127.0.0.1", 0), Flaky)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()


def test_reads_a_remote_archive(server: str) -> None:
    (location,) = expand_locations([f"{server}/x.warc.gz"])
    with open_location(location) as file:
        assert file.read() == BODY


def test_lines_of_a_remote_list_begin_at_its_host(server: str) -> None:
    (location,) = expand_locations([f"{server}/crawl/warc.paths"])
    assert location.url == f"{server}/files/x.warc.gz"


def test_a_remote_list_names_no_local_files(server: str) -> None:
    with pytest.raises(LocationError, match="a file of this machine"):
        expand_locations([f"{server}/local.paths"])


def test_goes_on_where_the_connection_broke(server: str) -> None:
    Flaky.breaks = 2
    waits: list[float] = []
    file = RemoteFile(f"{server}/x.warc.gz", sleep=waits.append)
    assert io.BufferedReader(file).read() == BODY
    assert waits
    assert Flaky.breaks == 0


def test_waits_for_a_server_that_is_busy(server: str) -> None:
    Flaky.busy = 2
    waits: list[float] = []
    assert io.BufferedReader(RemoteFile(f"{server}/x.warc.gz", sleep=waits.append)).read() == BODY
    assert waits == list(WAITS_SECONDS[:2])


def test_finds_the_archives_of_a_remote_folder() -> None:
    fsspec = cast("Any", pytest.importorskip("fsspec", reason="remote archives are read by fsspec"))
    memory = fsspec.filesystem("memory")
    for name in ("/crawl/b.warc.gz", "/crawl/deep/a.warc", "/crawl/x.html"):
        memory.pipe(name, b"x")
    found = expand_locations(["memory://crawl/"])
    assert [location.file_name for location in found] == ["b.warc.gz", "a.warc"]
    with open_location(found[0]) as file:
        assert file.read() == b"x"
