"""What a change reaches besides what it is meant for stands in the plan, and asks for a class of its own."""

import io
from dataclasses import replace
from typing import Any

import pytest

from auditor.apply.guards import select_changes
from auditor.engine.fixes.planning import plan
from auditor.model import Change, EndpointKind, FixClass, Plan
from auditor.report.json.findings import fix_object
from auditor.report.json.reading import fix_of
from auditor.report.terminal.plan import write_plan

from .fleets import Facts, array, hosts, on_all_hosts, seen
from .judged import evaluated

pytestmark = pytest.mark.long

INIT = "DataMover.HardwareAcceleratedInit"
PE = "naa.6f47acc2000000017366707200000000"


def eternus(*others: str) -> Facts:
    """A host that sees an ETERNUS DX90 S1 below V10L68 (docs/domain/incidents.md#s4), and a device of each of these families."""
    given = hosts(1)
    on_all_hosts(given, seen("naa.600000e00d1", "eternus-dx"), *(seen(f"naa.{n}", family) for n, family in enumerate(others)))
    given["declared"] = [{"devices": "naa.600000e00d1", "model": "DX90", "generation": "S1", "firmware": "V10L66"}]
    given["host_option"] = [{"host_id": "host-1", "key": INIT, "value": "1", "value_type": "int"}]
    return given


def planned(given: Facts, rule: str) -> tuple[Plan, list[Any]]:
    evaluation = evaluated(given, rule)
    return plan(evaluation), [finding.fix for finding in evaluation.findings() if finding.fix is not None]


def only(given: Facts, rule: str = "vaai/eternus-dx-s1-firmware") -> Change:
    [change] = planned(given, rule)[0].changes
    return change


@pytest.mark.parametrize(
    ("others", "collateral", "fix_class"),
    [
        pytest.param((), "", FixClass.ONLINE, id="nothing else on the host"),
        pytest.param(("flasharray",), "flasharray", FixClass.ONLINE_CAUTION, id="an array that offload is meant for"),
        pytest.param(("flasharray", "ontap"), "flasharray, ontap", FixClass.ONLINE_CAUTION, id="two of them"),
    ],
)
def test_the_arrays_that_a_workaround_slows_are_in_the_plan_and_raise_its_class(
    others: tuple[str, ...], collateral: str, fix_class: FixClass
) -> None:
    change = only(eternus(*others))
    assert (change.collateral, change.fix_class) == (collateral, fix_class)


def test_a_device_that_nobody_could_place_counts_as_collateral() -> None:
    given = eternus()
    on_all_hosts(given, {**seen("naa.9", "ontap"), "vendor": None, "model": None})
    change = only(given)
    assert (change.collateral, change.fix_class) == ("not known", FixClass.ONLINE_CAUTION)


def test_who_allows_online_alone_does_not_slow_another_array() -> None:
    change = only(eternus("flasharray"))
    assert select_changes(Plan((change,)), {FixClass.ONLINE})[0] == []
    assert select_changes(Plan((change,)), {FixClass.ONLINE, FixClass.ONLINE_CAUTION})[0] == [change]


def test_it_is_read_before_the_write_in_the_plan_and_in_the_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    found, [fix] = planned(eternus("flasharray"), "vaai/eternus-dx-s1-firmware")
    out = io.StringIO()
    write_plan(found, [FixClass.ONLINE_CAUTION], out)
    assert "(touches as well: flasharray)" in out.getvalue()
    assert (fix.fix_class, fix.collateral) == (FixClass.ONLINE_CAUTION, "flasharray")
    assert fix_of(fix_object(fix)) == fix
    assert "collateral" not in fix_object(replace(fix, collateral=""))


