"""What was measured stays in scope: no rule over measured waiting is "not applicable" because of what a device is, or whose.

Which rules these are follows from the facts that their conditions rest on: a counter that is new, or a rule over one, has to be listed.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from auditor.engine.rules.rule import Rule
from auditor.facts.catalog import facts_of_columns
from auditor.facts.schema import TABLES
from auditor.model import Verdict

from .test_shipped_rules import judge_rows, shipped

MEASURED = {
    "kavg_run_over_2ms",
    "queued",
    "troubled_samples",
    "davg_median_ms",
    "outstanding_per_disk",
    "sioc_active_percent",
    "is_at_limit",
    "ceiling_use_at_least",
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
    "is_capped": (True, False, None),
    "is_busy": (True, False, None),
    "is_ceiling_countable": (True, False, None),
    "sioc_enabled": (True, False, None),
}
"""Columns that say what a thing is, or whose, or what else is known of it."""

NOT_VARIED = {
    "commands_per_second": "A mean over few commands is that of chance, and nothing waits where none pass.",
    "is_full": "Itself what was measured.",
    "active_at_most": "Itself what was measured.",
    "power_state": "A machine that is off has no counters.",
    "controller": "It is what vm/controller is about.",
}
"""Columns of `applies` that the law leaves as they are in an example."""

WAITING = {
    "device_load": (
        "gavg_ms davg_ms kavg_ms qavg_ms davg_median_ms kavg_max_ms kavg_run_over_1ms kavg_run_over_2ms commands_aborted bus_resets "
        "troubled_samples"
    ),
    "adapter_load": "queued queued_max queue_ms",
    "datastore_load": "latency_ms sioc_active_percent observed_latency_us normalized_latency_us",
    "vm_disk_load": "latency_ms",
    "array_volume_load": "utilization latency_us client_queue_depth throttle_us scheduled_us throttled_share",
    "array_pool_load": "busy_percent current_latency_us current_ops optimal_ops",
}
"""By table of counters, the columns that count waiting, or how near it is."""

NO_WAITING = {
    "device_load": "samples window_begin sampled_at commands_per_second busy_samples max_queue_depth",
    "adapter_load": "samples sampled_at queue_depth outstanding outstanding_max commands_per_second",
    "datastore_load": "samples sampled_at iops max_queue_depth",
    "vm_disk_load": "samples window_begin sampled_at commands_per_second outstanding io_bytes",
    "array_volume_load": "average_io_bytes actual_iops burst_credit bytes_per_second misaligned_ratio",
    "array_pool_load": "disk_iops transfers_per_second user_transfers_per_second consistency_reads_per_second",
}
"""Those that count what passes, the depth of queues, and samples."""

WHETHER_QOS_WAS_READ = {
    "baseline/element-volume-qos",
    "baseline/eternus-volume-qos",
    "baseline/flasharray-group-qos",
    "baseline/flasharray-volume-qos",
    "baseline/nimble-volume-qos",
    "baseline/powerstore-volume-qos",
    "baseline/sc-volume-qos",
    "baseline/volume-qos",
    "qos/one-throttler",
    "qos/sc-profile-priority",
    "qos/shared-queue-throttle",
    "queue/device-depth-uniform",
    "queue/driver-depth",
    "sioc/overlap-array-qos",
    "vvol/pe-default-option",
}
"""Rules that rest on the delay of a FlashArray's QoS only in so far as it shows that a ceiling was not found."""

STAYS_OUT = {
    "diag/array-vs-host": "It compares two sides: without the array's own latency there is nothing to compare; diag/davg has the host's.",
    "sioc/active-time": "Only datastores of VMFS and NFS 3 can have it, and where it is off it holds nobody back.",
    "diag/noisy-neighbour-signature": "It names who makes others wait behind a protocol endpoint; the wait itself is for diag/davg.",
    "ontap/aggregate-headroom": "Only an ONTAP reports how many operations an aggregate stands.",
    "ontap/disk-busy": "A flash disk works on many commands at once, and is busy long before it is full (unverified: no document that "
    "was read says from which share on); ontap/aggregate-headroom has the aggregate's own measure.",
    "qos/host-limit-below-array-limit": "It asks for a limit on the host; a disk at its ceiling is for qos/element-throttled-volume.",
    "qos/shared-volume-near-ceiling": "It warns where machines share a volume; one at its ceiling is for qos/element-throttled-volume.",
    "vm/disk-spread": "Commands under way are a load, no wait. It advises further datastores: only those of VMFS have device queues.",
}


def rules_over_waiting() -> Iterator[Rule]:
    """The rules that judge or show what a counter of waiting says, by the facts that their columns rest on."""
    waiting = {(table, column) for table, columns in WAITING.items() for column in columns.split()}
    for rule in shipped().rules.values():
        named = {*rule.holds.columns, *(rule.observed.columns if rule.observed else ())}
        if rule.id not in WHETHER_QOS_WAS_READ and facts_of_columns(rule.over, named) & waiting:
            yield rule


def test_every_counter_counts_waiting_or_says_that_it_does_not() -> None:
    counters = {name: {*table.names} - {*table.key} for name, table in TABLES.items() if name.endswith("_load")}
    assert {name: {*WAITING[name].split(), *NO_WAITING[name].split()} for name in counters} == counters
    assert not {(table, word) for table, words in WAITING.items() for word in words.split() if word in NO_WAITING[table].split()}


def test_a_rule_that_asks_whether_qos_was_read_rests_on_no_other_counter_of_waiting() -> None:
    waiting = {(table, column) for table, columns in WAITING.items() for column in columns.split()}
    for rule_id in WHETHER_QOS_WAS_READ:
        rule = shipped().rules[rule_id]
        named = {*rule.holds.columns, *(rule.observed.columns if rule.observed else ())}
        assert facts_of_columns(rule.over, named) & waiting == {("array_volume_load", "throttle_us")}, rule_id


def test_what_a_law_leaves_as_it_is_has_its_reason() -> None:
    asked = {name for rule in rules_over_waiting() if rule.id not in STAYS_OUT and rule.applies for name in rule.applies.columns}
    assert asked - {*MEASURED, *WHAT_IT_IS} == {*NOT_VARIED}


def test_the_rules_over_measured_waiting_are_known() -> None:
    assert {rule.id for rule in rules_over_waiting()} == {
        "diag/aborts-resets",
        "diag/array-vs-host",
        "diag/davg",
        "diag/kavg",
        "diag/noisy-neighbour-signature",
        "diag/queue-full",
        "ontap/aggregate-headroom",
        "ontap/disk-busy",
        "qos/element-throttled-volume",
        "qos/host-limit-below-array-limit",
        "qos/shared-volume-near-ceiling",
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
    return [found["verdict"] for found in judge_rows(rule, rows)]


def is_by_what_was_measured(rule: Rule, row: dict[str, Any]) -> bool:
    """Whether the row fails no more when nothing waits."""
    calm = {**row, **{name: type(row[name])(0) for name in MEASURED if row.get(name) is not None}}
    return bool(verdicts(rule, [calm]) != [Verdict.FAIL])
