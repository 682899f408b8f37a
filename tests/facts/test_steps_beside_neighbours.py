"""Joins, filters and aggregates of steps and views, each beside the rows that a mistake in it would take for its own."""

from __future__ import annotations

from typing import Any

import pytest

from .single import Rows, by, of_vc, rows_over

NEIGHBOURS: tuple[tuple[str, str, str], ...] = (("vc", "h2", "naa.1"), ("vc-2", "h1", "naa.1"), ("vc", "h1", "naa.2"))
"""Of a row of vc, h1 and naa.1."""


def at(endpoint: str, host: str, device: str, **more: Any) -> dict[str, Any]:
    return {"endpoint": endpoint, "host_id": host, "device": device, **more}


def test_a_devices_load_has_the_disks_of_its_own_host_and_device() -> None:
    senders = [
        {"endpoint": endpoint, "host_id": host, "place": device, "kind": "device", "busiest_disks": "elsewhere"}
        for endpoint, host, device in NEIGHBOURS
    ]
    [row] = rows_over(
        "step_load_of_class",
        {
            "step_device_of_class": [at("vc", "h1", "naa.1", class_number=1)],
            "step_limited_disk": [
                at("vc", "h1", "naa.1", limited_disks="vm-1 d1"),
                *(at(*place, limited_disks="elsewhere") for place in NEIGHBOURS),
            ],
            "step_disk_sender": [
                {"endpoint": "vc", "host_id": "h1", "place": "naa.1", "kind": "device", "busiest_disks": "vm-2 d1"},
                {"endpoint": "vc", "host_id": "h1", "place": "naa.1", "kind": "datastore", "busiest_disks": "of a datastore"},
                *senders,
            ],
        },
    )
    assert (row["limited_disks"], row["busiest_disks"]) == ("vm-1 d1", "vm-2 d1")


def test_what_is_aside_on_its_own_host_counts_for_no_family() -> None:
    def path(device: str, target: str, host: str = "h1", endpoint: str = "vc", **more: Any) -> dict[str, Any]:
        return at(endpoint, host, device, hba="vmhba64", target=target, transport="iscsi", **more)

    given: dict[str, Rows] = {
        "step_path": [
            path("naa.1", "t1"),
            path("naa.1", "t1"),
            path("naa.2", "t1"),
            path("naa.3", "t2"),
            path("naa.4", "t3"),
            path("naa.2", "t1", host="h2"),
            path("naa.1", "t1", endpoint="vc-2"),
            path("naa.4", "t4") | {"transport": None},
            path("naa.4", "t5") | {"transport": "fc"},
            path("naa.4", "t6") | {"hba": None},
        ],
        "step_seen_device": [
            {"endpoint": endpoint, "device": device, "family": family}
            for endpoint, device, family in (
                ("vc", "naa.1", "ontap"),
                ("vc", "naa.2", "other"),
                ("vc", "naa.3", None),
                ("vc-2", "naa.1", "element"),
            )
        ],
        "step_aside": [
            at("vc", "h1", "naa.1", is_aside=False),
            at("vc", "h1", "naa.2", is_aside=True),
            at("vc", "h1", "naa.3", is_aside=None),
            at("vc", "h2", "naa.1", is_aside=True),
            at("vc", "h2", "naa.2", is_aside=False),
            at("vc-2", "h1", "naa.4", is_aside=True),
        ],
    }
    assert by("step_iscsi_family", "endpoint host_id hba target family", given) == {
        ("vc", "h1", "vmhba64", "t1", "ontap"): {"paths": 2},
        ("vc", "h1", "vmhba64", "t2", None): {"paths": 1},
        ("vc", "h1", "vmhba64", "t3", None): {"paths": 1},
        ("vc", "h1", "vmhba64", "t4", None): {"paths": 1},
        ("vc", "h2", "vmhba64", "t1", "other"): {"paths": 1},
        ("vc-2", "h1", "vmhba64", "t1", "element"): {"paths": 1},
    }


def test_a_device_has_the_module_that_all_its_paths_go_by() -> None:
    given: dict[str, Rows] = {
        "step_path_row": [{"host_number": 1, "device_number": number, "set_key": number} for number in (1, 2, 3)],
        "step_path_set": [{"set_key": 1, "driver_number": 5}, {"set_key": 2, "driver_number": None}],
    }
    assert rows_over("step_device_driver", given) == [{"host_number": 1, "device_number": 1, "driver_number": 5}]


