"""Secrets by name, and the files of secrets and cookies."""

from __future__ import annotations

import json
import os
import traceback
from typing import TYPE_CHECKING

import pytest

from newsextract.sites.subscriptions import SecretError, Secrets, read_cookie_file

if TYPE_CHECKING:
    from pathlib import Path


def private(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    file = private(tmp_path / "secrets.env", "# ours\nexport A='from file'\n\nB = \"b=1 # 2\"\n")
    secrets = Secrets({"A": "from environment"}, file, Secrets.read(file).from_file)
    assert secrets.filled("${A}|${B}|$A") == "from environment|b=1 # 2|$A"
    assert "from environment" not in repr(secrets)
    assert "b=1" not in repr(secrets)


@pytest.mark.parametrize(("name", "told"), [("MISSING", "${MISSING} is not set"), ("LINES", "holds a line break")])
def test_a_secret_that_cannot_be_sent_is_named(name: str, told: str) -> None:
    with pytest.raises(SecretError) as error:
        Secrets({"LINES": "hush\r\nX: 1"}).filled(f"Bearer ${{{name}}}")
    assert told in str(error.value)
    assert "hush" not in str(error.value)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    for read in (Secrets.read, read_cookie_file):
        with pytest.raises(SecretError, match="chmod 600"):
            read(private(tmp_path / "file", "A=hush\n", mode))


@pytest.mark.parametrize("text", ["A=1\nhush", "hush\tTRUE", '[{"name": "hush"}]', '["hush"]', "[hush", "\0hush", ""])
def test_a_file_that_is_wrong_is_not_quoted(tmp_path: Path, text: str) -> None:
    path = private(tmp_path / "file", text)
    with pytest.raises(SecretError) as error:
        (Secrets.read if text.startswith("A=1") else read_cookie_file)(path)
    assert str(path) in str(error.value)
    assert "hush" not in "".join(traceback.format_exception(error.value))


def test_cookies_are_read_as_browsers_export_them(tmp_path: Path) -> None:
    netscape = (
        "# Netscape HTTP Cookie File\n\n.a.example\tTRUE\t/\tTRUE\t2147483647\tsid\tabc\n"
        "#HttpOnly_www.a.example\tFALSE\t/x\tFALSE\t0\tone\t1\n"
    )
    rows = [
        {"name": "sid", "value": "abc", "domain": ".a.example", "secure": True, "expirationDate": 2147483647.5},
        {"name": "one", "value": "1", "domain": "www.a.example", "path": "/x", "hostOnly": True, "expires": -1},
    ]
    texts = netscape, json.dumps(rows), json.dumps({"cookies": rows, "origins": []})
    for number, text in enumerate(texts):
        found = read_cookie_file(private(tmp_path / f"{number}", text))
        assert [(each.name, each.value, each.domain, each.path, each.secure, each.expires) for each in found] == [
            ("sid", "abc", ".a.example", "/", True, 2147483647),
            ("one", "1", "www.a.example", "/x", False, None),
        ]
