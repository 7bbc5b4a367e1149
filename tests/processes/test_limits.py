from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="asks the C library of Linux, and its /proc")
def test_freed_memory_is_kept_until_it_is_given_back() -> None:
    script = """
import gc
from newsextract.processes.limits import give_back, keep_freed
def held(): return int(open("/proc/self/statm").read().split()[1]) * 4096
keep_freed()
before = held()
texts = [bytes([65]) * 1_000_000 for _ in range(50)]
del texts
kept = held() - before
give_back()
print(kept, held() - before)
"""
    kept, left = map(
        int, subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout.split()
    )
    assert left < 25_000_000 < kept
