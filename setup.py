"""The compiled core, where it is asked for, and the egg for scrapyd; everything else is in pyproject.toml.

`NEWSEXTRACT_BUILD_CORE=1` builds the core, which needs Cython and a C compiler; without it nothing is compiled, and
where there is no compiler the rest is installed without the core.

An egg is a project: it holds `settings` and names the module of them that scrapyd is to use. The wheel is a library and
holds no package of such a common name. pyproject.toml has one list of packages for both, so what the egg has more is
added here. (Without this file scrapyd-deploy writes its own, of which pyproject.toml leaves nothing.)
"""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from setuptools import Distribution, Extension, setup

CORE = Path("newsextract/compiled")
BUILT = Path("build/core") / CORE
SOURCES = ("kernels.py", "kernels.pxd")


def core() -> list[Extension]:
    """Return the extension of the compiled core, made of a copy of its source that knows the source's digest."""
    if os.environ.get("NEWSEXTRACT_BUILD_CORE") != "1":
        return []
    from Cython.Build import cythonize  # noqa: PLC0415 - no other build needs it

    texts = [(CORE / name).read_bytes() for name in SOURCES]
    BUILT.mkdir(parents=True, exist_ok=True)
    for folder in (BUILT, BUILT.parent):
        (folder / "__init__.py").touch()
    digest = sha256(b"\0".join(texts)).hexdigest()
    (BUILT / "built.py").write_bytes(texts[0] + f'\nSOURCE = "{digest}"\n'.encode())
    (BUILT / "built.pxd").write_bytes(texts[1])
    # A sum of products must not be rounded once where numpy rounds twice.
    flags = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]
    extension = Extension(
        "newsextract.compiled.built", [str(BUILT / "built.py")], extra_compile_args=flags, optional=True
    )
    directives = {"boundscheck": False, "wraparound": False, "cdivision": True, "annotation_typing": False}
    made: list[Extension] = cythonize(
        [extension], language_level=3, compiler_directives=directives, include_path=[str(Path("build/core"))]
    )
    return made


class ProjectDistribution(Distribution):
    """Adds the project's settings where an egg is built."""

    def parse_config_files(self, *arguments: Any, **options: Any) -> None:
        """Read pyproject.toml, then add to it."""
        super().parse_config_files(*arguments, **options)
        if "bdist_egg" in self.script_args:
            self.packages.append("settings")
            self.entry_points["scrapy"] = ["settings = settings.scrapyd"]


setup(distclass=ProjectDistribution, ext_modules=core())