def shared_driver(*others: str) -> Facts:
    """Incident S0: throttled virtual volumes behind software iSCSI, whose depth has to be raised; a device of each of these families."""
    given = hosts(1)
    endpoint = {"device": PE, "vendor": "SolidFir", "model": "SSD SAN", "device_type": "disk", "is_protocol_endpoint": True}
    lun = {"is_protocol_endpoint": False, "queue_depth": 128}
    on_all_hosts(given, {**endpoint, "queue_depth": 128}, *(seen(f"naa.{n}", family, **lun) for n, family in enumerate(others)))
    one = {"host_id": "host-1"}
    given["hba"] = [{**one, "hba": "vmhba64", "kind": "iscsi", "driver": "iscsi_vmk"}]
    given["path"] = [{**one, "device": row["device"], "hba": "vmhba64", "transport": "iscsi", "state": "active"} for row in given["device"]]
    given["host_module"] = [{**one, "module": "iscsi_vmk", "loaded": True, "option_string": ""}]
    given["host_module_parameter"] = [{**one, "module": "iscsi_vmk", "name": "iscsivmk_LunQDepth", "type": "int"}]
    given["device_scheduling"] = [{**one, "device": row["device"], "dsnro": 32} for row in given["device"]]
    given["datastore"] = [{"datastore_id": "ds", "name": "ds", "type": "VVOL"}]
    given["vvol_mount"] = [{"datastore_id": "ds", **one, "device": PE}]
    machine = {
        **one,
        "power_state": "poweredOn",
        "guest_id": "windows2019srv_64Guest",
        "running_guest_id": "",
        "is_template": False,
        "disks_read": True,
    }
    given["vm"] = [{"vm_id": "vm-1", "name": "bronze", **machine}]
    given["vm_disk"] = [{"vm_id": "vm-1", "disk": "Hard disk 1", "datastore_id": "ds", "controller": "pvscsi"}]
    given["reading"] += [
        {"endpoint": "sf", "scope": "", "topic": topic, "complete": True}
        for topic in ("array", "volumes", "protocol_endpoints", "bindings")
    ]
    given["array"] = [{"endpoint": "sf", "family": "solidfire", "name": "sf", "array_id": "sf"}]
    given["array_volume"] = [
        {
            "endpoint": "sf",
            "volume_id": "1",
            "name": "bronze",
            "is_virtual": True,
            "vvol_id": "aaaa",
            "qos_read": True,
            "qos_max_iops": 1000,
        }
    ]
    given["array_protocol_endpoint"] = [{"endpoint": "sf", "protocol_endpoint_id": "pe", "device": PE, "state": "Active"}]
    return given


@pytest.mark.parametrize(
    ("others", "collateral"),
    [
        pytest.param((), "", id="the driver serves the array alone"),
        pytest.param(("ontap",), "ontap (1 device)", id="and another"),
    ],
)
def test_a_driver_that_is_deepened_for_one_array_names_the_others_behind_it(others: tuple[str, ...], collateral: str) -> None:
    change = only(shared_driver(*others), "queue/driver-depth")
    assert (change.after, change.fix_class, change.collateral) == (256, FixClass.REBOOT, collateral)


def pooled(ceilings: tuple[int | None, int | None], *, second_on: bool = True) -> Facts:
    """Two VMFS datastores with Storage I/O Control on two volumes of a Dell SC's pool, with a ceiling or without: incident S1."""
    given = hosts(1)
    names = {"ds-1": "naa.6000d31000fcbe01", "ds-2": "naa.6000d31000fcbe02"}
    volumes = zip(names, names.values(), ceilings, strict=True)
    array(
        given,
        "sc",
        EndpointKind.DELL_SC,
        *({"name": name, "device": device, "pool_id": "p", "qos_max_iops": ceiling} for name, device, ceiling in volumes),
    )
    given["array_pool"] = [{"endpoint": "sc", "pool_id": "p", "name": "p"}]
    on_all_hosts(given, *(seen(device, "dell-sc") for device in names.values()))
    given["datastore"] = [
        {"datastore_id": name, "name": name, "type": "VMFS", "sioc_enabled": name == "ds-1" or second_on} for name in names
    ]
    given["datastore_extent"] = [{"datastore_id": name, "device": device, "partition": 1} for name, device in names.items()]
    given["datastore_mount"] = [{"datastore_id": name, "host_id": "host-1"} for name in names]
    return given


@pytest.mark.parametrize("rule", ["sioc/overlap-array-qos", "qos/one-throttler"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(pooled((500, None)), {"ds-1": ("ds-2", FixClass.ONLINE_CAUTION)}, id="the other stays on"),
        pytest.param(pooled((500, None), second_on=False), {"ds-1": ("", FixClass.ONLINE)}, id="it is off"),
        pytest.param(pooled((500, 500)), {"ds-1": ("", FixClass.ONLINE), "ds-2": ("", FixClass.ONLINE)}, id="both go off"),
    ],
)
def test_who_stays_under_storage_io_control_beside_a_datastore_that_loses_it_is_in_the_plan(
    given: Facts, expected: dict[str, tuple[str, FixClass]], rule: str
) -> None:
    changes = planned(given, rule)[0].changes
    assert {change.resource.id: (change.collateral, change.fix_class) for change in changes} == expected
