"""Which files, records and articles are wanted, here and remote, and what is said of the others."""

from __future__ import annotations

import gzip
import io
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

import pytest

from newsextract.archives.filters import may_be_in, record_filter
from newsextract.archives.locations import (
    WAITS_SECONDS,
    Location,
    LocationError,
    RemoteFile,
    expand_locations,
    is_remote,
    open_location,
)
from newsextract.archives.warc import WarcRecord
from newsextract.article import Article

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


GERMAN = (
    "Der Regen fällt seit Tagen auf die Ebene, und die Leute bleiben zu Hause, weil alle Straßen überschwemmt sind. "
)
ENGLISH = "The rain has been falling on the plain for days, and people stay at home because the roads are under water. "


def page(text: str, lang: str = "") -> bytes:
    menu = "<li><a href='/'>" + "Home and all the latest news of the day from everywhere " * 9 + "</a></li>"
    script = f"<script>var words = '{ENGLISH * 5}'</script>"
    return f"<html{f' lang={lang}' if lang else ''}><body>{menu}{script}<p>{text * 4}</p></body></html>".encode()


RECORD = WarcRecord(
    0,
    "response",
    url="https://www.news.example.com/2024/story",
    date="2024-05-14T08:00:00Z",
    status=200,
    content_type="text/html; charset=utf-8",
    body=page(GERMAN, "de"),
)


@pytest.mark.parametrize(("options", "reason"), [
    ({}, None),
    ({"hosts": "example.com"}, None),
    ({"hosts": "https://www.news.example.com/ other.example"}, None),
    ({"hosts": "ample.com"}, "another host"),
    ({"hosts": "deep.news.example.com"}, "another host"),
    ({"urls": ["/2024/", "/2025/"]}, None),
    ({"urls": ["/2025/"]}, "URL not wanted"),
    ({"since": "2024-05-14", "until": "2024-05-14"}, None),
    ({"since": "2024-05-14T08:00:00Z"}, None),
    ({"since": "2024-05-15"}, "before the time wanted"),
    ({"until": "2024-05-13"}, "after the time wanted"),
    ({"until": "2024-05-14T08:00:00Z"}, "after the time wanted"),
    ({"languages": ["en", "de-AT"]}, None),
    ({"languages": ["en", "fr"]}, "another language"),
])  # fmt: skip
def test_says_why_a_record_is_left_out(options: dict[str, Any], reason: str | None) -> None:
    assert record_filter(**options).reason(RECORD) == reason


def test_wants_only_pages_that_were_there() -> None:
    assert record_filter().reason(replace(RECORD, status=404)) == "status 404"
    assert record_filter().reason(replace(RECORD, status=None)) is None


def test_what_is_not_stated_is_not_what_is_wanted() -> None:
    bare = WarcRecord(0, "response", body=b"")
    assert record_filter(hosts="example.com").reason(bare) == "another host"
    assert record_filter(since="2024-05-14").reason(bare) == "no date"
    assert record_filter(languages=["en"]).reason(bare) is None


def test_hosts_are_compared_in_one_form() -> None:
    wanted = record_filter(hosts="bücher.example")
    assert wanted.reason(replace(RECORD, url="https://bücher.example/x")) is None
    assert wanted.reason(replace(RECORD, url="https://WWW.xn--bcher-kva.example:8443/x")) is None
    assert wanted.reason(replace(RECORD, url="http://[broken")) == "another host"


def test_hosts_may_be_a_list_of_sites(tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text("sites:\n- https://news.example.com/\n- other.example\n")
    wanted = record_filter(hosts=str(tmp_path / "sites.yml"))
    assert wanted.reason(RECORD) is None
    assert wanted.reason(replace(RECORD, url="https://third.example/")) == "another host"


@pytest.mark.parametrize(("options", "message"), [
    ({"hosts": "nonsense"}, "--hosts: "),
    ({"hosts": "missing.yml"}, "--hosts: missing.yml: no such file"),
    ({"languages": ["german"]}, "--languages: 'german'"),
    ({"since": "soon"}, "--since: "),
    ({"until": "never"}, "--until: "),
    ({"since": "2024-05-14", "until": "2024-05-01"}, "--until: 2024-05-01 is not after --since 2024-05-14"),
    ({"urls": ["("]}, "--url: "),
])  # fmt: skip
def test_a_bad_option_is_an_error_that_names_it(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        record_filter(**options)


@pytest.mark.parametrize(("body", "headers", "wanted"), [
    (page(GERMAN, "de"), (), True),
    (page(GERMAN, "en"), (), True),  # a template's declaration
    (page(GERMAN), (), True),
    (page(GERMAN), (("content-language", "fr, de-DE"),), True),
    (page(ENGLISH, "en"), (), False),
    (page(ENGLISH), (), False),
    (page("", "en"), (), False),
    (page(""), (), True),
])  # fmt: skip
def test_a_page_may_be_in_the_language_that_it_declares_or_is_written_in(
    body: bytes, headers: tuple[tuple[str, str], ...], *, wanted: bool
) -> None:
    assert may_be_in(replace(RECORD, body=body, headers=headers), {"de"}) is wanted


def test_the_charset_of_the_response_decodes_the_text() -> None:
    russian = "Дождь идёт над равниной уже несколько дней, и люди остаются дома, потому что дороги под водой. "
    body = f"<p>{russian * 4}</p>".encode("cp1251")
    record = replace(RECORD, body=body, content_type="text/html; charset=Windows-1251")
    assert may_be_in(record, {"ru"})
    assert not may_be_in(record, {"de"})


def test_unclosed_markup_takes_no_longer_than_its_length() -> None:
    for part in ("<script>", "<!--", "<a ", "<", "<html ", "<svg><a>"):
        may_be_in(replace(RECORD, body=(part * 60_000).encode()), {"de"})


def test_articles_are_left_out_by_language() -> None:
    article = Article("https://a.example/", inLanguage="pt-BR")
    assert record_filter().article_reason(article) is None
    assert record_filter(languages=["pt"]).article_reason(article) is None
    assert record_filter(languages=["en"]).article_reason(article) == "language pt-BR"
    assert record_filter(languages=["en"]).article_reason(Article("https://a.example/")) is None


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


@pytest.mark.parametrize(("content", "message"), [
    (b"missing.warc.gz", r"line 1: .*missing\.warc\.gz: cannot be read: no such file.*--base"),
    (b"https://x.example/page.html", "line 1: .*is no archive"),
    (b"# nothing\n", "no archive in it"),
    (b"\x1f\x8b\x08\x00torn", "not a list of paths"),
    (gzip.compress(b"a" * 5000, mtime=0)[:40], "not a list of paths"),
    (b"\xff\xfe\x00a", "not a list of paths"),
])  # fmt: skip
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
