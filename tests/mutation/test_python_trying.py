"""How long a mistake in Python is tried: by the processor's time, so that a busy machine makes no mistake noticed."""

import sys
import time
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tests.mutation.python import trying
from tests.mutation.python.scoring import ROOT, groups

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def test_a_process_that_computes_for_longer_than_it_gave_itself_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def computes(send: Callable[[Any], None]) -> None:
        send({"seconds": 0.1})
        while time.process_time() < 2.0:
            pass
        send({"ended": True, "seconds": 5.0})

    monkeypatch.setattr(trying, "WAITING", 1000)
    assert list(trying._messages(computes, patience=5.0)) == [{}]


def test_a_process_that_others_keep_from_computing_goes_on() -> None:
    def waits(send: Callable[[Any], None]) -> None:
        send({"seconds": 0.1})
        time.sleep(0.3)
        send({"ended": True, "seconds": 5.0})

    assert list(trying._messages(waits, patience=5.0)) == [{}, {"ended": True}]


def test_what_a_module_keeps_in_caches_of_its_own_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    own, imported = cache(lambda: 1), cache(lambda: 2)
    own.__module__ = "under_trial"
    module = ModuleType("under_trial")
    vars(module).update(own=own, imported=imported)
    monkeypatch.setitem(sys.modules, "under_trial", module)
    assert (own(), imported()) == (1, 2)
    trying._forget(["under_trial", "not_imported"])
    assert (own.cache_info().currsize, imported.cache_info().currsize) == (0, 1)


def test_every_module_and_test_of_a_group_is_there() -> None:
    named = {path for group in groups() for path in (*group.modules, *group.tests)}
    assert sorted(path for path in named if not (ROOT / path).exists()) == []
