"""Views on counters, paths and bindings: what was not read whole is NULL, never a zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .fleets import Facts, Rows, hosts, view
from .judged_fleet import PE, facts

pytestmark = pytest.mark.long

ON_1, ON_2 = {"host_id": "host-1"}, {"host_id": "host-2"}


def one(name: str, given: Facts, **where: Any) -> dict[str, Any]:
    (row,) = (row for row in view(name, given) if where.items() <= row.items())
    return row


def unread(topic: str, host: str = "host-1") -> Callable[[Facts], None]:
    def lose(given: Facts) -> None:
        given["reading"] = [row for row in given["reading"] if (row["scope"], row["topic"]) != (host, topic)]

    return lose


def untold(table: str, column: str) -> Callable[[Facts], None]:
    def lose(given: Facts) -> None:
        given[table][0][column] = None

    return lose


def loaded() -> Facts:
    given = facts()
    given["device_load"] = [{**ON_1, "device": PE[0], "samples": 15, "kavg_ms": 308.0, "kavg_run_over_2ms": 15}]
    given["adapter_load"] = [{**ON_1, "hba": "vmhba64", "queue_depth": 1024, "queued": 0.0}]
    return given


def test_a_device_without_samples_has_no_figures() -> None:
    given = loaded()
    assert one("device_load", given, **ON_1, device=PE[0])["kavg_ms"] == 308.0
    assert one("device_load", given, **ON_1, device=PE[0])["family"] == "solidfire"
    assert one("device_load", given, **ON_2, device=PE[0])["kavg_ms"] is None
    assert len(view("device_load", given)) == 4


def test_the_deepest_queue_behind_an_adapter_is_set_against_its_own() -> None:
    given = loaded()
    given["device"][0]["queue_depth"] = 512
    row = one("adapter", given, **ON_1)
    assert (row["adapter_depth"], row["queued"], row["devices"]) == (1024, 0.0, 2)
    assert (row["deepest_device"], row["deepest_queue_depth"]) == (PE[0], 512)
    assert (row["deepest_effective_depth"], row["effective_depths"]) == (256, 512)  # DSNRO is 256 on both


@pytest.mark.parametrize(
    ("lose", "column"),
    [
        pytest.param(unread("paths"), "devices", id="paths not read"),
        pytest.param(unread("paths"), "deepest_queue_depth", id="paths not read, so which devices they are of"),
        pytest.param(unread("devices"), "deepest_queue_depth", id="devices not read whole"),
        pytest.param(untold("device", "queue_depth"), "deepest_queue_depth", id="one depth not told"),
        pytest.param(untold("device_scheduling", "dsnro"), "effective_depths", id="one DSNRO not told"),
        pytest.param(untold("device_scheduling", "dsnro"), "deepest_effective_depth", id="one DSNRO not told, which could be the deepest"),
    ],
)
def test_the_deepest_queue_is_not_known_where_any_is_not(lose: Callable[[Facts], None], column: str) -> None:
    given = loaded()
    assert one("adapter", given, **ON_1)[column] is not None
    lose(given)
    assert one("adapter", given, **ON_1)[column] is None
    assert one("adapter", given, **ON_2)[column] is not None


def test_an_adapter_without_devices_has_none_deep() -> None:
    given = loaded()
    given["hba"].append({**ON_1, "hba": "vmhba2", "kind": "fc"})
    row = one("adapter", given, hba="vmhba2")
    assert (row["devices"], row["deepest_queue_depth"], row["effective_depths"], row["adapter_depth"]) == (0, 0, 0, None)


def test_a_datastore_is_told_by_each_host_that_mounts_it() -> None:
    given = loaded()
    given["datastore_mount"] = [{"datastore_id": "ds-1", **host, "mounted": True} for host in (ON_1, ON_2)]
    given["datastore_load"] = [{"datastore_id": "ds-1", **ON_1, "sioc_active_percent": 100.0}]
    assert {row["host"]: row["sioc_active_percent"] for row in view("datastore_load", given)} == {"esx-1": 100.0, "esx-2": None}


def pathed() -> Facts:
    """Two paths to each device, on each of two hosts."""
    given = facts()
    given["path"] = [
        {
            **row,
            "path": f"p{n}",
            "hba": f"vmhba{n}",
            "transport": "iscsi",
            "target": f"iqn.{n}",
            "psp": "VMW_PSP_RR",
            "satp": "VMW_SATP_ALUA",
        }
        for row in given["path"]
        for n in (1, 2)
    ]
    given["device_policy"] = [{**ON_1, "device": PE[0], "psp": "VMW_PSP_RR", "rr_policy": "iops", "rr_iops": 1}]
    return given


def test_paths_are_counted_and_set_against_those_of_the_other_hosts() -> None:
    given = pathed()
    given["path"][0]["state"] = "dead"
    row = one("path_policy", given, **ON_1, device=PE[0])
    assert (row["paths"], row["active_paths"], row["dead_paths"], row["adapters"], row["targets"]) == (2, 1, 1, 2, 2)
    assert (row["fewest_active_paths"], row["most_active_paths"]) == (1, 2)
    assert (row["psp"], row["rr_policy"], row["rr_iops"], row["family"]) == ("VMW_PSP_RR", "iops", 1, "solidfire")
    other = one("path_policy", given, **ON_2, device=PE[0])
    assert (other["psp"], other["rr_iops"], other["active_paths"], other["fewest_active_paths"]) == ("VMW_PSP_RR", None, 2, 1)


@pytest.mark.parametrize(
    ("lose", "lost"),
    [
        pytest.param(unread("paths"), {"paths", "active_paths", "dead_paths", "adapters", "targets"}, id="paths not read"),
        pytest.param(untold("path", "state"), {"active_paths", "dead_paths"}, id="the state of one not told"),
    ],
)
def test_paths_that_were_not_read_are_not_counted_anywhere(lose: Callable[[Facts], None], lost: set[str]) -> None:
    given = pathed()
    lose(given)
    row, other = (one("path_policy", given, **host, device=PE[0]) for host in (ON_1, ON_2))
    assert {name for name in ("paths", "active_paths", "dead_paths", "adapters", "targets") if row[name] is None} == lost
    assert (other["active_paths"], other["fewest_active_paths"], other["most_active_paths"]) == (2, None, None)


def test_a_claim_rule_is_of_the_family_it_names() -> None:
    given = facts()
    common = {**ON_1, "satp": "VMW_SATP_DEFAULT_AA", "device": "", "driver": "", "transport": "", "options": "", "claim_options": ""}
    given["satp_rule"] = [
        {**common, "vendor": "SolidFir", "model": "SSD SAN", "rule_group": "user", "default_psp": "VMW_PSP_RR", "psp_options": "iops=10"},
        {**common, "vendor": "PURE", "model": "FlashArray", "rule_group": "user", "default_psp": "", "psp_options": ""},
        {**common, "vendor": "", "model": "", "rule_group": "system", "default_psp": "", "psp_options": ""},
    ]
    rows: Rows = view("claim_rule", given)
    assert {row["family"]: (row["devices_of_family"], row["psp_options"]) for row in rows} == {
        "solidfire": (2, "iops=10"),
        "flasharray": (0, ""),
    }
    unread("devices")(given)
    assert {row["devices_of_family"] for row in view("claim_rule", given)} == {None}


def bound() -> Facts:
    given = facts()
    given["iscsi_portal"] = [
        {**ON_1, "hba": "vmhba64", "vmk": f"vmk{n}", "ip": f"198.51.100.{n}", "subnet": "198.51.100.0/24", "compliant": n == 1, "mtu": 9000}
        for n in (1, 2)
    ]
    return given


def test_what_is_bound_is_counted_and_nothing_is_zero() -> None:
    names = ("bound_vmknics", "uncompliant_vmknics", "subnets", "mtus")
    assert [one("port_binding", bound(), **ON_1)[name] for name in names] == [2, 1, 1, 1]
    assert [one("port_binding", bound(), **ON_2)[name] for name in names] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("lose", "lost"),
    [
        pytest.param(unread("port_binding"), {"bound_vmknics", "uncompliant_vmknics", "subnets", "mtus", "portals"}, id="not asked"),
        pytest.param(untold("iscsi_portal", "compliant"), {"uncompliant_vmknics"}, id="compliance of one not told"),
        pytest.param(untold("iscsi_portal", "subnet"), {"subnets"}, id="network of one not told"),
        pytest.param(untold("iscsi_portal", "mtu"), {"mtus"}, id="MTU of one not told"),
    ],
)
def test_what_is_bound_is_not_known_where_it_was_not_told(lose: Callable[[Facts], None], lost: set[str]) -> None:
    given = bound()
    lose(given)
    row = one("port_binding", given, **ON_1)
    assert {name for name in ("bound_vmknics", "uncompliant_vmknics", "subnets", "mtus", "portals") if row[name] is None} == lost


MOVE = {"task_id": "task-1", "description_id": "VirtualMachine.relocate", "entity_type": "VirtualMachine", "state": "running"}


@pytest.mark.parametrize(
    ("task", "named"),
    [
        pytest.param({"progress_percent": 40}, "fileserver (40 %)", id="a relocation, with how far it is"),
        pytest.param({"state": "queued"}, "fileserver", id="one that is queued"),
        pytest.param({"description_id": "VirtualMachine.powerOn"}, "none", id="another task"),
        pytest.param({"entity_id": "vm-2", "entity_name": "far"}, "none", id="on a host that does not mount the datastore"),
    ],
)
def test_a_datastore_names_the_relocations_that_run_on_its_hosts(task: dict[str, Any], named: str) -> None:
    given = hosts(3)
    given["datastore"] = [{"datastore_id": "ds-1", "name": "ds", "type": "VMFS"}]
    given["datastore_mount"] = [{"datastore_id": "ds-1", "host_id": host} for host in ("host-1", "host-2")]
    given["vm"] = [{"vm_id": f"vm-{n}", "name": "vm", "host_id": f"host-{n + n // 2}"} for n in (1, 2)]
    given["running_task"] = [{**MOVE, "entity_id": "vm-1", "entity_name": "fileserver", **task}]
    assert {row["relocations"] for row in view("datastore_load", given)} == {named}
    if named == "none":
        given["reading"] = [row for row in given["reading"] if row["topic"] != "tasks"]
        assert {row["relocations"] for row in view("datastore_load", given)} == {None}
