"""Every column of the views `datastore_throttle` and `datastore_load` over rows of what they read, among datastores of the same ids."""

from typing import Any

from .single import ByName, Rows, of_vc, rows_over, shown

CASES: dict[str, tuple[dict[str, Any], list[int | None], dict[str, Any]]] = {
    # name: (what is known of the datastore, the limits of the disks on it, what is expected)
    "ceiling": ({"has_array_qos": True}, [], {"array_throttles": True, "throttles": "array QoS"}),
    "ceiling not known": ({"has_array_qos": None}, [], {"array_throttles": None, "throttled_twice": None, "throttles": ""}),
    "nothing": (
        {"sioc_enabled": False},
        [],
        {"throttles": "", "throttled_twice": False, "is_in_pod": False, "moves_by_itself": False, "disks": 0, "limited_disks": 0},
    ),
    "sioc": (
        {"has_array_qos": True, "sioc_enabled": True},
        [],
        {"throttles": "array QoS, Storage I/O Control", "throttled_twice": True, "throttled_twice_without_sioc": False},
    ),
    "sioc alone": ({"sioc_enabled": True}, [], {"throttles": "Storage I/O Control", "throttled_twice": False}),
    "sioc cannot be": ({"has_array_qos": True, "supported": False}, [], {"sioc_enabled": False, "throttled_twice": False}),
    "sioc may be": ({"has_array_qos": True, "supported": True}, [], {"sioc_enabled": None, "throttled_twice": None}),
    "metric": (
        {"has_array_qos": True, "io_metric_in_force": True, "pod_id": "moving", "sioc_enabled": False},
        [],
        {"throttles": "array QoS, the I/O metric of Storage DRS", "throttled_twice": True, "throttled_twice_without_sioc": True}
        | {"is_in_pod": True, "moves_by_itself": True, "pod": "pod moving"},
    ),
    "metric alone": (
        {"io_metric_in_force": True, "pod_id": "still"},
        [],
        {"throttled_twice": False, "throttled_twice_without_sioc": False, "moves_by_itself": False, "pod": "pod still"},
    ),
    "in an unread pod": ({"pod_id": "unread"}, [], {"is_in_pod": True, "moves_by_itself": None, "pod": None}),
    "most disks": (
        {"has_array_qos": True, "sioc_enabled": False},
        [500, 500, None],
        {"throttles": "array QoS, limits of single disks", "throttled_twice": True, "throttled_twice_without_sioc": True}
        | {"disks": 3, "limited_disks": 2},
    ),
    "half of the disks": (
        {"has_array_qos": True, "sioc_enabled": False},
        [500, None],
        {"throttles": "array QoS", "throttled_twice": False, "throttled_twice_without_sioc": False},
    ),
    "element": (
        {"has_array_qos": True, "sioc_enabled": False, "families": "solidfire"},
        [500],
        {"throttles": "array QoS, limits of single disks", "throttled_twice": False, "throttled_twice_without_sioc": False},
    ),
    "family not known": (
        {"has_array_qos": True, "sioc_enabled": False, "families": None},
        [500],
        {"throttled_twice": None, "throttled_twice_without_sioc": None},
    ),
    "disks alone": (
        {"sioc_enabled": False},
        [500],
        {"array_throttles": False, "throttles": "limits of single disks", "throttled_twice": False},
    ),
    "machine not read": (
        {"has_array_qos": True, "sioc_enabled": False},
        [500],
        {"disks": None, "limited_disks": None, "throttled_twice": None},
    ),
}
VOLUMES: dict[str, tuple[list[tuple[str | None, bool | None]], bool | None, bool | None]] = {
    # name: (priority of each volume, and whether its QoS was read; whether the array throttles; whether one has the priority Low)
    "high": ([("High", True)], True, False),
    "low": ([("Low", True)], True, True),
    "medium": ([("Medium", True)], False, False),
    "without priority": ([(None, True)], False, False),
    "not read": ([(None, False)], None, None),
    "one not read": ([("Medium", True), (None, False)], None, None),
    "one not joined": ([("Medium", True), (None, None)], None, None),
    "low and not read": ([("Low", True), (None, False)], True, True),
    "high and low": ([("High", True), ("Low", True)], True, True),
    "high and not read": ([("High", True), (None, False)], True, None),
    "medium and high": ([("Medium", True), ("High", True)], True, False),
}


