"""Decoders of msgspec are made by one thread at a time: two at once end the process."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from auditor.once import once

_AT_ONCE = """
import sys, threading
from auditor.facts.catalog import catalog
sys.setswitchinterval(1e-6)
begin = threading.Barrier(6)
def first():
    begin.wait()
    catalog()
threads = [threading.Thread(target=first) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def ended() -> int:
    """The code that a process ends with in which six threads want the catalogue at the same time."""
    return subprocess.run([sys.executable, "-c", _AT_ONCE], check=False, capture_output=True, timeout=60).returncode


@pytest.mark.long
def test_threads_that_want_the_catalogue_at_once_all_get_it() -> None:
    assert [ended() for _ in range(8)] == [0] * 8


def test_a_value_is_made_once_and_never_two_at_the_same_time() -> None:
    making, together = [], []

    @once
    def value(name: str) -> object:
        making.append(name)
        together.append(len(making))
        time.sleep(0.01)
        making.remove(name)
        return object()

    found: list[object] = []
    threads = [threading.Thread(target=lambda name=name: found.append(value(name))) for name in "aabbcc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [1, 1, 1]
    assert len(set(map(id, found))) == 3


def test_what_cannot_be_made_is_tried_anew() -> None:
    @once
    def value() -> object:
        raise ValueError("not there yet")

    for _ in range(2):
        with pytest.raises(ValueError, match="not there yet"):
            value()
