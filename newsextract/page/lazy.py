"""`cached_property` without the lock that Python 3.11 holds while it computes one.

Threads would wait for each other's pages, and a child that is forked meanwhile would wait for ever.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - the name that it stands for
        """A property that is computed once for each object."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """Compute and keep the value; once it is kept, Python does not ask."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


__all__ = ["cached_property"]
