"""How Sphinx builds this folder: `make docs`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

project = "newsextract"
author = "The newsextract developers"
project_copyright = "The newsextract developers"
release = version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docs.generators.sphinx_pages"]
exclude_patterns = ["generators", "pictures/*.py"]
html_static_path = ["static"]
html_css_files = ["site.css"]
# Relative to where Sphinx runs, if it were not told.
html_search_scorer = str(PROJECT / "docs" / "static" / "search_scorer.js")
source_suffix = {".md": "markdown"}

# An anchor for each heading as GitHub makes them, so that a link leads to the same place on both.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]

# Every link inside is checked. Types in signatures are those of other packages, whose docs are not at hand offline.
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]
suppress_warnings = ["ref.python"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100

html_theme = "furo"
html_title = f"newsextract {release}"
html_show_sourcelink = False
html_copy_source = False
html_baseurl = ""
