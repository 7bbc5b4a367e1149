"""`newsextract evidence`: what is known of an article, as WACZ, with a time stamp."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import sqlite3
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from threading import Thread
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, ZipFile

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.scrapy_runs import html, listing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinyWeb

PATH = "/2026/05/20/the-mayor-opens-a-bridge.html"
KEEP = ("-s", "NEWSEXTRACT_WARC=output/warc")
CONFIG = """
[ tsa ]
serial = serial
default_policy = 1.2.3.4
digests = sha256
"""


def story(opened: str) -> bytes:
    sentence = f"The mayor opened the bridge {opened} that its people had asked for during many years."
    text = "".join(f"<p>{sentence} Part {part} of the long story about it follows.</p>" for part in range(8))
    return f'<meta property="og:type" content="article"><title>Bridge</title><h1>Bridge</h1>{text}'.encode()


@pytest.fixture(scope="module")
def changed(crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory, tiny_web: TinyWeb) -> tuple[Run, str]:
    """Return a crawl whose article has changed, and its URL."""
    folder = tmp_path_factory.mktemp("evidence")
    web = tiny_web({})
    for opened in ("on Monday", "on Monday", "on Friday"):
        packed = html(gzip.compress(story(opened), mtime=0), Content_Encoding="gzip", X_Robots_Tag="noai")
        web.routes = {"/": html(listing(PATH, f"/{opened[-6:]}")), PATH: packed}
        run = crawl(folder, web.home, *KEEP, "-a", "fresh=1")
        with sqlite3.connect(folder / "output" / "newsextract.db") as database:
            database.execute("update ledger set next_visit = '2020-01-01T00:00:00+00:00'")
    return run, web.home.rstrip("/") + PATH


def opened(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as archive:
        assert archive.getinfo("archive/evidence.warc.gz").compress_type == ZIP_STORED
        return {name: archive.read(name) for name in archive.namelist()}


def sha256(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def test_packs_the_records_the_versions_and_their_hashes(changed: tuple[Run, str], scrapy: Scrapy) -> None:
    run, url = changed
    told = scrapy(run.folder, "evidence", url, "-o", "story.wacz", *KEEP)
    assert told.code == 0, told.err
    files = opened(run.folder / "story.wacz")
    package = json.loads(files["datapackage.json"])
    assert {each["path"]: each["hash"] for each in package["resources"]} == {
        name: sha256(content) for name, content in files.items() if "/" in name
    }
    assert json.loads(files["datapackage-digest.json"])["hash"] == sha256(files["datapackage.json"])
    facts = json.loads(files["metadata/article.json"])
    assert ["Friday" in row["article_body"] for row in facts["revisions"]] == [False, True]
    assert [(row["source"], row["statement"]) for row in facts["rights"]] == [("header", "x-robots-tag: noai")]
    assert [row["kind"] for row in facts["records"] if row["url"] == url] == ["response", "revisit", "response"]
    warc = files["archive/evidence.warc.gz"]
    read = set()
    for line in files["indexes/index.cdxj"].decode().splitlines():
        entry: dict[str, Any] = json.loads(line.split(" ", 2)[2])
        begin = int(entry["offset"])
        record = next(iter(ArchiveIterator(BytesIO(warc[begin : begin + int(entry["length"])]))))
        assert record.rec_headers.get_header("WARC-Payload-Digest") == entry["digest"]
        read.add((entry["url"], entry["mime"], record.content_stream().read()))
    assert {(url, "text/html", story("on Monday")), (url, "text/html", story("on Friday"))} <= read
    requests = [each for each in ArchiveIterator(BytesIO(warc)) if each.rec_type == "request"]
    assert len(requests) == len(facts["records"]) == len(files["indexes/index.cdxj"].splitlines())


@pytest.mark.skipif(not shutil.which("wacz"), reason="wants py-wacz: pip install wacz")
def test_py_wacz_takes_it_for_valid(changed: tuple[Run, str], scrapy: Scrapy) -> None:
    run, url = changed
    scrapy(run.folder, "evidence", url, "-o", "valid.wacz", *KEEP)
    done = subprocess.run(["wacz", "validate", "-f", run.folder / "valid.wacz"], capture_output=True, check=False)
    assert (done.returncode, b"is valid" in done.stdout) == (0, True), done.stdout


def test_a_url_of_which_nothing_is_known_writes_no_file(changed: tuple[Run, str], scrapy: Scrapy) -> None:
    run, url = changed
    told = scrapy(run.folder, "evidence", f"{url}/other", *KEEP)
    assert (told.code, told.err) == (1, f"nothing in output/warc was fetched from {url}/other\n")
    assert not (run.folder / "evidence.wacz").exists()


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Run a time stamp server on loopback; return its address and its certificate."""
    (tmp_path / "tsa.cnf").write_text(CONFIG)
    (tmp_path / "serial").write_text("01\n")
    name = ["-subj", "/CN=tsa", "-addext", "extendedKeyUsage=critical,timeStamping"]
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", *name]
    subprocess.run(["openssl", *made], cwd=tmp_path, check=True, capture_output=True)
    reply = ["ts", "-reply", "-config", "tsa.cnf", "-section", "tsa", "-queryfile", "asked.tsq", "-signer", "cert.pem",
             "-inkey", "key.pem", "-sha256", "-out", "answer.tsr"]  # fmt: skip

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/":
                (tmp_path / "asked.tsq").write_bytes(body)
            if self.path != "/nonsense":  # else for what was asked before, or nothing at all
                subprocess.run(["openssl", *reply], cwd=tmp_path, check=True, capture_output=True)
            self.send_response(200)
            self.end_headers()
            self.wfile.write((tmp_path / "answer.tsr").read_bytes() if self.path != "/nonsense" else b"no stamp")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", tmp_path / "cert.pem"
        server.shutdown()


@pytest.mark.skipif(not shutil.which("openssl"), reason="wants openssl")
def test_has_a_time_stamp_that_openssl_verifies(
    changed: tuple[Run, str], scrapy: Scrapy, authority: tuple[str, Path]
) -> None:
    pytest.importorskip("rfc3161_client", reason="wants the extra `evidence`")
    (run, url), (server, certificate) = changed, authority
    told = scrapy(run.folder, "evidence", url, "-o", "stamped.wacz", "--timestamp-server", server, *KEEP)
    assert told.code == 0, told.err
    files = opened(run.folder / "stamped.wacz")
    token = base64.b64decode(json.loads(files["datapackage-digest.json"])["timeStamp"]["response"])
    (run.folder / "stamp.tsr").write_bytes(token)
    (run.folder / "datapackage.json").write_bytes(files["datapackage.json"])
    verify = ["ts", "-verify", "-in", "stamp.tsr", "-data", "datapackage.json", "-CAfile", str(certificate)]
    assert b"OK" in subprocess.run(["openssl", *verify], cwd=run.folder, check=True, capture_output=True).stdout
    closed = ("http://127.0.0.1:9/", "server http://127.0.0.1:9/: connection refused\n")
    wrongs = (server + "replayed", "is for something else"), (server + "nonsense", "timestamp"), closed
    for address, why in wrongs:
        wrong = scrapy(run.folder, "evidence", url, "-o", "no.wacz", "--timestamp-server", address, *KEEP)
        assert (wrong.code, why in wrong.err.lower()) == (2, True), wrong.err
        assert not (run.folder / "no.wacz").exists()