@pytest.mark.parametrize("family", ["ontap", "powerstore"])
@pytest.mark.parametrize(
    ("arrays", "listed", "read"),
    [
        pytest.param(["a"], [], (True, False), id="one that was reached"),
        pytest.param(["a"], ["a", "b"], (False, False), id="and one that was not"),
        pytest.param([], ["b"], (False, False), id="none was reached"),
        pytest.param([], [], (None, None), id="there is none"),
    ],
)
def test_shares_are_read_where_every_array_that_serves_nfs_was(
    family: str, arrays: list[str], listed: list[str], read: tuple[bool | None, bool | None]
) -> None:
    given: dict[str, Rows] = {
        "step_array": [*({"endpoint": name, "family": family} for name in arrays), {"endpoint": "e", "family": "eternus"}],
        "fact.listed_endpoint": [*({"endpoint": name, "kind": family} for name in listed), {"endpoint": "e", "kind": "eternus"}],
        "step_endpoint_reading": [
            {"endpoint": "a", "volumes_read": True, "addresses_read": False},
            {"endpoint": "e", "volumes_read": False, "addresses_read": True},
        ],
    }
    assert rows_over("step_ontap_reading", given) == [{"volumes_read": read[0], "addresses_read": read[1]}]


@pytest.mark.parametrize("unread", ["hosts", "datastores", "vms"])
def test_each_topic_is_read_where_it_was_on_every_vcenter(unread: str) -> None:
    topics = ("hosts", "datastores", "vms", "other")
    readings = [
        {"endpoint": vc, "topic": topic, "scope": "", "complete": not (vc == "vc-2" and topic in (unread, "other"))}
        for vc in ("vc", "vc-2")
        for topic in topics
    ]
    scoped = [{"endpoint": "vc", "topic": topic, "scope": "host-1", "complete": False} for topic in topics]
    [row] = rows_over("step_vcenter_reading", {"fact.reading": [*readings, *scoped]})
    assert row == {f"{topic}_read": topic != unread for topic in topics[:3]}
    [none] = rows_over("step_vcenter_reading", {"fact.reading": [row for row in readings if row["topic"] != unread]})
    assert none == {f"{topic}_read": topic != unread for topic in topics[:3]}


def declared(**more: Any) -> dict[str, Any]:
    return {"kind": "option", "thing": "", "setting": "Disk.MaxLUN", "value": "1", "place": "settings.yaml:1", "rank": 1, **more}


@pytest.mark.parametrize("of", ["of_endpoint", "of_cluster", "of_host"])
@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        pytest.param(None, True, id="nothing"),
        pytest.param("a[1]", True, id="the name, which is no pattern of itself"),
        pytest.param("a*", True, id="a pattern"),
        pytest.param("a1", False, id="another name"),
        pytest.param("b*", False, id="another pattern"),
    ],
)
def test_an_entry_fits_a_host_by_its_name_or_by_a_pattern(of: str, pattern: str | None, fits: bool) -> None:
    host = {"endpoint": "A[1].", "cluster": " a[1]", "name": "A[1]", "host_id": "h1"}
    rows = rows_over("step_declared_setting", {"fact.host": [host], "fact.declared_setting": [declared(**{of: pattern})]})
    assert [row["wanted"] for row in rows] == (["1"] if fits else [])


def test_a_claim_rule_is_described_where_all_that_declare_it_say_the_same() -> None:
    def rule(thing: str, setting: str, place: str) -> dict[str, Any]:
        return declared(kind="claim_rule", thing=thing, setting=setting, place=place, value="VMW_PSP_RR")

    rows = rows_over(
        "step_declared_setting",
        {
            "fact.host": of_vc({"host_id": "h1", "name": "one"}),
            "fact.declared_setting": [
                rule("same", "Pure", "a:1"),
                rule("same", "Pure", "a:2"),
                rule("two", "Pure", "a:3"),
                rule("two", "Pure FlashArray", "a:4"),
            ],
        },
    )
    assert {row["thing"]: (row["setting"], row["description"], row["declared_at"], row["wanted"]) for row in rows} == {
        "same": ("", "Pure", "a:1, a:2", "VMW_PSP_RR"),
        "two": ("", "", "a:3, a:4", "VMW_PSP_RR"),
    }


