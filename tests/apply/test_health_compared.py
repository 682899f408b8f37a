"""What is worse in the second of two healths of a host, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.apply.gates import compared, has_more_machines
from auditor.endpoints.common.health import ABORTS, ALARMS, CONNECTION, LATENCY, PATHS, Health

FINE = Health(
    "esx-1",
    good={PATHS: frozenset({"p1", "p2", "p3"}), CONNECTION: frozenset({"connected"})},
    bad={ALARMS: frozenset({"red alarm: fan"})},
    figures={LATENCY: 2.0, ABORTS: 0.1, f"{ABORTS} samples": 10},
    machines=frozenset({"vm-1"}),
)


def figures(**changes: Any) -> dict[str, float]:
    names = {"latency": LATENCY, "highest": f"{LATENCY} highest", "aborts": ABORTS, "samples": f"{ABORTS} samples"}
    found = {**FINE.figures, **{names[name]: value for name, value in changes.items()}}
    return {name: value for name, value in found.items() if value is not None}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        pytest.param({}, {}, [], id="the same"),
        pytest.param({}, {"good": {**FINE.good, PATHS: frozenset({"p1", "p3"})}}, ["esx-1 lost p2 (paths)"], id="a path"),
        pytest.param({}, {"good": {CONNECTION: FINE.good[CONNECTION]}}, ["esx-1 lost p1 and 2 more (paths)"], id="all paths"),
        pytest.param(
            *({}, {"good": {PATHS: FINE.good[PATHS]}, "unknown": {CONNECTION: "no answer"}}),
            ["the state of connection of esx-1 cannot be read: no answer"],
            id="what is not known is not lost, and has to be known",
        ),
        pytest.param({}, {"good": {**FINE.good, "volumes": frozenset({"v"})}}, [], id="more is not worse"),
        pytest.param(
            {}, {"bad": {ALARMS: frozenset({"red alarm: fan", "red alarm: disk"})}}, ["esx-1 has a new red alarm: disk"], id="an alarm"
        ),
        pytest.param({"bad": {}}, {"bad": {ALARMS: frozenset({"red alarm: disk"})}}, [], id="alarms were not read before"),
        pytest.param({}, {"bad": {}}, [], id="alarms are gone"),
        pytest.param({}, {"figures": figures(latency=841.0)}, ["latency of esx-1 rose from 2 ms to 841 ms"], id="slow"),
        pytest.param({"figures": figures(latency=None)}, {"figures": figures(latency=841.0)}, [], id="not known before"),
        pytest.param({}, {"figures": figures(latency=None)}, [], id="not known now"),
        pytest.param({"figures": figures(highest=900.0)}, {"figures": figures(latency=841.0)}, [], id="as slow as it is at times"),
        pytest.param({}, {"figures": figures(latency=841.0), "machines": frozenset({"vm-1", "vm-2"})}, [], id="a machine came"),
        pytest.param({}, {"figures": figures(latency=841.0), "machines": None}, [], id="a machine may have come"),
        pytest.param(
            {}, {"figures": figures(latency=841.0), "machines": frozenset()}, ["latency of esx-1 rose from 2 ms to 841 ms"], id="one left"
        ),
        pytest.param(
            {}, {"figures": figures(aborts=0.5)}, ["esx-1 has aborts or resets in 50% of its samples, and had in 10%"], id="aborts"
        ),
        pytest.param({"figures": figures(aborts=None)}, {"figures": figures(aborts=0.5)}, [], id="aborts were not read before"),
        pytest.param({}, {"figures": figures(aborts=None)}, [], id="aborts are not read now"),
        pytest.param({}, {"figures": figures(aborts=0.5, samples=0)}, [], id="aborts in no sample"),
        pytest.param({}, {"figures": figures(aborts=0.5, samples=None)}, [], id="aborts in nobody knows how many samples"),
        pytest.param(
            *({}, {"figures": figures(latency=841.0, aborts=0.5), "good": {CONNECTION: FINE.good[CONNECTION]}}),
            [
                "esx-1 lost p1 and 2 more (paths)",
                "latency of esx-1 rose from 2 ms to 841 ms",
                "esx-1 has aborts or resets in 50% of its samples, and had in 10%",
            ],
            id="all at once",
        ),
    ],
)
def test_what_got_worse_is_said(before: dict[str, Any], after: dict[str, Any], found: list[str]) -> None:
    assert compared(replace(FINE, **before), replace(FINE, **after)) == found


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        (None, None, False),
        (None, {"a"}, False),
        ({"a"}, None, True),
        ({"a"}, {"a"}, False),
        ({"a"}, {"a", "b"}, True),
        ({"a", "b"}, {"a"}, False),
        ({"a"}, {"b"}, True),
        (set(), set(), False),
    ],
)
def test_a_host_has_more_machines_where_one_came_or_may_have(before: set[str] | None, after: set[str] | None, *, more: bool) -> None:
    was, now = (replace(FINE, machines=None if names is None else frozenset(names)) for names in (before, after))
    assert has_more_machines(was, now) is more
