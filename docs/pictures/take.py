"""`python docs/pictures/take.py`: takes the pictures of the docs, from a crawl of the demo newsroom, with Chromium.

Needs Chromium on PATH, and `pip install 'newsextract[desk,evaluate]' pillow`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from demo.__main__ import PORTS
from demo.server import serve

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
COLOURS = 64
"""Enough for pages of text, and a third of the bytes."""


def main() -> None:
    """Crawl, compare, and take a picture of each."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        days = [sys.executable, "-m", "demo"]
        subprocess.run(days, cwd=folder, env=environment(), check=True, capture_output=True)
        story = newest_story(folder)
        with serve(ports=PORTS):
            newsextract(folder, "compare", story, "-x", "auto,eatiht,mss,readability", "--html", "compare.html")
        picture("compare", (folder / "compare.html").as_uri(), height=690)
        desk = [sys.executable, "-m", "newsextract", "desk", "output/newsextract.db"]
        with subprocess.Popen(desk, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                (address,) = re.findall(r"http://\S+", next(line for line in server.stdout if "http://" in line))
                picture("desk", f"{address}?language=en", height=800)
            finally:
                server.terminate()


def environment() -> dict[str, str]:
    """Return the environment of the commands: this checkout's code, and settings for one's own servers."""
    return os.environ | {"PYTHONPATH": str(PROJECT), "SCRAPY_SETTINGS_MODULE": "settings.development"}


def newsextract(folder: Path, *arguments: str) -> str:
    """Run a command in a folder, and return what it prints."""
    command = [sys.executable, "-m", "newsextract", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), check=True, stdout=subprocess.PIPE, text=True).stdout


def newest_story(folder: Path) -> str:
    """Return the URL of a story about a bridge."""
    found = newsextract(folder, "search", "harbour bridge NOT mayor", "-n", "1", "--json")
    (address,) = re.findall(r'"url": "([^"]+)"', found)[:1]
    return str(address)


def picture(name: str, address: str, height: int, width: int = 1200) -> None:
    """Take a picture of a page, with few colours."""
    path = HERE / f"{name}.png"
    size = f"--window-size={width},{height}"
    browser = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=5000"]
    subprocess.run([*browser, size, f"--screenshot={path}", address], check=True, capture_output=True)
    with Image.open(path) as taken:
        taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
