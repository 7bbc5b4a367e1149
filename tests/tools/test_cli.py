"""The command `newsextract`: verbs, help, mistakes in one line, streams and Ctrl-C; and `newsextract deliver`."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import newsextract as package
from newsextract.cli import VERBS, command_of, main
from newsextract.storage.articles import put_articles
from newsextract.storage.database import open_engine, writing
from newsextract.terminal import INTERRUPTED
from newsextract.tools import pages, stored
from tests.newsroom.delivery.messages import article
from tests.newsroom.delivery.messages import put as store_messages
from tests.scrapy_process import PROJECT, SECONDS
from tests.scrapy_runs import Reply, environment, listing, run_verb, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb


PASSED_ON = ("archive", "export", "desk", "mcp")
"""Verbs with tests of their own."""

OWN_SETTINGS = """
from settings.development import *
NEWSEXTRACT_WARC = "kept"
NEWSEXTRACT_MESSAGES = "messages.jsonl"
"""

EXAMPLE = "scrapy crawl news -a sites=https://example.com"


def examples(verb: str) -> tuple[str, ...]:
    if verb in PASSED_ON:
        return ()
    return command_of(verb).examples


def test_the_help_lists_all_verbs_and_imports_none() -> None:
    script = (
        "import sys; from newsextract.cli import main; main(['--help']);"
        "print(*[name for name in sys.modules if name.startswith(('newsextract.', 'scrapy', 'lxml', 'numpy', 'rich'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=PROJECT)
    *told, loaded = done.stdout.splitlines()
    assert re.findall(r"^  (\w+)  +[A-Z]", "\n".join(told), re.MULTILINE) == list(VERBS)
    heavy = {"newsextract.page", "newsextract.reading", "newsextract.tools", "scrapy", "numpy", "rich"}
    assert not heavy & set(loaded.split())


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in PASSED_ON])
def test_the_help_of_a_verb_has_examples_with_options_that_exist(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "-h"]) == 0
    told = capsys.readouterr().out
    known = {name for each in command_of(verb).params for name in each.opts}
    assert {word for line in examples(verb) for word in shlex.split(line) if word.startswith("-")} <= known
    assert all(line in told for line in examples(verb))
    assert "  130  Ctrl-C\n" in told


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"newsextract {package.__version__}\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, tiny_web: TinyWeb, scrapy: Scrapy) -> tuple[Path, str]:
    """Return a project that has crawled a site, with the files that examples name, and the site's URL."""
    folder = tmp_path_factory.mktemp("project")
    # Five make a template.
    paths = [f"/2026/05/{day:02}/the-mayor-opens-bridge-number-{day}.html" for day in range(10, 15)]
    found = {path: story(number) for number, path in enumerate(paths, 1)}
    routes = {
        path: Reply(page)
        for path, page in {"/": listing(*paths, "/story.html"), "/story.html": story(9), **found}.items()
    }
    site = tiny_web(routes).home.rstrip("/")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (folder / "own_settings.py").write_text(OWN_SETTINGS)
    (folder / "story.html").write_bytes(story(9))
    (folder / "pages").mkdir()
    for number, page in enumerate(found.values()):
        (folder / "pages" / f"{number}.html").write_bytes(page)
    listed = f"  - start: {site}\n    name: example.com\n    rules: {{body: p}}\n    test_urls: {site}/story.html\n"
    (folder / "sites.yml").write_text(f"sites:\n{listed}")
    (folder / "watch.yml").write_text("watches:\n  - name: bridges\n    query: bridge\n")
    records = [
        {"id": path, "url": f"https://one.example{path}", "html": page.decode(), "text": "The mayor opened the bridge."}
        for path, page in found.items()
    ]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    done = scrapy(folder, "crawl", "news", "-a", f"sites={site}", SCRAPY_SETTINGS_MODULE="")
    assert done.code == 0, done.err
    shutil.copy(folder / "output" / "newsextract.db", folder / "news.db")
    return folder, site


