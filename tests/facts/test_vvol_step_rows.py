"""Steps between machines, their virtual disks and protocol endpoints, over rows of what they read, with the same ids in another vCenter."""

from typing import Any

from .single import Keyed, Rows, by, of_vc


def test_a_machine_runs_as_far_as_its_state_and_its_host_are_known() -> None:
    """And its guest is what VMware Tools report, else what the machine was made for, else any."""
    on = "poweredOn"
    machines: dict[str, tuple[dict[str, Any], bool | None, str]] = {
        # machine: (what was read of it, whether it runs, its guest)
        "on": ({"power_state": on, "host_id": "here", "running_guest_id": "windows2019srv_64Guest"}, True, "windows"),
        "off": (
            {"power_state": "poweredOff", "host_id": "away", "running_guest_id": "", "guest_id": "winNetEnterpriseGuest"},
            False,
            "windows",
        ),
        "away": ({"power_state": on, "host_id": "away", "running_guest_id": "RHEL9_64Guest"}, None, "linux-254"),
        "nowhere": ({"power_state": on, "running_guest_id": "debian12_64Guest", "guest_id": "windows9Guest"}, True, "linux-254"),
        "untold": ({"host_id": "here", "guest_id": "windows9Guest"}, None, ""),
        "other": (
            {"power_state": on, "host_id": "here", "running_guest_id": "otherGuest64", "guest_id": "centos9_64Guest"},
            True,
            "linux-254",
        ),
        "other alone": ({"power_state": on, "host_id": "here", "running_guest_id": "otherLinux64Guest"}, True, ""),
        "some Linux, made for Windows": (
            {"power_state": on, "host_id": "here", "running_guest_id": "otherLinux64Guest", "guest_id": "windows9Guest"},
            True,
            "",
        ),
        "by name": (
            {"power_state": on, "host_id": "here", "running_guest_id": "otherGuest", "guest_full_name": "Microsoft Windows 12"},
            True,
            "windows",
        ),
        "named otherwise": (
            {"power_state": on, "host_id": "here", "running_guest_id": "rhel7_64Guest", "guest_full_name": "Windows, says somebody"},
            True,
            "",
        ),
        "kernel 6": ({"power_state": "suspended", "host_id": "here", "running_guest_id": "other6xLinux64Guest"}, False, "linux-254"),
    }
    hosts = {"here": "connected", "away": "notResponding"}
    given: dict[str, Rows] = {
        "fact.vm": [
            *of_vc(*({"vm_id": name, **known} for name, (known, _, _) in machines.items())),
            {"endpoint": "vc-2", "vm_id": "on", "host_id": "here", "power_state": on, "running_guest_id": ""},
        ],
        "fact.host": [
            *of_vc(*({"host_id": host, "connection_state": state} for host, state in hosts.items())),
            {"endpoint": "vc-2", "host_id": "here", "connection_state": "disconnected"},
        ],
    }
    expected: Keyed = {
        ("vc", name): {"host_id": known.get("host_id"), "runs": runs, "guest": guest} for name, (known, runs, guest) in machines.items()
    }
    expected["vc-2", "on"] = {"host_id": "here", "runs": None, "guest": ""}
    assert by("step_guest", "endpoint vm_id", given) == expected