def test_the_narrowest_entries_of_each_setting_say_what_is_wanted() -> None:
    rows = rows_over(
        "step_declared_setting",
        {
            "fact.host": of_vc({"host_id": "h1", "name": "one"}, {"host_id": "h2", "name": "two"}),
            "fact.declared_setting": [
                declared(value="9", place="a:1"),
                declared(value="1", rank=2, of_host="one", place="a:2"),
                declared(value="2", rank=2, of_host="one", place="a:3"),
                declared(kind="parameter", value="5", place="a:4"),
                declared(kind="volume_limit", value="7", rank=3),
            ],
        },
    )
    assert {
        (row["host_id"], row["kind"]): (row["wanted"], row["wanted_values"], row["declared_values"], row["declared_at"], row["description"])
        for row in rows
    } == {
        ("h1", "option"): (None, 2, "1, 2", "a:2, a:3", ""),
        ("h1", "parameter"): ("5", 1, "5", "a:4", ""),
        ("h2", "option"): ("9", 1, "9", "a:1", ""),
        ("h2", "parameter"): ("5", 1, "5", "a:4", ""),
    }
    assert len(rows) == 4


def test_a_datastore_on_a_device_is_used_by_the_hosts_that_see_it_and_not_by_its_mounts() -> None:
    given: dict[str, Rows] = {
        "step_volume": [
            {"endpoint": "east", "volume_id": volume, "name": volume, "device": device}
            for volume, device in (("lun", "naa.1"), ("share", None))
        ],
        "step_datastore_volume": [
            {"endpoint": "vc", "datastore_id": "vmfs", "array_endpoint": "east", "volume_id": "lun", "device": "naa.1"},
            {"endpoint": "vc", "datastore_id": "nfs", "array_endpoint": "east", "volume_id": "share", "device": None},
        ],
        "fact.datastore_mount": of_vc(*({"datastore_id": store, "host_id": "h1"} for store in ("vmfs", "nfs"))),
        "fact.host": of_vc({"host_id": "h1", "name": "one"}),
    }
    rows = by("step_volume_use", "volume_id", given)
    assert {key[0]: (row["hosts"], row["host_names"]) for key, row in rows.items()} == {"lun": (None, None), "share": (1, "one")}


@pytest.mark.parametrize(
    ("second", "hosts"),
    [("one, two", (2, "one, two")), ("one, three", (None, None)), (None, (None, None))],
    ids=["same", "others", "unread"],
)
def test_a_virtual_volume_behind_several_endpoints_is_used_by_hosts_that_see_each(
    second: str | None, hosts: tuple[int | None, str | None]
) -> None:
    given: dict[str, Rows] = {
        "step_volume": [{"endpoint": "east", "volume_id": "v", "is_virtual": True}],
        "step_vvol_place": [{"endpoint": "east", "volume_id": "v", "device": device} for device in ("pe.1", "pe.2")],
        "step_seen_device": [
            {"endpoint": "vc", "device": device, "hosts": 2, "host_names": names}
            for device, names in (("pe.1", "one, two"), ("pe.2", second))
            if names
        ],
    }
    [row] = rows_over("step_volume_use", given)
    assert ((row["hosts"], row["host_names"]), row["device"]) == (hosts, "pe.1, pe.2")


def test_a_host_of_which_nothing_is_known_to_be_read_may_carry_any_disk() -> None:
    [row] = rows_over("step_vvol_load", {"step_host_reading": of_vc({"host_id": "h1", "domain_id": "c1"})})
    assert row == {
        "endpoint": "vc",
        "host_id": "h1",
        "deepest_disk_queue": None,
        "deepest_disk_queue_at_least": 0,
        "deepest_disk_queue_at_most": None,
        "vvol_disks": None,
        "carries_vvol_disks": None,
    }


def test_how_many_volumes_use_a_policy_is_known_where_the_aggregate_of_each_is() -> None:
    def volume(policy: str, number: int, pool: str | None) -> dict[str, Any]:
        return {"endpoint": "east", "policy_id": policy, "volume_id": f"{policy}-{number}", "pool_id": pool, "state": "enabled"}

    given: dict[str, Rows] = {
        "fact.array_efficiency": [
            volume("known", 1, "a"),
            volume("known", 2, "a"),
            volume("known", 3, "b"),
            volume("part", 1, "a"),
            volume("part", 2, None),
        ]
    }
    rows = by("step_efficiency_move", "policy_id", given)
    assert {key[0]: row["policy_volumes"] for key, row in rows.items()} == {"known": 2, "part": None}