@pytest.mark.parametrize("line", [line for verb in VERBS for line in examples(verb)])
def test_each_example_does_what_it_says(line: str, project: tuple[Path, str]) -> None:
    folder, site = project
    own = line.replace("https://example.com", site).replace("template example.com", f"template {urlsplit(site).netloc}")
    arguments = shlex.split(own.partition(" > ")[0])[1:]
    done = run_verb(folder, *arguments, SCRAPY_SETTINGS_MODULE="")
    # Another extractor may read other texts, and the machine of the tests may lack what a doctor wants.
    assert done.code in ({0, 1} if arguments[0] in ("replay", "doctor") else {0}), f"{done.out}\n{done.err}"
    assert done.out or (folder / "messages.jsonl").exists()


NO_VERB = "neither a command nor a page; did you mean"
OTHERS = "newsextract {}: cannot use the database sqlite:///other.db: it has no articles, but tables of another program"
BROKEN = "sites:\n  - start: https://a.example/\n   name: x\n"


@pytest.mark.parametrize(("arguments", "told"), [
    (("search",), "newsextract search: Missing argument 'WORDS'"),
    (
        ("search", "x", "--jsn"),
        "newsextract search: No such option: --jsn; did you mean --json? There are -n, --number, --json, ",
    ),
    (("search", "x", "-n", "0"), "newsextract search: Invalid value for '-n' / '--number': 0 is not in the range"),
    (("search", "x", "-s", "COLOUR"), "newsextract search: -s COLOUR: write NAME=VALUE"),
    (
        ("search", "x", "-s", "NEWSEXTRACT_DATABSE=x"),
        "newsextract search: -s NEWSEXTRACT_DATABSE: there is no such ",
    ),
    (
        ("search", "x", "-s", "DATABASE=x"),
        "newsextract search: -s DATABASE: there is no such setting; did you mean NEWS",
    ),
    (("serch", "bridge"), f"newsextract: serch: {NO_VERB} newsextract search?"),
    (("compare", "watch.yml", "--html", "."), "newsextract compare: Invalid value for '--html': . is a folder"),
    (("compare", "watch.yml", "-x", "msss"), "newsextract compare: no extractor is called 'msss'; there are"),
    (
        ("compare", "-", "a.html", "--url", "https://a.example/"),
        "newsextract compare: --url is the URL of one page",
    ),
    (("evaluate", "."), "newsextract evaluate: . has no known format; a corpus is a file .jsonl"),
    (("watch", "watch.yml", "--article", "none.json"), "newsextract watch: --article: none.json: no such file"),
    (("watch", "broken.yml", "--check"), "newsextract watch: broken.yml, line 3, column 4: "),
    (("deliver", "-s", "NEWSEXTRACT_WEBHOOKS=many"), "newsextract deliver: NEWSEXTRACT_WEBHOOKS: "),
    (("probe", "ftp://a.example/"), "newsextract probe: ftp://a.example/: only URLs that begin with https://"),
    (("probe", "a.example,b.example"), "newsextract probe: name one site: newsextract probe https://example.com/"),
    (
        ("crawl", "https://a.example/"),
        f"newsextract: crawl: {NO_VERB} scrapy crawl news -a sites=https://a.example/?",
    ),
    (("-s", "A=B", "probe", "a.example"), "newsextract: probe: put the command first: newsextract probe -s …"),
    (("help",), f"newsextract: help: {NO_VERB} newsextract --help?"),
    (("htp://a.example/",), "newsextract: htp://a.example/: only URLs that begin with https:// or http:// are "),
    (
        ("a.html", "-o", "b.json"),
        "newsextract: -o names a folder, for a file of each page; for one file of all: > b",
    ),
    (("template", "https://a.example/x"), "newsextract template: there is no a.example; a corpus is a file .jsonl"),
    (("watch.yml", "--url", "a.example"), "newsextract: --url a.example: not a URL; one begins with https://"),
    (("export", "news.db", "-o", "x.foo"), "newsextract export: -o: x.foo has an unknown ending: there are .jsonl"),
    (("health", "news.db"), "newsextract health: Got unexpected extra argument (news.db); as in: newsextract"),
    (("rules", "old.yml"), "newsextract rules: old.yml, line 2, column 5, sites[0].url: unknown field; write "),
    (
        ("search", "x", "-s", "NEWSEXTRACT_DATABASE=sqlite:///other.db"),
        OTHERS.format("search: NEWSEXTRACT_DATABASE"),
    ),
    (("export", "other.db"), OTHERS.format("export")),
    (("rules", "none.yml"), "newsextract rules: none.yml: no such file"),
    (("replay",), "newsextract replay: NEWSEXTRACT_WARC is not set: "),
    *(
        ((verb, *more), f"newsextract {verb}: NEWSEXTRACT_DATABASE: output/newsextract.db is not there: ")
        for verb, *more in (("search", "bridge"), ("health",), ("watch", "watch.yml"))
    ),
])  # fmt: skip
def test_a_mistake_is_one_line(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    (tmp_path / "broken.yml").write_text(BROKEN)
    (tmp_path / "old.yml").write_text("sites:\n  - url: https://a.example/\n")
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE invoices (id INTEGER)")
    (tmp_path / "watch.yml").write_text("watches:\n  - {name: x, query: bridge}\n")
    run = run_verb(tmp_path, *arguments, SCRAPY_SETTINGS_MODULE="settings.production")
    (line,) = run.err.splitlines()
    assert line.startswith(told)
    assert (run.code, run.out) == (2, "")
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(("arguments", "code", "told"), [
    (("search", "bridge"), 1, f"no article found: none is stored yet; crawl first, see {EXAMPLE}"),
    (("watch", "watch.yml"), 1, f"no article to look at: none is stored yet; crawl first, see {EXAMPLE}"),
    (("watch", "watch.yml", "--since", "2d"), 1, "no article to look at: none was first seen since 2d"),
    (("health",), 0, "no run has seen a site in the last "),
])  # fmt: skip
def test_an_empty_database_is_named_and_said_to_be_empty(
    arguments: tuple[str, ...], code: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / "watch.yml").write_text("watches:\n  - {name: x, query: bridge}\n")
    open_engine(f"sqlite:///{tmp_path}/news.db").dispose()
    run = run_verb(tmp_path, *arguments, "-s", "NEWSEXTRACT_DATABASE=sqlite:///news.db")
    named, line = run.err.splitlines()
    assert (run.code, run.out, named) == (code, "", "database: news.db")
    assert line.startswith(told)


@pytest.mark.parametrize(("module", "arguments", "told"), [
    ("jinja2", "evaluate c.jsonl --html o.html", "the module jinja2 is not installed: {}[evaluate]'"),
    ("rich", "evaluate c.jsonl", "the module rich is not installed: {}[evaluate]'"),
    ("rich", "evaluate c.jsonl --by colour", "--by: colour is not among corpus, language, site"),
    ("rich", "probe a.example,b.example", "name one site: newsextract probe https://example.com/"),
    ("scrapy", "template a.example", "the module scrapy is not installed: {}[crawl]'"),
    ("scrapy", "compare c.jsonl", "the module scrapy is not installed: {}[crawl]'"),
    ("scrapy", "search x", "the module scrapy is not installed: {}[crawl]'"),
])  # fmt: skip
def test_a_module_that_is_missing_names_the_extra_of_its_verb_after_the_arguments_are_checked(
    module: str, arguments: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [each for each in sys.modules if each.startswith(("newsextract.tools", "newsextract.evaluation"))]:
        monkeypatch.delitem(sys.modules, name)
    for name in [each for each in sys.modules if each.partition(".")[0] == module] or [module]:
        monkeypatch.setitem(sys.modules, name, None)
    verb, *others = arguments.split()
    run = run_verb(tmp_path, verb, *others)
    told = told.format("pip install 'newsextract")
    assert (run.code, run.err) == (2, f"newsextract {verb}: {told}\n")


def test_a_host_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    run = run_verb(tmp_path, "https://nohost.invalid/story.html")
    told = "https://nohost.invalid/story.html: host not found. Is the address right, and is this machine online?\n"
    assert (run.code, run.err) == (1, told)


def test_ctrl_c_is_a_word_and_other_faults_keep_their_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pages, "sources_of", interrupted)
    run = run_verb(tmp_path, "page.html")
    assert (run.code, run.err) == (INTERRUPTED, "interrupted\n")
    monkeypatch.setattr(stored, "settings_of", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_verb(tmp_path, "search", "x")


def ended(folder: Path, redirection: str, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command with its streams elsewhere, as a shell does it."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "newsextract", *command],
        cwd=folder, env=environment(SCRAPY_SETTINGS_MODULE="", **environ), capture_output=True, encoding="utf-8",
        timeout=SECONDS, check=False,
    )  # fmt: skip


def test_streams_that_end_early_or_speak_another_language(tmp_path: Path) -> None:
    text = story(1, head="<meta charset=utf-8>").replace(b"mayor", "maïre 東".encode())
    (tmp_path / "story.html").write_bytes(text)
    full = ended(tmp_path, ">/dev/full", "story.html")
    assert (full.returncode, full.stderr) == (1, "newsextract: no space left on device\n")
    unread = ended(tmp_path, "| true", "story.html")
    assert (unread.returncode, unread.stderr) == (0, "")
    plain = ended(tmp_path, "", "story.html", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (plain.returncode, "maïre 東" in plain.stdout) == (0, True)
    closed = ended(tmp_path, "2>&-", "story.html", "none.html")
    assert (closed.returncode, "maïre 東" in closed.stdout, "none.html" in closed.stdout) == (1, True, False)


def test_a_page_alone_needs_no_scrapy_and_no_database(tmp_path: Path) -> None:
    script = (
        "import sys; from newsextract.cli import main; code = main(sys.argv[1:]); "
        "heavy = {'scrapy', 'twisted', 'sqlalchemy', 'babel', 'py3langid', 'rich', 'tldextract'}; "
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    page = story(1).replace(b"<html>", b'<html lang="en">')
    clean = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-c", script, "-"], input=page, capture_output=True, check=True, timeout=SECONDS,
        cwd=tmp_path, env=clean | {"PYTHONPATH": str(PROJECT)},
    )  # fmt: skip
    assert done.stdout.decode().startswith("The mayor of town number 1")
    assert done.stderr == b"[]\n"


def test_deliver_says_once_that_a_target_is_away_for_which_something_waits(scrapy: Scrapy, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        hook = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    url = f"sqlite:///{tmp_path}/a.db"
    engine = open_engine(url)
    settings = (f"NEWSEXTRACT_DATABASE={url}", f"NEWSEXTRACT_WEBHOOKS={hook}")
    brief = [part for setting in settings for part in ("-s", setting)]
    scrapy(tmp_path, "deliver", *brief)
    store_messages(engine, [article(number) for number in range(3)])
    run = scrapy(tmp_path, "deliver", *brief)
    assert run.out.endswith("0 delivered, 3 left\n")
    assert (run.out.count("\n"), run.err) == (1, "")


def test_deliver_sends_a_new_target_what_is_stored(scrapy: Scrapy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    with writing(open_engine(url)) as connection:
        put_articles(connection, [article(number) for number in range(3)])
    settings = ("-s", f"NEWSEXTRACT_DATABASE={url}", "-s", "NEWSEXTRACT_MESSAGES=new.jsonl")
    assert "0 delivered" in scrapy(tmp_path, "deliver", *settings).out
    run = scrapy(tmp_path, "deliver", "--since", "2020-01-01", "--to", "new.jsonl", *settings)
    assert (run.code, run.out.endswith(": 3 delivered, 0 left\n")) == (0, True)
    assert len((tmp_path / "new.jsonl").read_text().splitlines()) == 3
    wrong = scrapy(tmp_path, "deliver", "--since", "2020-01-01", "--to", "redis", *settings)
    assert wrong.code == 2
    assert "no target has 'redis' in its name" in wrong.err
