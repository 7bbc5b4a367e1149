"""The model cards, and the egg for scrapyd; the rest is in pyproject.toml.

An egg is a project: it holds `settings` and names the module of them that scrapyd is to use. The wheel is a library and
holds no package of such a common name. pyproject.toml has one list of packages for both, so what the egg has more is
added here. (Without this file scrapyd-deploy writes its own, of which pyproject.toml leaves nothing.)
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py


class WithModelCards(build_py):
    """Puts the model cards of the docs beside the weights, so that whoever installs the weights has them."""

    def run(self) -> None:
        """Copy the package, then the cards."""
        super().run()
        if not self.editable_mode:
            for card in ("model-card.md", "page-kinds.md"):
                shutil.copy(Path("docs", card), Path(self.build_lib, "newsextract/reading/trained_models"))


class ProjectDistribution(Distribution):
    """Adds the project's settings where an egg is built."""

    def parse_config_files(self, *arguments: Any, **options: Any) -> None:
        """Read pyproject.toml, then add to it."""
        super().parse_config_files(*arguments, **options)
        if "bdist_egg" in self.script_args:
            self.packages.append("settings")
            self.entry_points["scrapy"] = ["settings = settings.scrapyd"]


setup(distclass=ProjectDistribution, cmdclass={"build_py": WithModelCards})