def listed(name: str, **more: Any) -> dict[str, Any]:
    """A datastore as the view `datastore` has it."""
    usual = {"type": "VMFS", "families": "ontap", "has_array_qos": False, "io_metric_in_force": False}
    return {"endpoint": "vc", "datastore_id": name, "resource_id": name, "resource_name": f"name of {name}", **usual, **more}


def throttles(rows: Rows, facts: Rows, **tables: Rows) -> Rows:
    """The rows of the view over these datastores."""
    read = {"datastores_read": True, "pods_read": True, "vms_read": True}
    given = {
        "datastore": rows,
        "fact.datastore": facts,
        "step_endpoint_reading": [
            {"endpoint": "vc", **read},
            {"endpoint": "vc-2", "datastores_read": False, "pods_read": True, "vms_read": False},
            {"endpoint": "files", **read, "pods_read": False},
        ],
        "storage_pod": [
            *of_vc({"pod_id": "moving", "resource_name": "pod moving", "moves_by_itself": True}),
            *of_vc({"pod_id": "still", "resource_name": "pod still", "moves_by_itself": False}),
            {"endpoint": "vc-2", "pod_id": "moving", "resource_name": "wrong", "moves_by_itself": False},
        ],
    }
    return rows_over("datastore_throttle", given | tables)


def test_whatever_holds_a_datastore_back_is_told_and_twice_is_told_of_array_and_host() -> None:
    of_facts = ("supported", "pod_id")
    rows = [listed(name, **{key: value for key, value in known.items() if key not in of_facts}) for name, (known, _, _) in CASES.items()]
    facts = [
        {"endpoint": "vc", "datastore_id": name, "pod_id": known.get("pod_id"), "sioc_supported": known.get("supported")}
        for name, (known, _, _) in CASES.items()
    ]
    answered = throttles(
        [
            *rows,
            listed("elsewhere", type="vsan"),
            listed("vvols", type="VVOL"),
            listed("metric", endpoint="vc-2", type="NFS41"),
            listed("metric", endpoint="files"),
        ],
        [
            *facts,
            *of_vc({"datastore_id": "elsewhere"}, {"datastore_id": "vvols"}),
            *({"endpoint": name, "datastore_id": "metric"} for name in ("vc-2", "files")),
        ],
        **{
            "step_datastore_volume": of_vc(*({"datastore_id": name, "array_endpoint": "east", "volume_id": "v"} for name in CASES)),
            "step_volume": [{"endpoint": "east", "volume_id": "v", "qos_read": True}],
            "fact.vm_disk": [
                *(
                    {"endpoint": "vc", "datastore_id": name, "vm_id": name, "disk": str(number), "iops_limit": limit}
                    for name, (_, limits, _) in CASES.items()
                    for number, limit in enumerate(limits)
                ),
                *of_vc(
                    *(
                        {"datastore_id": "nothing", "vm_id": "raw", "disk": n, "iops_limit": 5, "rdm_mode": "physicalMode"}
                        for n in ("1", "2")
                    )
                ),
                {"endpoint": "vc-2", "datastore_id": "half of the disks", "vm_id": "v", "disk": "1", "iops_limit": 5},
            ],
            "step_unread_machine": [
                *of_vc({"datastore_id": "machine not read", "machines": 1}),
                {"endpoint": "vc-2", "datastore_id": "element", "machines": 1},
            ],
        },
    )
    expected = {name: wanted for name, (_, _, wanted) in CASES.items()}
    expected["vc-2/metric"] = {
        "is_in_pod": None,
        "moves_by_itself": None,
        "disks": None,
        "limited_disks": None,
        "pod": None,
        "type": "NFS41",
    }
    expected["files/metric"] = {"is_in_pod": None, "moves_by_itself": None, "disks": 0, "pod": None}
    assert shown(answered, expected) == expected


