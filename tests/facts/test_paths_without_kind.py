"""A path that does not say how it travels, or where it ends, counts as what it may be."""

from typing import Any

import pytest

from tests.facts.without_kind import HOST, ON

from .single import ByName, Rows, of_vc, rows_over, shown


def test_a_path_that_does_not_report_how_it_travels_goes_by_its_adapter() -> None:
    kinds = {"iscsi": "iscsi", "fc": "fc", "either": "nvme", "unknown": None}
    adapters = [{**ON, "hba": hba, "kind": kind} for hba, kind in kinds.items()]
    paths = [{**ON, "path": hba, "hba": hba} for hba in (*kinds, "unlisted")]
    reported = [
        {**ON, "path": "reported", "hba": "fc", "transport": "sas"},
        {"endpoint": "vc-2", "host_id": "h", "path": "far", "hba": "fc"},
    ]
    found = rows_over("step_path", {"fact.hba": adapters, "fact.path": paths + reported})
    own = {"iscsi": "iscsi", "fc": "fc", "either": None, "unknown": None, "unlisted": None, "reported": "sas", "far": None}
    assert {row["path"]: row["transport"] for row in found} == own


@pytest.mark.parametrize(
    ("transports", "devices"),
    [
        (["iscsi", None], 1),
        (["fc", None], None),
        (["fc", "sas"], 0),
        ([None], None),
        (["fc"], 0),
        ([], 0),
    ],
)
def test_devices_are_reached_by_iscsi_where_one_surely_is_or_none_may_be(transports: list[str | None], devices: int | None) -> None:
    paths = [{**ON, "device": f"naa.{n}", "transport": one} for n, one in enumerate(transports)]
    [row] = rows_over("vmknic", {**HOST, "fact.vmknic": [{**ON, "vmk": "vmk1"}], "step_path": paths})
    assert row["iscsi_devices"] == devices


@pytest.mark.parametrize(
    ("behind", "paths_read", "family"),
    [
        pytest.param([("iqn", "nimble")], True, "nimble", id="all that lies behind it"),
        pytest.param([], True, "other", id="nothing behind it"),
        pytest.param([], False, None, id="paths that were not read"),
        pytest.param([("iqn", None)], True, None, id="a device of no known family"),
        pytest.param([(None, "nimble")], True, None, id="a path that does not report its target, and no other"),
        pytest.param([("iqn", "nimble"), (None, "nimble")], True, "nimble", id="such a path to the same family"),
        pytest.param([("iqn", "nimble"), (None, "dell-sc")], True, None, id="such a path to another family"),
        pytest.param([("iqn", "nimble"), (None, None)], True, None, id="such a path to one that is not known"),
        pytest.param([("iqn", "nimble"), (None, "nimble"), (None, "ontap")], True, None, id="such paths to it and to another family"),
    ],
)
def test_a_target_is_of_the_family_of_all_that_may_lie_behind_it(
    behind: list[tuple[str | None, str | None]], paths_read: bool, family: str | None
) -> None:
    at = {**ON, "hba": "vmhba64"}
    given: dict[str, Rows] = {
        "iscsi_target": [{**at, "resource_id": "t", "iqn": "iqn", "family": "other"}],
        "step_host_reading": [{**ON, "paths_read": paths_read}],
        "step_iscsi_family": [{**at, "target": target, "family": of, "paths": 1} for target, of in behind],
    }
    for place in ({"endpoint": "vc-2"}, {"host_id": "g"}, {"hba": "vmhba65"}):
        given["step_iscsi_family"] += [{**at, **place, "target": None, "family": family, "paths": 1} for family in ("eternus-dx", "ontap")]
    [row] = rows_over("iscsi_parameter", given)
    assert row["family"] == family


def test_paths_of_no_known_transport_may_be_iscsi() -> None:
    paths = [{**ON, "hba": hba, "device": "naa.1", "transport": transport} for hba, transport in (("a", "iscsi"), ("b", None), ("c", "fc"))]
    found = rows_over("step_iscsi_family", {"step_path": paths, "step_seen_device": of_vc({"device": "naa.1", "family": "ontap"})})
    assert sorted((row["hba"], row["family"]) for row in found) == [("a", "ontap"), ("b", "ontap")]


