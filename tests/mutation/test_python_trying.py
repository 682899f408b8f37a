"""How long a mistake in Python is tried: by the processor's time, so that a busy machine makes no mistake noticed."""

import sys
import time
from collections.abc import Callable
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from mutmut.mutation import trampoline

from tests.mutation.python import trying
from tests.mutation.python.making import mutants_of_module
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


def test_what_a_module_and_those_beside_it_keep_in_caches_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    own, beside, imported, elsewhere = (cache(lambda: 1) for _ in range(4))
    own.__module__, beside.__module__, elsewhere.__module__ = "trial.own", "trial.beside", "other.far"
    layout = SimpleNamespace(known={"column": {"cells": 1}})
    for name, things in (
        ("trial.own", {"own": own, "imported": imported}),
        ("trial.beside", {"beside": beside, "layout": layout}),
        ("other.far", {"elsewhere": elsewhere}),
    ):
        module = ModuleType(name)
        vars(module).update(things)
        monkeypatch.setitem(sys.modules, name, module)
    for one in (own, beside, imported, elsewhere):
        one()
    trying._forget(["trial.own", "trial.not_imported"])
    assert [one.cache_info().currsize for one in (own, beside, imported, elsewhere)] == [0, 0, 1, 1]
    assert layout.known == {}


DECORATED = """
from contextlib import contextmanager
from functools import cached_property

class Store:
    @property
    def depth(self):
        return 32

    @cached_property
    def width(self):
        return 4

    @staticmethod
    def height():
        return 7

@contextmanager
def opened():
    yield 5
"""


def test_mistakes_are_made_in_functions_with_a_decorator_too(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mutants_of_module("under_trial", DECORATED)
    names = {mutant.what: mutant.name for mutant in made.mutants}
    changes = {"Store.depth": "32` is `33", "Store.width": "4` is `5", "Store.height": "7` is `8", "opened": "5` is `6"}
    assert {f"{function}: `{change}`" for function, change in changes.items()} <= names.keys()
    module: dict[str, Any] = {"__name__": "under_trial"}
    exec(made.code, module)

    def found() -> tuple[int, ...]:
        store = module["Store"]()
        with module["opened"]() as value:
            return store.depth, store.width, store.height(), value

    # The switch is in the environment as well.
    monkeypatch.setenv("MUTANT_UNDER_TEST", "")
    monkeypatch.setattr(trampoline, "_mutant_under_test", "")
    assert found() == (32, 4, 7, 5)
    for place, (function, change) in enumerate(changes.items()):
        trampoline.set_mutant_under_test(names[f"{function}: `{change}`"])
        assert found() == tuple(value + (at == place) for at, value in enumerate((32, 4, 7, 5)))


def test_every_module_and_test_of_a_group_is_there() -> None:
    named = {path for group in groups() for path in (*group.modules, *group.tests)}
    assert sorted(path for path in named if not (ROOT / path).exists()) == []
