"""What was measured stays in scope: no rule over measured waiting is "not applicable" because of what a device is, or whose."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from auditor.authoring.examples import _judge_rows
from auditor.engine.rules.rule import Rule
from auditor.model import Verdict

from .test_shipped_rules import sealed, shipped

MEASURED = {
    "kavg_run_over_2ms",
    "queued",
    "troubled_samples",
    "davg_median_ms",
    "outstanding_per_disk",
    "sioc_active_percent",
}
"""Columns of views in which somebody counted that commands wait, or were given up."""

WHAT_IT_IS: dict[str, tuple[Any, ...]] = {
    "is_shared": (True, False, None),
    "is_local": (True, False, None),
    "is_protocol_endpoint": (True, False, None),
    "is_namespace": (True, False, None),
    "device_type": ("disk", "enclosure", None),
    "family": ("flasharray", "ontap", "dell-sc", "eternus-dx", "other", None),
    "kind": ("fc", "iscsi", "fcoe", "nvme", "sas", "block", None),
    "datastore_type": ("VMFS", "NFS", "NFS41", "VVOL", "vsan", None),
    "type": ("VMFS", "NFS", "NFS41", "VVOL", "vsan", None),
    "devices": (0, 1, None),
}
"""Columns that say what a thing is, or whose."""

STAYS_OUT = {
    "diag/array-vs-host": "It compares two sides: without the array's own latency there is nothing to compare; diag/davg has the host's.",
    "sioc/active-time": "Only datastores of VMFS and NFS 3 can have it, and where it is off it holds nobody back.",
    "vm/disk-spread": "Commands under way are a load, no wait. It advises further datastores: only those of VMFS have device queues.",
}


def rules_over_waiting() -> Iterator[Rule]:
    for rule in shipped().rules.values():
        named = {*rule.holds.columns, *(rule.observed.columns if rule.observed else ()), *(rule.message.columns if rule.message else ())}
        if named & MEASURED:
            yield rule


def test_the_rules_over_measured_waiting_are_known() -> None:
    assert {rule.id for rule in rules_over_waiting()} == {
        "diag/aborts-resets",
        "diag/array-vs-host",
        "diag/davg",
        "diag/kavg",
        "diag/queue-full",
        "queue/adapter-oversubscription",
        "sioc/active-time",
        "vm/controller",
        "vm/disk-spread",
    }


def others_of(rule: Rule, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The row with every combination of what it may be, and whose."""
    named = [name for name in WHAT_IT_IS if rule.applies is not None and name in rule.applies.columns]
    return [{**row, **dict(zip(named, values, strict=True))} for values in product(*(WHAT_IT_IS[name] for name in named))]


@pytest.mark.parametrize("rule", [rule for rule in rules_over_waiting() if rule.id not in STAYS_OUT], ids=lambda rule: rule.id)
def test_commands_that_were_counted_as_waiting_are_somebodys_whatever_is_behind_them(rule: Rule) -> None:
    failing = [example for example in rule.examples if example.verdict is Verdict.FAIL]
    waiting = [dict(one.row) for one in failing if is_by_what_was_measured(rule, dict(one.row))]
    assert waiting
    rows = [row for one in waiting for row in others_of(rule, one)]
    scoped, without_scope = (verdicts(one, rows) for one in (rule, replace(rule, applies=None)))
    failing_by_holds = [place for place, verdict in enumerate(without_scope) if verdict == Verdict.FAIL]
    assert failing_by_holds
    assert [rows[place] for place in failing_by_holds if scoped[place] == Verdict.NOT_APPLICABLE] == []


def verdicts(rule: Rule, rows: list[dict[str, Any]]) -> list[Any]:
    return [found["verdict"] for found in _judge_rows(sealed(), rule, shipped().views[rule.over], rows)]


def is_by_what_was_measured(rule: Rule, row: dict[str, Any]) -> bool:
    """Whether the row fails no more when nothing waits."""
    calm = {**row, **{name: 0 for name in MEASURED if row.get(name) is not None}}
    return bool(verdicts(rule, [calm]) != [Verdict.FAIL])