def test_a_volume_of_another_array_says_nothing_of_a_policys_datastores() -> None:
    given: dict[str, Rows] = {
        "step_volume": [
            {"endpoint": "east", "volume_id": "v1", "qos_policy_id": "p", "qos_read": True, "device": "naa.1"},
            {"endpoint": "west", "volume_id": "v1", "qos_policy_id": "q", "qos_read": True, "device": "naa.9"},
        ],
        "step_device_audience": [{"device": "naa.1", "datastores_read": True}, {"device": "naa.9", "datastores_read": False}],
        "fact.array_qos_policy": [{"endpoint": "east", "policy_id": "p"}, {"endpoint": "west", "policy_id": "q"}],
        "step_endpoint_reading": [{"endpoint": name, "volumes_read": True} for name in ("east", "west")],
        "step_vcenter_reading": [{"datastores_read": False}],
    }
    rows = by("qos_policy_use", "endpoint resource_id", given)
    assert {key: row["datastores_under_it"] for key, row in rows.items()} == {("east", "p"): 0, ("west", "q"): None}


@pytest.mark.parametrize(
    ("own", "other", "array", "is_mixed"),
    [
        pytest.param(False, True, "west", False, id="one of another array is of no pool of this"),
        pytest.param(False, True, "east", None, id="it is off, and on on some pool of this array"),
        pytest.param(True, False, "east", None, id="it is on, and off on some pool of this array"),
        pytest.param(True, True, "east", False, id="it is on on all"),
        pytest.param(False, False, "east", False, id="it is off on all"),
    ],
)
def test_what_lies_on_nobody_knows_which_pool_of_its_array_may_have_it_or_not(
    own: bool, other: bool, array: str, is_mixed: bool | None
) -> None:
    given: dict[str, Rows] = {
        "step_volume": [
            {"endpoint": "east", "volume_id": "v1", "pool_id": "p1", "device": "naa.1"},
            {"endpoint": "east", "volume_id": "v9", "pool_id": None, "device": "naa.9"},
            {"endpoint": "west", "volume_id": "v9", "pool_id": None, "device": "naa.8"},
        ],
        "step_datastore_volume": of_vc(
            {"datastore_id": "d1", "array_endpoint": "east", "volume_id": "v1"},
            {"datastore_id": "d9", "array_endpoint": array, "volume_id": "v9"},
        ),
        "fact.datastore": of_vc(
            {"datastore_id": "d1", "name": "one", "type": "VMFS", "sioc_enabled": own},
            {"datastore_id": "d9", "name": "nine", "type": "VMFS", "sioc_enabled": other},
        ),
        "fact.array_pool": [{"endpoint": "east", "pool_id": "p1", "name": "pool"}],
        "step_endpoint_reading": [{"endpoint": "east", "volumes_read": True}],
        "step_vcenter_reading": [{"datastores_read": True}],
    }
    [row] = rows_over("pool_sioc", given)
    assert row["is_mixed"] is is_mixed


def test_of_what_lies_on_nobody_knows_which_pool_one_that_differs_is_enough() -> None:
    stores = {"d1": ("VMFS", "v1", True), "d2": ("VMFS", "v2", False), "d8": ("NFS", "v9", True), "d9": ("NFS", "v9", False)}

    def is_mixed(*names: str) -> dict[str, bool | None]:
        here = {name: stores[name] for name in names}
        given: dict[str, Rows] = {
            "step_volume": [{"endpoint": "east", "volume_id": f"v{n}", "pool_id": None if n == 9 else f"p{n}"} for n in (1, 2, 9)],
            "step_datastore_volume": of_vc(
                *({"datastore_id": name, "array_endpoint": "east", "volume_id": volume} for name, (_, volume, _) in here.items())
            ),
            "fact.datastore": of_vc(
                *({"datastore_id": name, "name": name, "type": kind, "sioc_enabled": on} for name, (kind, _, on) in here.items())
            ),
            "fact.array_pool": [{"endpoint": "east", "pool_id": pool, "name": pool} for pool in ("p1", "p2")],
            "step_endpoint_reading": [{"endpoint": "east", "volumes_read": True}],
            "step_vcenter_reading": [{"datastores_read": True}],
        }
        return {row["resource_id"]: row["is_mixed"] for row in rows_over("pool_sioc", given)}

    assert is_mixed("d1", "d2") == {"p1": False, "p2": False}
    assert is_mixed("d1", "d2", "d8") == {"p1": False, "p2": None}
    assert is_mixed("d1", "d2", "d9") == {"p1": None, "p2": False}
    assert is_mixed("d1", "d2", "d8", "d9") == {"p1": None, "p2": None}


