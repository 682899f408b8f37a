"""Runs tests with mistakes in Python put in: pytest collects once, and forks one process after the other from what it collected.

The first process runs each test as it is and notes which functions it calls. Another one for each module tries the mistakes: only tests
that call the function, those that noticed others in it and quick ones first, each with all its fixtures anew. A process that does not come
on is ended, which counts as noticed. A test that noticed has to pass again without the mistake; where it does not, something is left of the
mistake: the process is given up, and the next one tries the mistake first.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import os
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation import trampoline

from tests.mutation.python.making import PythonMutant

MOST_TESTS, MOST_SECONDS = 200, 8.0
"""So many tests are tried on one mistake at most, and for so many seconds of processor time."""

PATIENCE = 8, 6.0
"""A test may take so many times the processor time that it takes without a mistake, and so many seconds of it more."""

WAITING = 20
"""A process may take so many times as long by the clock: others use the processor, and a test may wait."""


@dataclass
class Trial:
    """What one run of tests found; seconds are of processor time, which a busy machine does not make longer.

    Attributes:
        noticed: by name of the mistake, the test that fails.
        failing: tests that fail without a mistake.
        calls: by function, the tests that call it.
        seconds: by test.
        imported: functions that are called when modules are imported: a mistake that is switched on later is not in what they returned.
    """

    noticed: dict[str, str] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)
    calls: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    imported: list[str] = field(default_factory=list)

    def cannot_be_tried(self, mutant: PythonMutant) -> bool:
        """Whether the mistake is in a function that is called at import alone."""
        return mutant.function in self.imported and mutant.function not in self.calls


def try_tests(codes: Mapping[str, tuple[Path, str]], mutants: Mapping[str, Sequence[PythonMutant]], tests: Sequence[str]) -> Trial:
    """Which of these mistakes make a test fail.

    Args:
        codes: by name of each module, its file and the text with all mistakes.
        mutants: by name of each module, those to try.
        tests: files and folders of tests.

    Raises:
        ValueError: a test cannot be collected, or fails without a mistake.
    """
    sys.meta_path.insert(0, _Finder(codes))
    trying = _Trying(mutants)
    trampoline.record_trampoline_hit = trying.note_call
    trampoline.set_mutant_under_test("stats")
    options = ["-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--no-summary"]
    ended = pytest.main([*options, *tests], plugins=[trying])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise ValueError(f"pytest ends with {ended!r}: do the tests {' '.join(tests)} run?")
    if trying.trial.failing:
        raise ValueError(f"these tests fail without a mistake: {' '.join(trying.trial.failing)}")
    return trying.trial


class _Loader(SourceFileLoader):
    """Loads a module from a text that is not the file's."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.get_filename(fullname), "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules that have mistakes."""

    def __init__(self, codes: Mapping[str, tuple[Path, str]]) -> None:
        if loaded := codes.keys() & sys.modules.keys():
            raise ValueError(f"modules were imported before mistakes could be put in: {' '.join(sorted(loaded))}")
        self._codes = codes

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname not in self._codes:
            return None
        file, text = self._codes[fullname]
        return importlib.util.spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file), text))