def test_a_disk_is_limited_by_the_policy_that_has_its_limit() -> None:
    def limited(name: str, limit: int | None, key: int | None = 2000, endpoint: str = "vc") -> dict[str, Any]:
        return {"endpoint": endpoint, "vm_id": name, "disk": "d", "iops_limit": limit, "disk_key": key}

    given: dict[str, Rows] = {
        "fact.vm_disk": [
            limited("by policy", 500),
            limited("by hand", 400),
            limited("policy alone", None),
            limited("two policies", 600),
            limited("policy not known", 400),
            limited("no policy", 400),
            limited("no key", 400, None),
            limited("free", None),
            limited("by policy", 300, endpoint="vc-2"),
            limited("no policy", 300, endpoint="vc-2"),
        ],
        "fact.storage_policy_disk": [
            *of_vc(
                *(
                    {"vm_id": name, "disk_key": 2000, "policy_id": "gold"}
                    for name in ("by policy", "by hand", "policy alone", "two policies", "policy not known")
                )
            ),
            *of_vc({"vm_id": "two policies", "disk_key": 2000, "policy_id": "silver"}),
            *of_vc({"vm_id": "policy not known", "disk_key": 2000, "policy_id": "unclear"}),
            *of_vc(
                {"vm_id": "no policy", "disk_key": 2001, "policy_id": "gold"}, {"vm_id": "free", "disk_key": 2000, "policy_id": "deleted"}
            ),
            {"endpoint": "vc-2", "vm_id": "by policy", "disk_key": 2000, "policy_id": "gold"},
        ],
        "fact.storage_policy": [
            *of_vc({"policy_id": "gold", "name": "Gold", "iops_limit": 500, "is_limit_known": True}),
            *of_vc({"policy_id": "silver", "name": "Silver", "iops_limit": 700, "is_limit_known": True}),
            *of_vc({"policy_id": "unclear", "name": "Unclear", "is_limit_known": False}),
            {"endpoint": "vc-2", "policy_id": "gold", "name": "Elsewhere", "iops_limit": 900, "is_limit_known": True},
        ],
        "step_endpoint_reading": [{"endpoint": "vc", "storage_policies_read": True}, {"endpoint": "vc-2", "storage_policies_read": False}],
    }

    def policy(name: str | None, limit: int | None, *, own: bool | None, limits: bool | None = True) -> dict[str, Any]:
        return {"storage_policy": name, "policy_iops_limit": limit, "policy_has_limit": limits, "is_limit_by_policy": own}

    expected: Keyed = {
        ("vc", "by policy", "d"): policy("Gold", 500, own=True),
        ("vc", "by hand", "d"): policy("Gold", 500, own=False),
        ("vc", "policy alone", "d"): policy("Gold", 500, own=False),
        ("vc", "two policies", "d"): policy("Gold, Silver", 500, own=False),
        ("vc", "policy not known", "d"): policy("Gold, Unclear", 500, own=None),
        ("vc", "no policy", "d"): policy(None, None, own=False, limits=False),
        ("vc", "no key", "d"): policy(None, None, own=None, limits=None),
        ("vc-2", "by policy", "d"): policy("Elsewhere", 900, own=None),
        ("vc-2", "no policy", "d"): policy(None, None, own=None, limits=None),
    }
    assert by("step_disk_policy", "endpoint vm_id disk", given) == expected


def test_machines_whose_disks_were_not_read_are_counted_on_every_datastore_that_may_hold_some() -> None:
    def unread(name: str, host: str | None, endpoint: str = "vc", **more: Any) -> dict[str, Any]:
        return {"endpoint": endpoint, "vm_id": name, "host_id": host, "power_state": "poweredOn", **more}

    given: dict[str, Rows] = {
        "fact.vm": [
            unread("a", "h1"),
            unread("b", "h1", disks_read=False, power_state="poweredOff"),
            unread("c", "h1", is_template=True, power_state="poweredOff"),
            unread("d", "h1", power_state=None, is_template=False),
            unread("e", "h1", disks_read=True),
            unread("f", "h1", power_state="suspended"),
            unread("g", "h2"),
            unread("h", "no mounts", "vc-2"),
            unread("i", None, "vc-3"),
            unread("j", "h1", "vc-4"),
            unread("k", "h3", is_template=True),
        ],
        "fact.datastore": [
            *of_vc(*({"datastore_id": name} for name in ("one", "two", "three", "none"))),
            *({"endpoint": vcenter, "datastore_id": name} for vcenter in ("vc-2", "vc-3", "vc-4") for name in ("one", "two")),
        ],
        "fact.datastore_mount": [
            *of_vc(
                {"datastore_id": "one", "host_id": "h1"}, {"datastore_id": "one", "host_id": "h2"}, {"datastore_id": "two", "host_id": "h2"}
            ),
            *of_vc({"datastore_id": "three", "host_id": "h3"}),
            {"endpoint": "vc-2", "datastore_id": "one", "host_id": "h1"},
            {"endpoint": "vc-3", "datastore_id": "one", "host_id": "h1"},
            {"endpoint": "vc-4", "datastore_id": "one", "host_id": "h1"},
        ],
        "step_endpoint_reading": [
            *({"endpoint": vcenter, "datastores_read": True} for vcenter in ("vc", "vc-2", "vc-3")),
            {"endpoint": "vc-4", "datastores_read": False},
        ],
    }

    def counts(machines: int, no_templates: int, not_off: int, running: int) -> dict[str, int]:
        return {"machines": machines, "no_templates": no_templates, "not_off": not_off, "running": running}

    expected: Keyed = {
        # a, b, c, d, f of h1, and g of h2
        ("vc", "one"): counts(6, 5, 4, 3),
        ("vc", "two"): counts(1, 1, 1, 1),
        ("vc", "three"): counts(1, 0, 1, 0),
        **{(vcenter, name): counts(1, 1, 1, 1) for vcenter in ("vc-2", "vc-3", "vc-4") for name in ("one", "two")},
    }
    assert by("step_unread_machine", "endpoint datastore_id", given) == expected


