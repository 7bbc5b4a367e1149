"""Keeps the libraries of numbers to one thread in each process: the processes share out the processors."""

from __future__ import annotations

import os

VARIABLES = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "ARROW_IO_THREADS"), "1"
)
"""Read when a library is loaded: they must be set in the process that starts another."""


def use_one_thread() -> None:
    """Set the variables for libraries loaded later, here and in the processes that this one starts."""
    os.environ.update(VARIABLES)
