"""What the changes of a plan do to facts, and what answers back; the settings whose reading is a fact of its own."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from auditor.engine.judge import judge
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import Change, Plan
from tests.engine.test_shipped_rules import shipped

WHEN = datetime(2026, 11, 22, tzinfo=UTC)


def planned(connection: duckdb.DuckDBPyConnection) -> Plan:
    """The plan for these facts; the connection is of no use afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Snapshot(connection, (), (), WHEN, WHEN)
        return judge(snapshot, shipped(), (), None, findings=Path(folder) / "findings.parquet", spill=Path(folder) / "spill").plan


def _dsnro(change: Change) -> str:
    return f"UPDATE fact.device_scheduling SET dsnro = {change.after} WHERE {_where(change, 'host_id', 'device')}"


def _perennially_reserved(change: Change) -> str:
    return f"UPDATE fact.device SET perennially_reserved = {change.after} WHERE {_where(change, 'host_id', 'device')}"


def _option(change: Change) -> str:
    return f"UPDATE fact.host_option SET value = '{change.after}' WHERE {_where(change, 'host_id', key='option')}"


def _sioc(change: Change) -> str:
    return f"UPDATE fact.datastore SET sioc_enabled = {change.after} WHERE {_where(change, 'datastore_id')}"


def _target_option(change: Change) -> str:
    keys = dict(change.target.keys)
    if keys["option"] == "DelayedAck":
        place = _where(change, "host_id", "hba", "address", "iqn", kind="target_kind")
        return f"UPDATE fact.iscsi_target SET delayed_ack = {change.after}, delayed_ack_inherited = false WHERE {place}"
    target = f"{keys['address']}:{keys['port']}" + (f" {keys['iqn']}" if keys["iqn"] else "")
    where = f"{_where(change, 'host_id', 'hba', key='option')} AND target = '{target}'"
    return f"UPDATE fact.iscsi_option SET value = '{change.after}', is_inherited = false WHERE {where}"


def _module_option(change: Change) -> str:
    """After the restart that it takes: the option string, and with it the depth of every device of the driver."""
    keys = dict(change.target.keys)
    word = "" if change.after is None else f" {keys['parameter']}={change.after}"
    string = f"trim(regexp_replace(coalesce(option_string, ''), '(^|\\s){keys['parameter']}=\\S*', '') || '{word}')"
    devices = f"SELECT p.device FROM fact.path AS p JOIN fact.hba AS h USING (endpoint, host_id, hba) WHERE h.driver = '{keys['module']}'"
    place = _where(change, "host_id")
    within = place.replace('"endpoint"', "p.endpoint").replace('"host_id"', "p.host_id")
    deeper = f"UPDATE fact.device SET queue_depth = {change.after} WHERE {place} AND device IN ({devices} AND {within})"
    word_now = "NULL" if change.after is None else f"'{change.after}'"  # the host's list has what is configured, before a restart too
    within_list = f"{_where(change, 'host_id', 'module')} AND name = '{keys['parameter']}'"
    list_now = f"UPDATE fact.host_module_parameter SET value = {word_now} WHERE {within_list}"
    return f"UPDATE fact.host_module SET option_string = {string} WHERE {_where(change, 'host_id', 'module')};\n{list_now};\n{deeper}"


def _sioc_threshold(change: Change) -> str:
    mode, *number = str(change.after).split()
    threshold = f", sioc_threshold_ms = {number[0]}" if number else ""
    return f"UPDATE fact.datastore SET sioc_mode = '{mode}'{threshold} WHERE {_where(change, 'datastore_id')}"


def _unmap(change: Change) -> str:
    return f"UPDATE fact.datastore SET unmap_priority = '{change.after}' WHERE {_where(change, 'datastore_id')}"


def _io_metric(change: Change) -> str:
    return f"UPDATE fact.storage_pod SET io_metric_enabled = {change.after} WHERE {_where(change, 'pod_id')}"


def _automation(change: Change) -> str:
    return f"UPDATE fact.storage_pod SET default_behavior = '{change.after}' WHERE {_where(change, 'pod_id')}"


def _disk_limit(change: Change) -> str:
    limit = "NULL" if change.after == -1 else change.after
    return f"UPDATE fact.vm_disk SET iops_limit = {limit} WHERE {_where(change, 'vm_id', 'disk_key')}"


def _queue_full(change: Change) -> str:
    sample_size, _, threshold = str(change.after).partition("/")
    devices = ", ".join(f"'{device}'" for device in dict(change.target.keys)["devices"].split())
    values = f"queue_full_sample_size = {sample_size}, queue_full_threshold = {threshold}"
    return f"UPDATE fact.device_scheduling SET {values} WHERE {_where(change, 'host_id')} AND device IN ({devices})"


def _path_policy(change: Change) -> str:
    psp, _, limit = str(change.after).partition(", ")
    policy, _, count = limit.partition(" ")
    place = _where(change, "host_id", "device")
    quoted = f"'{policy}'" if policy else "NULL"
    values = f"psp = '{psp}', rr_policy = {quoted}, rr_iops = {count or 'NULL'}"
    return f"UPDATE fact.device_policy SET {values} WHERE {place};\nUPDATE fact.path SET psp = '{psp}' WHERE {place}"


def _efficiency_priority(change: Change) -> str:
    return f"UPDATE fact.array_efficiency SET qos_policy = '{change.after}' WHERE {_where(change, 'policy_id')}"


OF_A_SETTING: Mapping[str, Callable[[Change], str]] = {
    "device.dsnro": _dsnro,
    "host.option": _option,
    "datastore.sioc": _sioc,
    "iscsi.target_option": _target_option,
    "host.module_option": _module_option,
    "datastore.sioc_threshold": _sioc_threshold,
    "datastore.unmap": _unmap,
    "pod.io_metric": _io_metric,
    "pod.automation": _automation,
    "vm.disk_limit": _disk_limit,
    "device.perennially_reserved": _perennially_reserved,
    "device.queue_full": _queue_full,
    "device.path_policy": _path_policy,
    "ontap.efficiency_priority": _efficiency_priority,
}
"""By remediator, the statement that makes the facts what they are after a change."""

NOT_ONE_FACT: Mapping[str, str] = {
    "iscsi.delayed_ack": "an adapter's answer is inherited by its targets",
    "element.qos_policy": "the array changes every volume in the policy with it",
    "element.volume_limits": "likewise",
    "host.claim_rule": "the rule may be gone afterwards, and with it what the verdict was about",
    "ontap.efficiency_schedule": "the schedule that a volume goes over to has starts of its own",
}
"""Remediators whose changes are more than one fact; tests/long/walk applies them to the lab and audits again."""


def storage_drs_answers(changes: Sequence[Change]) -> Iterator[str]:
    """Storage DRS switches Storage I/O Control on again wherever its I/O metric is in force: docs/domain/incidents.md#s1."""
    for change in changes:
        if change.remediator == "datastore.sioc" and change.after is False:
            pods = "SELECT endpoint, pod_id FROM fact.storage_pod WHERE sdrs_enabled AND io_metric_enabled"
            yield f"UPDATE fact.datastore SET sioc_enabled = true WHERE {_where(change, 'datastore_id')} AND (endpoint, pod_id) IN ({pods})"


def _where(change: Change, *same: str, **named: str) -> str:
    """The condition on the rows of a change's target: by keys that are columns of that name, and by others."""
    keys = dict(change.target.keys)
    pairs = {"endpoint": change.target.endpoint, **{key: keys[key] for key in same}, **{column: keys[key] for column, key in named.items()}}
    return " AND ".join(f"\"{column}\" = '{value}'" for column, value in pairs.items())