class _Trying:
    """A plugin of pytest that takes the place of its loop over tests."""

    def __init__(self, mutants: Mapping[str, Sequence[PythonMutant]]) -> None:
        self.trial = Trial()
        self._mutants = mutants
        self._items: dict[str, pytest.Item] = {}
        self._called = set[str]()

    def note_call(self, function: str, caller: str | None = None) -> None:
        """A function of a module with mistakes is called; mutmut's trampoline knows the caller as well."""
        self._called.add(function)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run tests in processes of their own."""
        self.trial.imported = sorted(self._called)
        self._items = {item.nodeid: item for item in session.items}
        for message in _messages(self._run_plain, patience=60.0):
            if "failing" in message:
                self.trial = Trial(**message)
        if not self.trial.failing:
            for module, several in self._mutants.items():
                self._try_module(list(several))
                missed = [mutant for mutant in several if mutant.name not in self.trial.noticed]
                sys.stderr.write(f"{module}: {len(several) - len(missed)} of {len(several)} noticed\n")
        return True

    def _run_plain(self, send: Callable[[Any], None]) -> None:
        """Every test as it is: which functions it calls, and how long it takes."""
        trial = Trial(imported=self.trial.imported)
        for nodeid, item in self._items.items():
            self._called.clear()
            started = time.process_time()
            if not _passes(item, "stats") and not _passes(item, "stats"):  # once may be a busy machine
                trial.failing.append(nodeid)
            trial.seconds[nodeid] = time.process_time() - started
            for function in self._called:
                trial.calls.setdefault(function, []).append(nodeid)
            send({"seconds": 60.0})
        send(vars(trial))

    def _try_module(self, left: list[PythonMutant]) -> None:
        """Try the mistakes of a module, in as many processes as it takes."""
        left = [mutant for mutant in left if mutant.function in self.trial.calls]
        helpful = Counter[tuple[str, str]]()
        while left:
            at = 0
            ended = False
            for message in _messages(lambda send: self._try_several(left, helpful, send), patience=30.0):  # noqa: B023  used at once
                if "at" in message:
                    at = message["at"]
                if (nodeid := message.get("noticed")) is not None:
                    self.trial.noticed[left[at].name] = nodeid
                    helpful[left[at].function, nodeid] += 1
                ended = ended or "ended" in message
            if ended:
                return
            if left[at].name not in self.trial.noticed and not message.get("again"):
                self.trial.noticed[left[at].name] = "it does not come to an end"
            left = left[at + (not message.get("again")) :]

    def _try_several(self, mutants: list[PythonMutant], helpful: Counter[tuple[str, str]], send: Callable[[Any], None]) -> None:
        helpful = helpful.copy()
        for at, mutant in enumerate(mutants):
            send({"at": at, "seconds": 5.0})
            seconds = self.trial.seconds
            tests = sorted(
                self.trial.calls[mutant.function],
                key=lambda nodeid: (-helpful[mutant.function, nodeid], not _is_about(mutant, nodeid), seconds[nodeid]),
            )
            started = time.process_time()
            for nodeid in tests[:MOST_TESTS]:
                if time.process_time() - started > MOST_SECONDS:
                    break
                send({"seconds": PATIENCE[0] * seconds[nodeid] + PATIENCE[1]})
                _forget(self._mutants)
                if _passes(self._items[nodeid], mutant.name):
                    continue
                _forget(self._mutants)
                if _passes(self._items[nodeid], ""):
                    helpful[mutant.function, nodeid] += 1
                    send({"noticed": nodeid, "seconds": 5.0})
                    break
                send({"noticed": nodeid, "again": False, "seconds": 5.0} if at == 0 else {"again": True, "seconds": 5.0})
                return
        send({"ended": True, "seconds": 5.0})


def _is_about(mutant: PythonMutant, nodeid: str) -> bool:
    """Whether a file of tests is named after the module: of hundreds of tests that call its functions only some are tried."""
    module = mutant.name.rpartition(".")[0].rpartition(".")[2]
    return Path(nodeid.partition("::")[0]).stem.startswith(f"test_{module}")


def _forget(modules: Iterable[str]) -> None:
    """Empty the caches of these modules and those beside them: what one kept from before would hide a mistake in what makes it.

    It would keep a mistake for other tests, too.
    """
    packages = {name.rpartition(".")[0] for name in modules}
    for name in [name for name in sys.modules if name.rpartition(".")[0] in packages]:
        for one in list(vars(sys.modules[name]).values()):
            if hasattr(one, "cache_clear") and one.__module__ == name:
                one.cache_clear()
            elif isinstance(known := getattr(one, "known", None), dict):  # values that a Layout of esxcli has read before
                known.clear()


def _passes(item: pytest.Item, mutant: str) -> bool:
    """Whether a test passes with a mistake switched on."""
    trampoline.set_mutant_under_test(mutant)
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def _messages(work: Callable[[Callable[[Any], None]], None], patience: float) -> Iterator[dict[str, Any]]:
    """What a process of its own sends while it works.

    It ends by itself where it does not come on within the seconds of processor time that it gave itself, and is ended after many times as
    long by the clock. `patience` is what it has until it gives itself any.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        _work(work, writing)
    os.close(writing)
    try:
        buffer = b""
        while select.select([reading], [], [], WAITING * patience)[0] and (part := os.read(reading, 1 << 20)):
            *lines, buffer = (buffer + part).split(b"\n")
            for line in lines:
                message = json.loads(line)
                patience = message.pop("seconds") if not isinstance(message.get("seconds"), dict) else patience
                yield message
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(reading)


def _work(work: Callable[[Callable[[Any], None]], None], writing: int) -> None:
    """In the new process: work, and end without a word."""
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        from hypothesis.configuration import set_hypothesis_home_dir

        set_hypothesis_home_dir(Path(tempfile.mkdtemp(prefix="mutants-")))  # what fails by a mistake is no example for later
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        work(lambda message: _send(writing, message))
    finally:
        os._exit(0)


def _send(writing: int, message: Any) -> None:
    if not isinstance(message["seconds"], dict):
        signal.setitimer(signal.ITIMER_PROF, message["seconds"])  # SIGPROF ends the process
    text = json.dumps(message).encode() + b"\n"
    while text:
        text = text[os.write(writing, text) :]
