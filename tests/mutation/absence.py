"""What becomes of verdicts once rows are known to be absent: which fall out of a rule's scope, and whether the rule or its view says so."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from auditor.facts.views import view_sql
from auditor.model import Verdict
from tests.engine.test_shipped_rules import shipped
from tests.mutation.bench import Bench, Key

SUBJECTS: Mapping[str, str] = {
    "array_efficiency": "deduplicates",
    "array_host": "group that an array knows",
    "array_pool": "pool",
    "array_protocol_endpoint": "device of an array",
    "array_qos_policy": "QoS policy",
    "array_replication": "relationship",
    "array_volume": "volume of an array|device of an array|pool of an array that datastores",
    "datastore": "datastore|virtual volume",
    "datastore_extent": "datastores are known to lie on",
    "datastore_mount": "datastore that it mounts",
    "device": "device|disk|protocol endpoint|family of arrays",
    "hba": "adapter|driver",
    "host_module": "module|driver",
    "iscsi_target": "target",
    "path": "driver|port of an array",
    "running_task": "being moved",
    "satp_rule": "claim rule",
    "storage_pod": "datastore cluster",
    "vm": "machine|virtual disk",
    "vm_disk": "virtual disk|machines of the fleet map",
    "vmknic": "VMkernel adapter",
}
"""What a view's first sentence calls its resource, where rows of the table make one: without them there is nothing to judge."""

SCOPES: Mapping[str, str] = {
    "array_address": "no NFS",
    "array_initiator": "hosts of another kind",
    "array_qos_policy": "a policy that is gone",
    "array_replication": "nothing is copied",
    "array_volume": "a volume that is gone|no ceiling|no cap|caps its volumes|is capped|off everywhere|behind it",
    "array_volume_load": "idle",
    "datastore": "datastore|no NFS|VMFS 5|nothing in it|thresholds are left|disk|nobody uses",
    "datastore_extent": "no datastore|boot from|under way",
    "datastore_mount": "mounts it|no NFS|VMFS 5",
    "device": "device|behind it|LUN|array|ETERNUS|protocol endpoint|ONTAP alone|one path",
    "hba": "hosts of another kind|port",
    "iscsi_portal": "nothing bound",
    "path": "no device is reached|one path|another vendor's target|no iSCSI",
    "satp_rule": "no rule names it",
    "vm": "disk|under way|nobody uses|alone behind it",
    "vm_disk": "disk|under way|nobody uses|alone behind it",
    "vvol_binding": "behind it",
    "vvol_mount": "disk|nobody uses",
}
"""What the name of an example may say is not there, where rows of the table are absent; of a table that is not here, nothing."""


@dataclass(frozen=True, slots=True)
class FallenOut:
    """A resource that a rule judged, and judges no more since rows are absent."""

    key: Key
    before: str
    now: Mapping[str, Any] | None  # the columns its scope goes by that are another now, with their values; None: there is no such resource


def absent(bench: Bench, table: str, share: str = "true") -> list[FallenOut]:
    """What passed or failed and is not judged any more once the rows of a table that a condition chooses are known to be absent."""
    with bench.altered(f'DELETE FROM fact."{table}" WHERE {share}') as changed:
        after = bench.judged(changed)
        lost = {
            key: judged.verdict
            for key, judged in bench.before(changed).items()
            if judged.verdict in ("pass", "fail") and (key not in after or after[key].verdict == "not_applicable")
        }
        now = {key: _scope(bench, key) for key in lost if key in after}
    return [FallenOut(key, verdict, _differing(now[key], _scope(bench, key)) if key in now else None) for key, verdict in lost.items()]


def says_why(fallen: FallenOut, table: str) -> bool:
    """Whether the rule or its view names the reason.

    Of a resource that is gone the first sentence of the view does, where what is absent makes it one. Of any other an example of the rule
    does, whose name is about what is absent, and which is out of scope by a value that is there now, and contradicts none.
    """
    rule = shipped()[fallen.key[0]]
    if fallen.now is None:
        return table in SUBJECTS and re.search(SUBJECTS[table], _first_sentence(rule.over)) is not None
    named = [
        {column: example.row[column] == value for column, value in fallen.now.items() if example.row.get(column) is not None}
        for example in rule.examples
        if example.verdict is Verdict.NOT_APPLICABLE and table in SCOPES and re.search(SCOPES[table], example.name)
    ]
    return any(same and all(same.values()) for same in named)


def _scope(bench: Bench, key: Key) -> dict[str, Any]:
    """The columns by which the rule decides whether it applies, of the resource as it is now."""
    rule_id, endpoint, resource = key
    rule = shipped()[rule_id]
    columns = () if rule.applies is None else rule.applies.columns
    listed = ", ".join(f'"{column}"' for column in columns)
    select = f'SELECT {listed} FROM "{rule.over}" WHERE endpoint = ? AND resource_id = ?'
    row = bench.connection.execute(select, [endpoint, resource]).fetchone()
    assert row is not None, key
    return dict(zip(columns, row, strict=True))


def _differing(now: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    return {column: value for column, value in now.items() if value != before[column]}


@cache
def _first_sentence(view: str) -> str:
    lines = [line.removeprefix("-- ") for line in view_sql(view).splitlines() if line.startswith("-- ")]
    said = [line for line in lines if not line.startswith(("materialize: ", "a row is called: "))]
    return re.split(r"[.:] ", " ".join(said), maxsplit=1)[0]