def login(host: str, device: str, target: str | None, **more: Any) -> dict[str, Any]:
    return {**ON, "host_id": host, "hba": "vmhba1", "device": device, "target": target, "transport": "fc", **more}


@pytest.mark.parametrize(
    ("path", "depths", "unnamed"),
    [
        pytest.param(login("g", "naa.1", None), None, "ontap", id="to the same array"),
        pytest.param(login("g", "naa.1", None, transport="fcoe"), None, "ontap", id="over Ethernet"),
        pytest.param(login("g", "naa.1", "port", transport=None), None, "ontap", id="of no known transport"),
        pytest.param(login("g", "naa.2", None), None, "ontap", id="to an array of the family that was not read"),
        pytest.param(login("g", "naa.3", None), None, None, id="to what nobody knows"),
        pytest.param(login("g", "naa.4", None), 64, "ontap", id="to another array"),
        pytest.param(login("g", "naa.5", None), 64, "solidfire", id="to another family"),
        pytest.param(login("h", "naa.1", None), 64, "ontap", id="by an adapter that counts already"),
        pytest.param(login("g", "naa.1", None, transport="iscsi"), 64, ..., id="of no Fibre Channel"),
        pytest.param(login("g", "naa.6", None), 64, ..., id="to a disk in the host"),
    ],
)
def test_a_path_that_does_not_tell_where_it_ends_may_end_at_any_port_of_its_array(
    path: dict[str, Any], depths: int | None, unnamed: Any
) -> None:
    families = {"naa.1": "ontap", "naa.2": "ontap", "naa.3": None, "naa.4": "ontap", "naa.5": "solidfire", "naa.6": "other"}
    arrays = {"naa.1": "here", "naa.4": "there"}
    place = {"cluster": "gold"}
    given: dict[str, Rows] = {
        "fact.host": [{**ON, **place}],
        "step_path": [login("h", "naa.1", "port"), path],
        "device": of_vc(
            *(
                {"host_id": host, "host": f"{host}!", "device": device, "family": family, "array_name": arrays.get(device), **place}
                | {"is_shared": device != "naa.6"}
                for host in "hg"
                for device, family in families.items()
            )
        ),
        "adapter": [{**ON, "hba": "vmhba1", "host": "h!", "deepest_queue_depth": 64, "deepest_queue_depth_at_least": 64}],
        "step_host_reading": [{**ON, "domain_id": "gold", "paths_read": True}],
        "step_domain_reading": of_vc({"domain_id": "gold", "devices_read": True}),
        "step_vcenter_reading": [{"hosts_read": True}],
        "step_seen_device": of_vc(*({"device": device, "family": family} for device, family in families.items())),
        "step_array_device": [{"device": device, "array_name": name, "array_endpoint": name} for device, name in arrays.items()],
    }
    expected: ByName = {"port": {"queue_depths_seen": 64, "queue_depths": depths, "initiators": 1}}
    if unnamed is not ...:
        names = {
            "resource_name": "port not known",
            "cluster": "gold",
            "host": None,
            "target": None,
            "array_name": arrays.get(path["device"]),
        }
        expected["?"] = {"family": unnamed, **names, "initiators": 1, "host_names": f"{path['host_id']}!", "queue_depths": None}
    assert shown(rows_over("target_port", given), expected) == expected


def test_paths_without_an_end_are_one_row_of_a_vcenter() -> None:
    """Of two families, clusters and arrays, none of them counts as that of all."""
    devices = {"naa.1": ("ontap", "gold", "here"), "naa.2": ("solidfire", None, "there")}
    given: dict[str, Rows] = {
        "step_path": [login("h", device, None) for device in devices] + [login("h", "naa.1", None, hba="vmhba2")],
        "device": [
            {**ON, "device": device, "family": family, "cluster": cluster, "array_name": array, "is_shared": True}
            for device, (family, cluster, array) in devices.items()
        ],
    }
    expected: ByName = {
        "?": {"family": None, "cluster": None, "array_name": "here, there", "initiators": 2, "host_names": "h", "queue_depths_seen": 0}
    }
    assert shown(rows_over("target_port", given), expected) == expected
