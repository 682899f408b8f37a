"""What a process of tests does once, where a user's process, which runs one command, does it for each.

* The shipped rules are read once, as long as their files and what they may range over stay as they are: each time is 30 to 50 ms.
* Garbage is searched for as seldom as the program does it (`auditor.cli.main`).
* Each command is made once: typer makes it anew for each command line, in 30 ms, and the tree of all commands in 50 ms.
* Nobody waits between two readings of an ONTAP cluster's counters: the clock by which the lab's counters grow, and by which the collector
  tells how far apart its readings are, is put forward instead. Commands that tests start as processes wait.
* DuckDB runs statements in one thread, as it does for the program on a machine of one processor. Tests have a few rows each, and three
  processes share two processors: threads only wait for each other. Commands that tests start as processes use all, and so does
  `tests/long/facts/test_spilling.py`, where many rows are.
* jsonschema finds no grammar of internationalised addresses, which takes more than a second to load: no schema here asks for that format.
"""

from __future__ import annotations

import atexit
import functools
import gc
import os
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
import typer.main

from auditor.cli import commands
from auditor.endpoints.ontap.collect import collect_ontap
from auditor.engine.rules import loading
from auditor.engine.rules.rule import RuleSet
from auditor.recording import capture
from auditor_lab.arrays.ontap.server import OntapServer
from auditor_lab.recorded.counters import GrowingCounters

OBJECTS_A_COLLECTION = 20_000
"""As in `auditor.cli`."""

threads: int | None = 1
"""How many threads DuckDB's new databases have; a file of tests that needs them sets it to None, which is DuckDB's own choice."""


class _Clock:
    """Seconds; what sleeps by it puts it forward."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return time.monotonic() + self._ahead

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._ahead += max(0.0, seconds)


_counters_clock = _Clock()
_connect = duckdb.connect
_app_for = commands.app_for
_load_rules = loading.load_rules
_SHIPPED = Path(__file__).parents[1] / "rules"
_rules: list[tuple[tuple[object, ...], RuleSet]] = []
_apps: dict[tuple[object, ...], typer.Typer] = {}
_patches = pytest.MonkeyPatch()


def pytest_configure() -> None:
    """Collecting ten thousand tests makes some million objects, and hardly one of them is garbage: nobody searches them meanwhile."""
    gc.disable()
    _patches.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
    _patches.setattr(commands, "app_for", _app_once)
    _patches.setattr(loading, "load_rules", _rules_once)
    _patches.setattr(duckdb, "connect", _connect_with_threads)
    _patches.setitem(sys.modules, "rfc3987_syntax", None)
    waiting = {"clock": _counters_clock, "sleep": _counters_clock.sleep}
    _patches.setattr(collect_ontap, "__kwdefaults__", {**(collect_ontap.__kwdefaults__ or {}), **waiting})
    _patches.setattr(OntapServer.__init__, "__kwdefaults__", {**(OntapServer.__init__.__kwdefaults__ or {}), "clock": _counters_clock})
    _patches.setattr(GrowingCounters.__init__, "__defaults__", (_counters_clock,))
    _patches.setattr(capture, "time", SimpleNamespace(monotonic=_counters_clock))  # when a recorded answer came


def pytest_unconfigure() -> None:
    """Leave all as it was. What is frozen stays so until pytest has searched for garbage; DuckDB's binding prints what is never freed."""
    _patches.undo()
    atexit.register(gc.unfreeze)


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: it is not searched for garbage again and again, but what tests leave is."""
    gc.freeze()
    gc.set_threshold(OBJECTS_A_COLLECTION)
    gc.enable()


@functools.wraps(_connect)
def _connect_with_threads(*arguments: Any, **named: Any) -> duckdb.DuckDBPyConnection:
    connection = _connect(*arguments, **named)
    if threads is not None:
        connection.execute(f"SET threads = {threads}")
    return connection


@functools.wraps(_app_for)
def _app_once(arguments: Sequence[str]) -> typer.Typer:
    """One app for all command lines that begin alike; another one where a test put something else in the place of the command."""
    first = arguments[0] if arguments else ""
    entry = commands._ENTRIES.get(first)
    called: object = first if first in ("-h", "--help", "--version") else None
    if entry is not None and not entry.is_group:
        called = getattr(import_module(f"auditor.cli.{entry.module}"), commands.function_name(first))
    key = (first if entry is not None else "", called, vars(commands)["on_windows"]())  # which tests exchange there
    if key not in _apps:
        _apps[key] = _app_for(arguments)
    return _apps[key]


@functools.wraps(_load_rules)
def _rules_once(directories: Sequence[Path], views: Any, remediators: Collection[str], checked: Any = None) -> RuleSet:
    """The shipped rules, read again where a file, a view, a remediator or a check is another than it was; others are read each time."""
    if [*directories] != [_SHIPPED]:
        return _load_rules(directories, views, remediators, checked)
    stamp = (sorted(_stamps()), views, frozenset(remediators), checked)
    if not _rules or _rules[0][0] != stamp:
        _rules[:] = [(stamp, _load_rules(directories, views, remediators, checked))]
    return RuleSet(dict(_rules[0][1].rules), views)


def _stamps() -> Iterator[tuple[str, int, int, int]]:
    """What tells a file of the shipped rules that was written from what it was before."""
    for folder, _, names in os.walk(_SHIPPED):
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118  a path of pathlib for each of the files takes most of the time
            found = os.stat(path)  # noqa: PTH116
            yield path, found.st_mtime_ns, found.st_size, found.st_ino
