"""The compiled core, where it is asked for, the model cards, and the egg for scrapyd; the rest is in pyproject.toml.

`NEWSEXTRACT_BUILD_CORE=1` builds the core, which needs Cython and a C compiler; without it nothing is compiled, and
where there is no compiler the rest is installed without the core.

An egg is a project: it holds `settings` and names the module of them that scrapyd is to use. The wheel is a library and
holds no package of such a common name. pyproject.toml has one list of packages for both, so what the egg has more is
added here. (Without this file scrapyd-deploy writes its own, of which pyproject.toml leaves nothing.)
"""

from __future__ import annotations

import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from setuptools import Distribution, Extension, setup
from setuptools.command.build_py import build_py

CORE = Path("newsextract/compiled")
BUILT = Path("build/core")
PARTS = ("outline_loops", "feature_loops")


def core() -> list[Extension]:
    """Return the extensions of the compiled core, made of copies of its source that know the source's digest."""
    if os.environ.get("NEWSEXTRACT_BUILD_CORE") != "1":
        return []
    from Cython.Build import cythonize  # noqa: PLC0415 - no other build needs it

    folder = BUILT / CORE
    folder.mkdir(parents=True, exist_ok=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    # A product and a sum must not be rounded once where numpy rounds twice.
    flags = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
    extensions = []
    for part in PARTS:
        code, types = ((CORE / f"{part}{end}").read_bytes() for end in (".py", ".pxd"))
        digest = sha256(code + b"\0" + types).hexdigest()
        (folder / f"{part}_built.py").write_bytes(code + f'\nSOURCE = "{digest}"\n'.encode())
        (folder / f"{part}_built.pxd").write_bytes(types)
        name, source = f"newsextract.compiled.{part}_built", str(folder / f"{part}_built.py")
        extensions.append(Extension(name, [source], extra_compile_args=flags))
    directives = {"boundscheck": False, "wraparound": False, "cdivision": True, "annotation_typing": False}
    made: list[Extension] = cythonize(
        extensions, language_level=3, compiler_directives=directives, include_path=[str(BUILT)]
    )
    for extension in made:  # cythonize forgets it
        extension.optional = True
    return made


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


setup(distclass=ProjectDistribution, cmdclass={"build_py": WithModelCards}, ext_modules=core())