def test_an_array_throttles_by_a_priority_that_is_not_the_usual_one() -> None:
    volumes: Rows = [
        {
            "datastore_id": name,
            "volume_id": f"{name} {number}",
            "array_endpoint": "east" if number == 0 else "west",
            "priority": priority,
            "read": read,
        }
        for name, (several, _, _) in VOLUMES.items()
        for number, (priority, read) in enumerate(several)
    ]
    other = {"east": "west", "west": "east"}
    answered = throttles(
        [
            *(listed(name, cluster="gold", arrays="a", volumes="v", qos="q", host_names="h", sioc_neighbours="d") for name in VOLUMES),
            listed("low", endpoint="vc-2", type="NFS"),
        ],
        [*of_vc(*({"datastore_id": name} for name in VOLUMES)), {"endpoint": "vc-2", "datastore_id": "low", "pod_id": "moving"}],
        step_datastore_volume=[
            {"endpoint": "vc", **{key: row[key] for key in ("datastore_id", "volume_id", "array_endpoint")}} for row in volumes
        ],
        step_volume=[
            *(
                {"endpoint": row["array_endpoint"], "volume_id": row["volume_id"], "qos_read": row["read"]}
                for row in volumes
                if row["read"] is not None
            ),
            *({"endpoint": other[row["array_endpoint"]], "volume_id": row["volume_id"], "qos_read": not row["read"]} for row in volumes),
        ],
        step_volume_qos=[
            *({"endpoint": row["array_endpoint"], "volume_id": row["volume_id"], "qos_priority": row["priority"]} for row in volumes),
            *({"endpoint": other[row["array_endpoint"]], "volume_id": row["volume_id"], "qos_priority": "Low"} for row in volumes),
        ],
        step_array=[{"endpoint": "east", "latency_threshold_ms": 30}, {"endpoint": "west", "latency_threshold_ms": 20}],
    )
    passed_on = {"cluster": "gold", "arrays": "a", "volumes": "v", "qos": "q", "host_names": "h", "latency_threshold_ms": 30, "host": None}
    passed_on["sioc_neighbours"] = "d"
    expected: ByName = {
        name: {"array_throttles": throttled, "has_low_priority": low, **passed_on} for name, (_, throttled, low) in VOLUMES.items()
    }
    of_vc_2 = {"array_throttles": None, "has_low_priority": None, "latency_threshold_ms": None, "moves_by_itself": False, "pod": "wrong"}
    assert shown(answered, expected | {"vc-2/low": of_vc_2}) == expected | {"vc-2/low": of_vc_2}