def test_an_array_reports_alerts_where_each_of_its_rows_does_not_say_otherwise() -> None:
    given: dict[str, Rows] = {
        "step_array": [{"endpoint": name, "known_as": name} for name in ("a", "b")],
        "fact.array": [
            *({"endpoint": "a", "name": name, "reports_alerts": reports} for name, reports in (("one", True), ("two", False))),
            *({"endpoint": "b", "name": name, "reports_alerts": reports} for name, reports in (("one", True), ("two", None))),
        ],
    }
    assert {row["endpoint"]: row["reports_alerts"] for row in rows_over("array_system", given)} == {"a": False, "b": True}


def test_a_disk_by_one_inner_path_is_the_hosts_own_where_no_other_host_sees_it() -> None:
    disks = (("h1", 1), ("h1", 2), ("h2", 2), ("h1", 3), ("h1", 4))
    given: dict[str, Rows] = {
        "fact.device": of_vc(*({"host_id": host, "device": f"naa.{n}", "device_type": "disk", "is_local": False} for host, n in disks)),
        "fact.host": of_vc(*({"host_id": host, "vsan_enabled": False} for host in ("h1", "h2"))),
        "step_host_number": of_vc({"host_id": "h1", "host_number": 1}, {"host_id": "h2", "host_number": 2}),
        "step_host_reading": of_vc(*({"host_id": host, "domain_id": "c1", "paths_read": True} for host in ("h1", "h2"))),
        "step_domain_reading": of_vc({"domain_id": "c1", "devices_read": True}),
        "step_device_number": [{"device_number": n, "device": f"naa.{n}"} for n in (1, 2, 3, 4)],
        "step_inquiry": [{"inquiry_number": 1, "device_type": "disk", "family": "other", "is_aside": False}],
        "step_path_row": [{"host_number": int(host[1]), "device_number": n, "set_key": min(n, 3) if n != 4 else 4} for host, n in disks],
        "step_path_set": [
            *({"set_key": key, "paths": 1, "transport": "sas"} for key in (1, 2)),
            {"set_key": 3, "paths": 1, "transport": "nvme", "driver_number": 7},
            {"set_key": 4, "paths": 1, "transport": "fc", "driver_number": 7},
        ],
        "step_driver": [{"driver_number": 7, "driver": "nvme_pcie"}],
    }
    rows = by("step_device_joined", "host_number device_number", given)
    assert {key: row["is_shared"] for key, row in rows.items()} == {
        (1, 1): False,
        (1, 2): True,
        (2, 2): True,
        (1, 3): False,
        (1, 4): True,
    }


@pytest.mark.parametrize(
    ("differ", "state", "working", "shown"),
    [
        pytest.param(False, "ok", 2, "ok", id="one reading"),
        pytest.param(True, "ok", 2, None, id="two that differ"),
        pytest.param(False, "lostCommunication", 2, None, id="lost, and paths work"),
        pytest.param(False, "lostCommunication", 0, "lostCommunication", id="lost, and no path works"),
        pytest.param(False, "lostCommunication", None, "lostCommunication", id="lost, and nobody knows of paths"),
        pytest.param(False, "degraded", 2, "degraded", id="a state in which paths work"),
        pytest.param(True, "off", 2, "off", id="detached by somebody"),
    ],
)
def test_a_state_is_believed_where_the_host_does_not_read_otherwise(
    differ: bool, state: str, working: int | None, shown: str | None
) -> None:
    counts = {
        "paths": 4,
        "active_paths": 3,
        "dead_paths": 1,
        "disabled_paths": 0,
        "usable_paths": 3,
        "adapters": 2,
        "targets": 2,
        "undetermined": 0,
    }
    given: dict[str, Rows] = {
        "step_device_path": [
            {
                "host_number": 1,
                "device_number": 1,
                "inquiry_number": 1,
                "set_key": 1,
                "policy_key": 1,
                "paths_differ": differ,
                "policies_differ": False,
            }
        ],
        "step_host_number": of_vc({"host_id": "h1", "host_number": 1}),
        "step_host_reading": of_vc({"host_id": "h1", "paths_read": True}),
        "step_device_number": [{"device_number": 1, "device": "naa.1"}],
        "step_inquiry": [{"inquiry_number": 1, "device_state": state}],
        "step_path_set": [{"set_key": 1, **counts}],
        "step_policy": [{"policy_key": 1, "working_paths": working}],
    }
    [row] = rows_over("step_path_of_class", given)
    assert row["device_state"] == shown
    del counts["undetermined"]
    assert {name: row[name] for name in counts} == (dict.fromkeys(counts) if differ else counts)
