"""The egg for scrapyd, by `scrapyd-deploy` or `make scrapyd`; everything else is in pyproject.toml.

An egg is a project: it holds `settings` and names the module of them that scrapyd is to use. The wheel is a library and
holds no package of such a common name. pyproject.toml has one list of packages for both, so what the egg has more is
added here. (Without this file scrapyd-deploy writes its own, of which pyproject.toml leaves nothing.)
"""

from __future__ import annotations

from typing import Any

from setuptools import Distribution, setup


class ProjectDistribution(Distribution):
    """Adds the project's settings where an egg is built."""

    def parse_config_files(self, *arguments: Any, **options: Any) -> None:
        """Read pyproject.toml, then add to it."""
        super().parse_config_files(*arguments, **options)
        if "bdist_egg" in self.script_args:
            self.packages.append("settings")
            self.entry_points["scrapy"] = ["settings = settings.scrapyd"]


setup(distclass=ProjectDistribution)