def test_the_load_of_a_datastore_is_that_of_its_own_host_and_relocations_those_of_all_its_hosts() -> None:
    mounted = {"one": ("h1", "h2"), "two": ("h2",), "three": ("h3",)}
    relocate, move = "VirtualMachine.relocate", "com.vmware.STORAGEVMOTION.task"
    given: dict[str, Rows] = {
        "fact.datastore_mount": [
            *of_vc(*({"datastore_id": name, "host_id": host} for name, hosts in mounted.items() for host in hosts)),
            *of_vc({"datastore_id": "three", "host_id": "not listed"}),
            *({"endpoint": name, "datastore_id": "one", "host_id": "h1"} for name in ("vc-2", "vc-3", "vc-4")),
        ],
        "datastore": [
            *of_vc(*({"datastore_id": name, "resource_name": f"name of {name}", "families": f"of {name}"} for name in mounted)),
            *({"endpoint": name, "datastore_id": "one", "resource_name": "elsewhere"} for name in ("vc-2", "vc-3", "vc-4")),
        ],
        "fact.host": [
            *of_vc(*({"host_id": host, "name": f"{host} host", "cluster": f"{host} cluster"} for host in ("h1", "h2", "h3"))),
            *({"endpoint": name, "host_id": "h1", "name": f"{name} host"} for name in ("vc-2", "vc-3", "vc-4")),
        ],
        "fact.datastore_load": [
            *of_vc({"datastore_id": "one", "host_id": "h1", "samples": 15, "iops": 1.0, "latency_ms": 2.0, "sioc_active_percent": 3.0}),
            *of_vc(
                {"datastore_id": "one", "host_id": "h2", "observed_latency_us": 4.0, "normalized_latency_us": 5.0, "max_queue_depth": 6}
            ),
            *of_vc({"datastore_id": "two", "host_id": "h1", "iops": 7.0}),
            {"endpoint": "vc-2", "datastore_id": "one", "host_id": "h1", "iops": 8.0},
        ],
        "step_disk_sender": [
            *of_vc({"host_id": "h1", "kind": "datastore", "place": "one", "busiest_disks": "of h1"}),
            *of_vc({"host_id": "h2", "kind": "datastore", "place": "one", "busiest_disks": "of h2"}),
            *of_vc({"host_id": "h2", "kind": "device", "place": "two", "busiest_disks": "of a device of that name"}),
            {"endpoint": "vc-2", "host_id": "h1", "kind": "datastore", "place": "one", "busiest_disks": "elsewhere"},
        ],
        "step_endpoint_reading": [
            *({"endpoint": name, "tasks_read": True, "vms_read": True} for name in ("vc", "vc-2")),
            {"endpoint": "vc-3", "tasks_read": True, "vms_read": False},
            {"endpoint": "vc-4", "tasks_read": False, "vms_read": True},
        ],
        "fact.running_task": [
            *of_vc({"task_id": "1", "description_id": relocate, "entity_id": "vm-1", "entity_name": "first", "progress_percent": 40}),
            *of_vc({"task_id": "2", "description_id": move, "entity_id": "vm-2", "entity_name": "second"}),
            *of_vc({"task_id": "3", "description_id": "VirtualMachine.powerOn", "entity_id": "vm-1", "entity_name": "started"}),
            *of_vc({"task_id": "4", "description_id": relocate, "entity_id": "not listed", "entity_name": "not listed"}),
            {"endpoint": "vc-2", "task_id": "1", "description_id": relocate, "entity_id": "vm-2", "entity_name": "third"},
        ],
        "fact.vm": [
            *of_vc({"vm_id": "vm-1", "host_id": "h1"}, {"vm_id": "vm-2", "host_id": "h2"}),
            *of_vc({"endpoint": "vc-2", "vm_id": "vm-2", "host_id": "h1"}),
        ],
    }
    expected: ByName = {
        "one/h1": {"samples": 15, "iops": 1.0, "latency_ms": 2.0, "sioc_active_percent": 3.0, "relocations": "first (40 %), second"}
        | {
            "busiest_disks": "of h1",
            "resource_name": "name of one",
            "host": "h1 host",
            "cluster": "h1 cluster",
            "datastore_id": "one",
            "host_id": "h1",
            "families": "of one",
        },
        "one/h2": {"iops": None, "observed_latency_us": 4.0, "normalized_latency_us": 5.0, "max_queue_depth": 6}
        | {"relocations": "first (40 %), second", "host": "h2 host", "busiest_disks": "of h2"},
        "two/h2": {"iops": None, "relocations": "second", "resource_name": "name of two", "busiest_disks": None},
        "three/h3": {"iops": None, "relocations": "none"},
        "vc-2/one/h1": {
            "iops": 8.0,
            "relocations": "third",
            "resource_name": "elsewhere",
            "host": "vc-2 host",
            "busiest_disks": "elsewhere",
        },
        "vc-3/one/h1": {"relocations": None, "busiest_disks": None},
        "vc-4/one/h1": {"relocations": None},
    }
    assert shown(rows_over("datastore_load", given), expected) == expected