def test_the_deepest_virtual_disk_behind_a_host_is_bounded_by_what_was_read() -> None:
    hosts = {"h1": "c1", "h2": "c1", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6", "h7": "h7", "h8": "h8"}

    def disk(
        store: str, domain: str, runs: bool | None, least: int, most: int | None, endpoint: str = "vc", **more: bool
    ) -> dict[str, Any]:
        known = {"datastore_id": store, "domain_id": domain, "disk": "d", "runs": runs, "depth_at_least": least, "depth_at_most": most}
        return {"endpoint": endpoint, "may_be_of_template": False, **known, **more}

    given: dict[str, Rows] = {
        "step_host_reading": [
            *of_vc(*({"host_id": host, "domain_id": domain} for host, domain in hosts.items())),
            *({"endpoint": "vc-3", "host_id": host, "domain_id": "c1"} for host in ("h1", "h2")),
            *({"endpoint": "vc-2", "host_id": host, "domain_id": domain} for host, domain in (("h1", "c9"), ("h2", "c1"))),
            {"endpoint": "vc-4", "host_id": "h1", "domain_id": "c1"},
        ],
        "step_endpoint_reading": [
            {"endpoint": "vc", "vms_read": True, "datastores_read": True},
            {"endpoint": "vc-2", "vms_read": False, "datastores_read": True},
            {"endpoint": "vc-3", "vms_read": True, "datastores_read": True},
            {"endpoint": "vc-4", "vms_read": True, "datastores_read": False},
        ],
        "fact.vvol_mount": [
            *of_vc(*({"host_id": host, "datastore_id": "vvols", "device": device} for host in ("h1", "h3") for device in ("pe.1", "pe.2"))),
            *of_vc(
                {"host_id": "h1", "datastore_id": "other", "device": "pe.1"}, {"host_id": "h4", "datastore_id": "open", "device": "pe.1"}
            ),
            *of_vc(
                {"host_id": "h5", "datastore_id": "vvols", "device": "pe.1"},
                {"host_id": "h7", "datastore_id": "vvols", "device": "pe.1"},
                {"host_id": "h8", "datastore_id": "vvols", "device": "pe.1"},
                {"host_id": "not listed", "datastore_id": "vvols", "device": "pe.1"},
            ),
            *({"endpoint": vcenter, "host_id": "h1", "datastore_id": "vvols", "device": "pe.1"} for vcenter in ("vc-2", "vc-3")),
        ],
        "step_vvol_disk": [
            disk("vvols", "c1", runs=True, least=32, most=64),
            disk("vvols", "c1", runs=False, least=254, most=300),
            disk("vvols", "c1", runs=True, least=40, most=40),
            disk("other", "c1", runs=None, least=100, most=128),
            disk("vvols", "h3", runs=True, least=64, most=64),
            disk("open", "h4", runs=None, least=1, most=None),
            disk("vvols", "h5", runs=True, least=16, most=16),
            disk("vvols", "h7", runs=False, least=16, most=16, may_be_of_template=True),
            disk("vvols", "h8", runs=False, least=16, most=16, may_be_of_template=True),
            disk("vvols", "h8", runs=False, least=16, most=16),
            disk("vvols", "c9", runs=True, least=7, most=7, endpoint="vc-2"),
            disk("vvols", "c1", runs=True, least=99, most=99, endpoint="vc-2"),
            disk("vvols", "c1", runs=True, least=8, most=8, endpoint="vc-3"),
        ],
        "fact.vm": [
            *of_vc({"vm_id": "unread", "host_id": "h5", "disks_read": None}, {"vm_id": "off", "host_id": "h3", "disks_read": False}),
            *of_vc({"vm_id": "read", "host_id": "h3", "disks_read": True}, {"vm_id": "nowhere, off", "disks_read": True}),
            {"endpoint": "vc-3", "vm_id": "off", "disks_read": True},
        ],
        "step_guest": [
            *of_vc({"vm_id": "unread", "runs": True}, {"vm_id": "off", "runs": False}, {"vm_id": "read", "runs": True}),
            *of_vc({"vm_id": "nowhere, off", "runs": False}),
            {"endpoint": "vc-3", "vm_id": "off", "runs": None},
        ],
    }

    def load(deepest: int | None, least: int, most: int | None, disks: int | None, *, carries: bool | None) -> dict[str, Any]:
        return {"deepest_disk_queue": deepest, "deepest_disk_queue_at_least": least, "deepest_disk_queue_at_most": most} | {
            "vvol_disks": disks,
            "carries_vvol_disks": carries,
        }

    expected: Keyed = {
        ("vc", "h1"): load(None, 40, 128, 4, carries=True),
        ("vc", "h2"): load(0, 0, 0, 0, carries=False),
        ("vc", "h3"): load(64, 64, 64, 1, carries=True),
        ("vc", "h4"): load(None, 0, None, 1, carries=True),
        ("vc", "h5"): load(None, 16, None, None, carries=True),
        ("vc", "h6"): load(0, 0, 0, 0, carries=False),
        ("vc", "h7"): load(0, 0, 0, None, carries=None),
        ("vc", "h8"): load(0, 0, 0, None, carries=True),
        ("vc-2", "h1"): load(None, 7, None, None, carries=True),
        ("vc-2", "h2"): load(None, 0, None, None, carries=None),
        ("vc-3", "h1"): load(None, 8, None, None, carries=True),
        ("vc-4", "h1"): load(None, 0, None, None, carries=None),
        ("vc-3", "h2"): load(None, 0, None, None, carries=None),
    }
    assert by("step_vvol_load", "endpoint host_id", given) == expected


def test_a_vvol_datastore_goes_through_the_queues_by_which_hosts_mount_it() -> None:
    def pe(host: str, device: str, dsnro: int | None, depth: int | None, endpoint: str = "vc", **more: Any) -> dict[str, Any]:
        own = {"host_id": host, "device": device, "dsnro": dsnro, "queue_depth": depth, "family": "solidfire", "array_name": "east"}
        reported = {"per_object_qos": False, "stalls_neighbours": False, "deepest_disk_queue": 64, "deepest_disk_queue_at_most": 64}
        return {"endpoint": endpoint, **own, **reported, "deepest_disk_queue_at_least": 64, **more}

    mounts = {
        "whole": ["h1/pe.1", "h2/pe.1", "h1/pe.2"],
        "mixed": ["h3/pe.3", "h1/pe.1"],
        "half": ["h1/pe.1", "h9/pe.9"],
        "untold": ["h4/pe.4", "h1/pe.1"],
        "no depth": ["h5/pe.5"],
        "by another": ["h1/pe.2"],
    }
    given: dict[str, Rows] = {
        "fact.vvol_mount": [
            *of_vc(
                *(
                    {"datastore_id": name, "host_id": place[:2], "device": place[3:]}
                    for name, several in mounts.items()
                    for place in several
                )
            ),
            {"endpoint": "vc-2", "datastore_id": "whole", "host_id": "h1", "device": "pe.1"},
        ],
        "protocol_endpoint": [
            pe("h1", "pe.1", 32, 128),
            pe("h2", "pe.1", 64, 16, deepest_disk_queue=254, deepest_disk_queue_at_most=255, deepest_disk_queue_at_least=253),
            pe("h1", "pe.2", 256, 256),
            pe("h3", "pe.3", 8, 8, family="ontap", array_name="west", per_object_qos=True, stalls_neighbours=True),
            pe("h4", "pe.4", None, 4, family=None, per_object_qos=None, stalls_neighbours=None, deepest_disk_queue=None)
            | {"deepest_disk_queue_at_most": None, "deepest_disk_queue_at_least": None},
            pe("h5", "pe.5", 2, None),
            pe("h1", "pe.1", 1, 1, "vc-2", array_name="elsewhere"),
        ],
        "step_endpoint_reading": [{"endpoint": "vc", "datastores_read": True}, {"endpoint": "vc-2", "datastores_read": False}],
    }

    def queue(
        endpoints: int, family: str | None, arrays: str, *, caps: bool | None, stalls: bool | None, depths: tuple[int | None, ...]
    ) -> dict[str, Any]:
        names = (
            "shallowest_queue",
            "shallowest_queue_at_most",
            "deepest_disk_queue",
            "deepest_disk_queue_at_least",
            "deepest_disk_queue_at_most",
        )
        said = {
            "protocol_endpoints": endpoints,
            "family": family,
            "array_name": arrays,
            "per_object_qos": caps,
            "stalls_neighbours": stalls,
        }
        return said | dict(zip(names, depths, strict=True))

    expected: Keyed = {
        ("vc", "whole"): queue(2, "solidfire", "east", caps=False, stalls=False, depths=(16, 16, 254, 253, 255)),
        ("vc", "mixed"): queue(2, None, "east, west", caps=True, stalls=True, depths=(8, 8, 64, 64, 64)),
        ("vc", "half"): queue(2, None, "east", caps=None, stalls=None, depths=(None, 32, None, 64, None)),
        ("vc", "untold"): queue(2, None, "east", caps=None, stalls=None, depths=(None, 4, None, 64, None)),
        ("vc", "no depth"): queue(1, "solidfire", "east", caps=False, stalls=False, depths=(None, 2, 64, 64, 64)),
        ("vc", "by another"): queue(1, "solidfire", "east", caps=False, stalls=False, depths=(256, 256, 64, 64, 64)),
        ("vc-2", "whole"): queue(1, "solidfire", "elsewhere", caps=None, stalls=None, depths=(1, 1, 64, 64, 64)),
    }
    assert by("step_vvol_queue", "endpoint datastore_id", given) == expected


def test_a_protocol_endpoint_of_an_array_has_the_volumes_that_were_read_to_be_behind_it() -> None:
    read = {"volumes_read": True, "bindings_read": True, "protocol_endpoints_read": True}
    given: dict[str, Rows] = {
        "fact.array_protocol_endpoint": [
            *({"endpoint": "east", "protocol_endpoint_id": number, "device": f"pe.{number}"} for number in ("1", "2")),
            *({"endpoint": name, "protocol_endpoint_id": "1b", "device": "pe.1"} for name in ("east", "alone")),
            *({"endpoint": name, "protocol_endpoint_id": "1", "device": "pe.1"} for name in ("alone", "west", "north", "half")),
            {"endpoint": "west", "protocol_endpoint_id": "2", "device": "pe.2"},
        ],
        "step_endpoint_reading": [
            {"endpoint": "east", **read, "protocol_endpoints_read": False},
            {"endpoint": "alone", **read, "bindings_read": False},
            {"endpoint": "west", **read, "bindings_read": False},
            {"endpoint": "north", **read, "volumes_read": False},
            {"endpoint": "half", **read, "bindings_read": False, "protocol_endpoints_read": False},
        ],
        "step_vvol_place": [
            *({"endpoint": "east", "volume_id": name, "device": "pe.1"} for name in ("a", "b", "c", "d")),
            *({"endpoint": name, "volume_id": "a", "device": "pe.1"} for name in ("alone", "west", "north", "half")),
        ],
        "step_volume": [
            {"endpoint": "east", "volume_id": "a", "name": "vol a", "vvol_id": "ID-A"},
            {"endpoint": "east", "volume_id": "b", "name": "vol b", "vvol_id": "id-b"},
            {"endpoint": "east", "volume_id": "c"},
            {"endpoint": "east", "volume_id": "d", "name": "vol d", "vvol_id": "id-d"},
            *({"endpoint": name, "volume_id": "a", "name": f"vol of {name}"} for name in ("alone", "west", "north", "half")),
        ],
        "step_volume_qos": [
            {"endpoint": "east", "volume_id": "a", "is_capped": True, "qos": "500 IOPS", "qos_policy": "gold", "qos_max_iops": 500},
            {"endpoint": "east", "volume_id": "b", "is_capped": True, "qos": "400 IOPS", "qos_policy": "bronze", "qos_max_iops": 400},
            {"endpoint": "east", "volume_id": "c", "is_capped": True, "qos": "400 IOPS", "qos_policy": "bronze"},
            {"endpoint": "alone", "volume_id": "a", "is_capped": False, "qos": "none"},
            {"endpoint": "west", "volume_id": "a", "is_capped": True, "qos": "900 IOPS", "qos_max_iops": 900},
        ],
        "step_vvol_vm": [{"vvol_id": "id-a", "disk": "vm Hard disk 1"}, {"vvol_id": "id-z", "disk": "wrong"}],
    }
    names = ("bound_volumes", "throttled", "throttled_volumes", "qos", "qos_policies", "qos_max_iops")

    def volumes(*values: Any) -> dict[str, Any]:
        return dict(zip(names, values, strict=True))

    expected: Keyed = {
        ("east", "pe.1"): volumes(4, 3, "c, vm Hard disk 1, vol b", "400 IOPS; 500 IOPS", "bronze, gold", 400),
        ("east", "pe.2"): volumes(0, 0, "", "none", "", None),
        ("alone", "pe.1"): volumes(1, 0, "", "none", "", None),
        ("west", "pe.1"): dict.fromkeys(names),
        ("west", "pe.2"): dict.fromkeys(names),
        ("north", "pe.1"): dict.fromkeys(names),
        ("half", "pe.1"): dict.fromkeys(names),
    }
    assert by("step_endpoint_volumes", "array_endpoint device", given) == expected
