"""Rows of the views that an I/O path is made of, and a way to ask them that needs no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditor.facts.catalog import view_columns
from auditor.impact.functions import VIEW as FUNCTION_VIEW
from auditor.impact.path import VIEWS

VCENTER, HOST, DEVICE = "vc", "esx-1.example.net", "naa.6f47"
HERE = {"endpoint": VCENTER, "host": HOST, "host_id": "host-1", "cluster": "gold"}


def row_of(view: str, **known: object) -> dict[str, Any]:
    """A row of a view: what is not given was not read."""
    columns = view_columns()[view]
    assert not known.keys() - columns.keys(), known.keys() - columns.keys()
    return {**dict.fromkeys(columns), **known}


def disk(name: str, **known: object) -> dict[str, Any]:
    """A running machine's only disk on DEVICE."""
    about = {"vm": name, "vm_id": f"vm-{name}", "disk": "Hard disk 1", "device": DEVICE, "runs": True}
    ids = {"resource_id": f"vm-{name}/Hard disk 1", "resource_name": f"{name} Hard disk 1"}
    return row_of("disk_stream", **{**HERE, **about, **ids, **known})


def queue(**known: object) -> dict[str, Any]:
    return row_of("device_queue", **{**HERE, "device": DEVICE, "resource_name": DEVICE, "resource_id": f"host-1/{DEVICE}", **known})


def device(**known: object) -> dict[str, Any]:
    return row_of("device", **{**HERE, "device": DEVICE, "resource_name": DEVICE, "resource_id": f"host-1/{DEVICE}", **known})


class Asked:
    """Answers as `opened_views` does: the rows of a view that have these values."""

    def __init__(self, **rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = rows

    def __call__(self, view: str, wanted: Mapping[str, object]) -> list[Mapping[str, Any]]:
        assert view in (*VIEWS, "datastore", FUNCTION_VIEW)
        assert not wanted.keys() - view_columns()[view].keys(), f"{view} has no such column"
        return [row for row in self.rows.get(view, ()) if all(row[name] == value for name, value in wanted.items())]


def s0() -> Asked:
    """A throttled disk and its neighbour behind one protocol endpoint: docs/domain/incidents.md#s0."""
    noisy = disk(
        "noisy", controller_depth=64, outstanding=40.0, commands_per_second=26.0, latency_ms=1520.0, io_bytes=524288.0,
        limit_per_second=13.2, is_at_limit=True, array_name="sf", volume_id="4", array_latency_ms=1500.0,
    )  # fmt: skip
    quiet = disk("quiet", controller_depth=64, outstanding=1.0, commands_per_second=2.0, latency_ms=310.0)
    known = queue(
        queue_depth=256, dsnro=32, depth_in_effect=32, depth_basis="counter", worlds=2, worlds_at_least=2, active=32.0, queued=9.0,
        queue_basis="disks", is_full=True, kavg_ms=300.0, davg_ms=290.0, gavg_ms=590.0, sioc_enabled=False, adapter="vmhba64",
        array_name="sf",
    )  # fmt: skip
    return Asked(
        device=[device(queue_depth=256, dsnro=32, array_name="sf")],
        device_queue=[known],
        disk_stream=[quiet, noisy],
        adapter=[
            row_of("adapter", **HERE, hba="vmhba64", driver="iscsi_vmk", adapter_depth=1024, outstanding=32.0, queued=0.0, queue_ms=0.0)
        ],
        path_policy=[row_of("path_policy", **HERE, device=DEVICE, transport="iscsi", active_paths=1, paths=1, psp="VMW_PSP_RR")],
        array_volume=[
            row_of(
                "array_volume",
                endpoint="sf",
                volume_id="4",
                volume="noisy.vmdk",
                qos="Bronze: 1000 IOPS",
                utilization=2.0,
                is_at_limit=True,
                qos_wait="at its ceiling of 1,000 IOPS: the wait is QoS",
            )
        ],
    )
