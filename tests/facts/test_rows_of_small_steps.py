"""Steps of a few lines, each over rows of what it reads: deduplication anywhere, ports of a module, sets of paths, loads and devices."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .single import Rows, by, of_vc, rows_over


@pytest.mark.parametrize(
    ("schedules", "may_start"),
    [
        pytest.param([{"start_minutes": "[60]"}], True, id="at one o'clock"),
        pytest.param([{"start_minutes": "[]"}], False, id="never"),
        pytest.param([{"start_minutes": "[]"}, {"start_minutes": "[60]"}], True, id="one of two"),
        pytest.param([{"schedule": "daily at noon"}], True, id="at times that were not understood"),
        pytest.param([{"schedule": "auto"}], False, id="as much is changed: not by the clock"),
        pytest.param([{"schedule": "auto", "policy": "nightly"}], True, id="a policy sets the time"),
        pytest.param([{}], False, id="no schedule"),
    ],
)
def test_deduplication_that_lies_on_several_pools_may_start(schedules: list[dict[str, Any]], may_start: bool) -> None:
    rows = [{"endpoint": "f", "state": "enabled", "operation_state": "idle", "volume_id": str(n)} | one for n, one in enumerate(schedules)]
    (found,) = rows_over("step_efficiency_anywhere", {"fact.array_efficiency": rows})
    assert (found["may_start"], found["may_run"]) == (may_start, False)


@pytest.mark.parametrize(
    ("states", "may_run"),
    [
        pytest.param(["active"], True, id="it runs"),
        pytest.param(["undoing"], True, id="it takes savings back"),
        pytest.param(["idle", "pending", "disabled"], False, id="each rests"),
        pytest.param(["idle"], False, id="it rests"),
        pytest.param([None], True, id="not reported"),
        pytest.param(["idle", "active"], True, id="one of two"),
    ],
)
def test_deduplication_that_lies_on_several_pools_may_run(states: list[str | None], may_run: bool) -> None:
    rows = [{"endpoint": "f", "start_minutes": "[]", "operation_state": one, "volume_id": str(n)} for n, one in enumerate(states)]
    (found,) = rows_over("step_efficiency_anywhere", {"fact.array_efficiency": rows})
    assert (found["may_start"], found["may_run"]) == (False, may_run)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        pytest.param({}, 1, id="its pool is not known"),
        pytest.param({"pool_id": "p"}, 0, id="it lies on one pool"),
        pytest.param({"state": "disabled"}, 0, id="it is off"),
        pytest.param({"state": "disabled", "operation_state": "undoing"}, 1, id="it is off, and undone"),
        pytest.param({"state": None}, 1, id="whether it is on is not reported"),
    ],
)
def test_deduplication_of_one_pool_or_none_is_left_out(given: dict[str, Any], count: int) -> None:
    row = {"endpoint": "f", "volume_id": "v", "state": "enabled", "start_minutes": "[60]"} | given
    assert len(rows_over("step_efficiency_anywhere", {"fact.array_efficiency": [row]})) == count


def test_a_module_has_as_many_ports_as_a_host_has_adapters_of_it() -> None:
    # The hosts h1 have one name in two vCenters; the other host's adapters were not read, or one of them names no module.
    # A port that speaks NVMe as well is two adapters (docs/domain/facts.md#1-13); of one adapter nobody knows what it speaks.
    adapters: list[tuple[str, str, str, str | None]] = [
        ("vc", "h1", "qlnativefc", "fc"),
        ("vc", "h1", "qlnativefc", "fc"),
        ("vc", "h1", "lpfc", "fc"),
        ("vc 2", "h1", "nfnic", "fc"),
    ]
    adapters += [("vc", "unread", "lpfc", "fc"), *((vc, "nameless", "lpfc", "fc") for vc in ("vc", "vc 2", "vc 2"))]
    adapters += [("vc", "nvme too", "lpfc", kind) for kind in ("fc", "nvme", "fcoe", "nvme")]
    adapters += [("vc", "nvme too", "nvmetcp", "nvme"), ("vc", "nvme too", "qlnativefc", "fc"), ("vc", "nvme too", "qlnativefc", None)]
    keyed = by(
        "step_module_port",
        "endpoint host_id module",
        {
            "fact.hba": [
                {"endpoint": vc, "host_id": host, "hba": f"vmhba{n}", "driver": module, "kind": kind}
                for n, (vc, host, module, kind) in enumerate(adapters)
            ],
            "step_host_reading": [
                {"endpoint": vc, "host_id": host, "hbas_read": host != "unread"} for vc, host in sorted({one[:2] for one in adapters})
            ],
            "step_nameless_adapter": [{"endpoint": "vc 2", "host_id": "nameless"}],
        },
    )
    assert {key: row["ports"] for key, row in keyed.items()} == {
        ("vc", "h1", "qlnativefc"): 2,
        ("vc", "h1", "lpfc"): 1,
        ("vc", "nameless", "lpfc"): 1,
        ("vc 2", "h1", "nfnic"): 1,
        ("vc", "nvme too", "lpfc"): 2,
        ("vc", "nvme too", "nvmetcp"): 0,
        ("vc", "nvme too", "qlnativefc"): None,
    }


def test_a_rule_that_names_a_device_singles_it_out_on_its_host_alone() -> None:
    rules = [("vc", "h1", "naa.1"), ("vc", "h1", "naa.1"), ("vc", "h1", ""), ("vc 2", "h1", "naa.2")]
    rows = rows_over(
        "step_singled_out",
        {
            "fact.satp_rule": [{"endpoint": vc, "host_id": host, "device": device} for vc, host, device in rules],
            "step_host_number": [
                {"endpoint": vc, "host_id": host, "host_number": number}
                for vc, host, number in (("vc", "h1", 1), ("vc", "h2", 2), ("vc 2", "h1", 3))
            ],
            "step_device_number": [{"device": f"naa.{n}", "device_number": n} for n in (1, 2)],
        },
    )
    assert [(row["host_number"], row["device_number"], row["is_singled_out"]) for row in rows] == [(1, 1, True), (3, 2, True)]


def test_what_a_host_has_not_is_singled_out_nowhere() -> None:
    rules = of_vc({"host_id": "h1", "device": "naa.gone"}, {"host_id": "gone", "device": "naa.1"})
    number, device = of_vc({"host_id": "h1", "host_number": 1}), [{"device": "naa.1", "device_number": 1}]
    assert rows_over("step_singled_out", {"fact.satp_rule": rules, "step_host_number": number, "step_device_number": device}) == []


NUMBERS: dict[str, Rows] = {
    "step_host_number": [
        {"endpoint": vc, "host_id": host, "host_number": number}
        for number, (vc, host) in enumerate((("vc", "h1"), ("vc", "h2"), ("vc 2", "h1")), 1)
    ],
    "step_device_number": [{"device": f"naa.{n}", "device_number": n} for n in (1, 2, 3)],
}
"""Three hosts, two of them of one id, and three devices."""


def test_a_device_is_set_aside_where_it_is_no_disk_of_machines_or_may_be_none() -> None:
    devices = [{"host_number": 3, "device_number": n, "inquiry_number": n} for n in (1, 2, 3)]
    inquiries = [{"inquiry_number": n, "is_aside": aside} for n, aside in ((1, True), (2, False), (3, None))]
    found = rows_over("step_aside", NUMBERS | {"step_device_row": devices, "step_inquiry": inquiries})
    assert found == [{"endpoint": "vc 2", "host_id": "h1", "device": f"naa.{n}", "is_aside": aside} for n, aside in ((1, True), (3, None))]


def test_a_device_has_old_paths_where_its_two_readings_differ() -> None:
    devices = [{"host_number": 2, "device_number": n, "paths_differ": n == 1} for n in (1, 2)]
    [row] = rows_over("step_stale_path", NUMBERS | {"step_device_path": devices})
    assert row == {"endpoint": "vc", "host_id": "h2", "device": "naa.1", "host_number": 2, "device_number": 1}


def test_the_load_of_a_device_is_that_on_its_host_and_loads_that_are_alike_have_one_key() -> None:
    loads = [
        ("vc", "h1", "naa.1", 9.0),
        ("vc", "h2", "naa.1", 9.0),
        ("vc 2", "h1", "naa.1", 7.0),
        ("vc", "gone", "naa.1", 1.0),
        ("vc", "h1", "gone", 1.0),
    ]
    rows = [{"endpoint": vc, "host_id": host, "device": device, "commands_per_second": rate} for vc, host, device, rate in loads]
    figures = rows_over("step_load_figures", {"fact.device_load": rows})
    found = rows_over("step_device_load", NUMBERS | {"step_load_figures": figures})
    assert [(row["host_number"], row["device_number"]) for row in found] == [(1, 1), (2, 1), (3, 1)]
    assert found[0]["load_key"] == found[1]["load_key"] != found[2]["load_key"]


@pytest.mark.parametrize(
    ("stream", "worlds", "is_split"),
    [
        pytest.param({"outstanding": 0.5, "commands_per_second": 0.0}, 1, True, id="half a command under way"),
        pytest.param({"outstanding": 0.0, "commands_per_second": 0.5}, 1, False, id="half a command a second"),
        pytest.param({"outstanding": 0.0, "commands_per_second": 0.0}, 0, False, id="nothing"),
        pytest.param({"outstanding": 0.5, "io_bytes": 4096, "largest_io_bytes": 4096}, 1, False, id="no larger than what is sent in one"),
    ],
)
def test_a_disk_sends_however_little_it_sends(stream: dict[str, Any], worlds: int, is_split: bool) -> None:
    sent = {"endpoint": "vc", "host_id": "h1", "device": "naa.1", "runs": True, "driver": "iscsi_vmk", **stream}
    devices = [{"host_number": 1, "device_number": 1}]
    readings = [{"endpoint": "vc", "vms_read": True}]
    [row] = rows_over("step_queue", NUMBERS | {"step_device_row": devices, "disk_stream": [sent], "step_endpoint_reading": readings})
    assert (row["worlds_at_least"], row["outstanding"], row["is_split"]) == (worlds, stream["outstanding"], is_split)


@pytest.mark.parametrize(
    ("minutes", "is_idle"),
    [
        pytest.param(None, True, id="when it was read is not known"),
        pytest.param(15, True, id="lately"),
        pytest.param(16, False, id="long ago"),
    ],
)
def test_a_device_is_idle_where_its_load_was_measured_shortly_before_it_was_read(minutes: int | None, is_idle: bool) -> None:
    sampled = datetime(2026, 11, 1, tzinfo=UTC)
    given = NUMBERS | {
        "step_device_row": [{"host_number": 1, "device_number": 1}],
        "step_device_load": [{"host_number": 1, "device_number": 1, "load_key": 7}],
        "step_load": [{"load_key": 7, "samples": 5, "commands_per_second": 0.0, "sampled_at": sampled}],
    }
    if minutes is not None:
        read = {"endpoint": "vc", "scope": "h1", "topic": "device_load", "read_at": sampled + timedelta(minutes=minutes)}
        given["step_load_reading"] = [read]
    assert (rows_over("step_queue", given) == []) is is_idle


def test_a_device_that_nothing_is_sent_to_is_of_its_class_as_well() -> None:
    queue = {
        "step_queue": [
            {"host_number": 1, "device_number": 1, "outstanding": 5.0},
            {"host_number": 2, "device_number": 2, "outstanding": 9.0},
        ]
    }
    rows = [{"host_number": 1, "device_number": n, "class_number": 7} for n in (1, 2)]
    classes = rows_over("step_demand_class", {**queue, "step_device_row": rows, "step_device_class": [{"class_number": 7, "devices": 2}]})
    assert sorted((row["class_number"], str(row["outstanding"]), row["devices"]) for row in classes) == [(7, "5.0", 1), (7, "None", 1)]
    found = by("step_demand_of_class", "device_number", {**queue, "step_device_of_class": rows})
    assert {key: row["outstanding"] for key, row in found.items()} == {(1,): 5.0, (2,): None}


def test_devices_of_a_host_have_one_set_of_paths_where_all_of_these_are_the_same() -> None:
    # No two sets of h1 have both their greatest and their least path in common; together with the other h1's they would be alike.
    reached = {("vc", "h1"): ("xy", "xz", "yz"), ("vc", "h2"): ("xy", "xy", "xy"), ("vc 2", "h1"): ("xz", "xy", "yz")}
    paths = [
        {"endpoint": vc, "host_id": host, "device": f"naa.{n}", "hba": "vmhba1", "target": target, "state": "active"}
        for (vc, host), devices in reached.items()
        for n, targets in enumerate(devices, 1)
        for target in targets
    ]
    rows = by("step_path_row", "host_number device_number", NUMBERS | {"fact.path": paths})
    keys = {key: row["set_key"] for key, row in rows.items()}
    assert len(keys) == 9
    assert len(set(keys.values())) == 7, "three sets of each host h1, and one of h2"
    assert keys[2, 1] == keys[2, 2] == keys[2, 3]
    of_devices = [{"host_number": host, "device_number": device, "set_key": key} for (host, device), key in keys.items()]
    sets = rows_over("step_path_of_set", NUMBERS | {"step_path": paths, "step_path_row": of_devices})
    assert sorted((row["host_number"], row["device"], row["target"], row["devices"]) for row in sets) == [
        *((1, f"naa.{n}", target, 1) for n, targets in enumerate(reached["vc", "h1"], 1) for target in targets),
        *((2, "naa.1", target, 3) for target in "xy"),
        *((3, f"naa.{n}", target, 1) for n, targets in enumerate(reached["vc 2", "h1"], 1) for target in targets),
    ]


def test_a_class_of_devices_is_shown_by_the_first_of_them() -> None:
    rows = [{"host_number": 1, "device_number": n, "class_key": key} for n, key in ((2, 7), (1, 7), (3, 8))]
    found = by("step_path_example", "host_number class_key", {"step_path_of_class": rows})
    assert found == {(1, 7): {"device_number": 1, "devices": 2}, (1, 8): {"device_number": 3, "devices": 1}}


def test_each_way_to_choose_among_paths_comes_once() -> None:
    ways = [
        {"endpoint": "vc", "host_id": host, "device": "naa.1", "policy_key": key, "psp": psp}
        for host, key, psp in (("h1", 1, "RR"), ("h2", 1, "RR"), ("h3", 2, "MRU"))
    ]
    assert {row["policy_key"]: row["psp"] for row in rows_over("step_policy", {"step_policy_options": ways})} == {1: "RR", 2: "MRU"}
    assert len(rows_over("step_policy", {"step_policy_options": ways})) == 2


def test_a_set_of_paths_is_counted_and_has_what_all_its_paths_have() -> None:
    drivers: dict[int, dict[str, str | None]] = {
        1: {"vmhba1": "a", "vmhba2": "a", "vmhba3": "b", "vmhba4": None},
        2: {"vmhba1": "b"},
        3: {"vmhba1": "b"},
    }
    of_host = {row["host_number"]: (row["endpoint"], row["host_id"]) for row in NUMBERS["step_host_number"]}
    adapters = [
        {"endpoint": of_host[host][0], "host_id": of_host[host][1], "hba": hba, "driver": driver}
        for host, hbas in drivers.items()
        for hba, driver in hbas.items()
    ]

    def path(key: int, hba: str, **cells: Any) -> dict[str, Any]:
        same = {"host_number": 3 if key == 4 else 1, "state": "active", "is_working": True, "transport": "fc", "psp": "RR", "satp": "ALUA"}
        return {"set_key": key, "hba": hba, "target": "a"} | same | cells

    paths = [
        path(1, "vmhba1"),
        path(1, "vmhba2", state="dead", is_working=False, target="b"),
        path(1, "vmhba1", state="standby"),
        path(1, "vmhba2", state="disabled", is_working=False, target=None),
        path(2, "vmhba1", state=None, target="y"),
        path(2, "vmhba3", state="unknown", target="x", is_working=None, transport="iscsi", psp="MRU", satp="AA"),
        path(3, "vmhba4"),
        path(4, "vmhba1"),
        path(5, "unlisted"),
        *(path(6, hba) for hba in ("vmhba1", "vmhba4")),
        *(path(7, hba) for hba in ("vmhba1", "unlisted")),
    ]
    given = NUMBERS | {"fact.hba": adapters, "step_path_of_set": paths}
    given["step_driver"] = [{"driver": "a", "driver_number": 1}, {"driver": "b", "driver_number": 2}]
    found = by("step_path_set", "set_key", given)
    assert found[1,] == {
        "host_number": 1,
        "paths": 4,
        "active_paths": 1,
        "dead_paths": 1,
        "disabled_paths": 1,
        "usable_paths": 2,
        "undetermined": 0,
        "working_paths": 2,
        "adapters": 2,
        "targets": 2,
        "target_list": None,
        "driver_number": 1,
        "transport": "fc",
        "psp": "RR",
        "satp": "ALUA",
    }
    names = ("undetermined", "working_paths", "target_list", "driver_number", "transport", "psp", "satp")
    assert [found[2,][name] for name in names] == [2, None, ["x", "y"], None, None, None, None]
    assert {key: row["driver_number"] for (key,), row in found.items()} == {1: 1, 4: 2} | dict.fromkeys((2, 3, 5, 6, 7))


def test_hosts_that_have_the_adaptive_depth_of_a_device_off_are_one_row_whatever_their_threshold() -> None:
    settings = [("d", 0, 8), ("d", 0, 4), ("d", 32, 4), ("d", 32, 4), ("d", 32, 8), ("e", 0, 16), ("e", None, None)]
    rows = [{"device": device, "sample_size": size, "threshold": threshold} for device, size, threshold in settings]
    keyed = by("step_queue_full", "device sample_size threshold", {"step_queue_full_row": rows})
    assert {key: row["hosts"] for key, row in keyed.items()} == {
        ("d", 0, 4): 2,
        ("d", 32, 4): 2,
        ("d", 32, 8): 1,
        ("e", 0, 16): 1,
        ("e", None, None): 1,
    }
