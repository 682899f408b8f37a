"""Steps under the views of drift: settings as they are, the baseline's hosts, and changes; with the same ids in another vCenter."""

from datetime import UTC, datetime, timedelta
from typing import Any

from .single import Keyed, Rows, by, of_vc

TAKEN = datetime(2026, 11, 1, tzinfo=UTC)
A_DAY, TWO_DAYS = TAKEN + timedelta(days=1), TAKEN + timedelta(days=2)
MADE: dict[str, Any] = {"kind": "made", "value": "run", "taken_at": TAKEN}


def settings_now() -> dict[tuple[Any, ...], Any]:
    """Settings by kind, endpoint, host, thing and name."""

    def option(key: str, value: str, kind: str = "long") -> dict[str, Any]:
        return {"host_id": "h1", "key": key, "value": value, "value_type": kind}

    def policy(device: str, psp: str, rr_policy: str | None = None, **more: Any) -> dict[str, Any]:
        return {"host_id": "h1", "device": device, "psp": psp, "rr_policy": rr_policy, **more}

    def target(hba: str, address: str, iqn: str | None, ack: bool | None, host: str = "h1") -> dict[str, Any]:
        return {"host_id": host, "hba": hba, "address": address, "port": 3260, "iqn": iqn, "delayed_ack": ack}

    def volume(name: str, endpoint: str = "element", **more: Any) -> dict[str, Any]:
        own = {"qos_min_iops": 1, "qos_max_iops": 2, "qos_burst_iops": 3}
        return {"endpoint": endpoint, "volume_id": name, "qos_read": True, **own, **more}

    tables: dict[str, Rows] = {
        "fact.host_option": of_vc(
            option("Disk.DiskMaxIOSize", "1"),
            option("NFS41.MaxVolumes", "2", "int"),
            option("Net.TcpipHeapMax", "3", "short"),
            option("Misc.APDTimeout", "4", "byte"),
            option("VMFS3.EnableBlockDelete", "true", "boolean"),
            option("Disk.SchedulerName", "a text", "string"),
            option("Misc.HostName", "5"),
            option("Net.TcpipHeap", "6"),
        ),
        "fact.host_module": [
            *of_vc(
                {"host_id": "h1", "module": "m1", "option_string": " a=1  b=x=2 a=3 c"},
                {"host_id": "h1", "module": "m2", "option_string": ""},
            ),
            *of_vc({"host_id": "h1", "module": "m3"}, {"host_id": "h2", "module": "m1", "option_string": "a=1 a=1"}),
        ],
        "fact.device": [
            *of_vc({"host_id": "h1", "device": "naa.1", "queue_depth": 64, "is_local": False}, {"host_id": "h1", "device": "naa.2"}),
            *of_vc({"host_id": "h1", "device": "naa.local", "is_local": True}, {"host_id": "h1", "device": "mpx.vmhba0"}),
            *of_vc(
                *({"host_id": "h1", "device": f"naa.{number}"} for number in (3, 4, 5)),
                {"host_id": "h2", "device": "naa.1", "queue_depth": 32},
            ),
        ],
        "fact.device_scheduling": [
            *of_vc({"host_id": "h1", "device": "naa.1", "dsnro": 16}, {"host_id": "h2", "device": "naa.2", "dsnro": 999}),
            {"endpoint": "vc-2", "host_id": "h1", "device": "naa.2", "dsnro": 999},
            *of_vc({"host_id": "h2", "device": "naa.1", "dsnro": 8}),
        ],
        "fact.device_policy": [
            *of_vc(policy("naa.1", "VMW_PSP_RR", "iops", rr_iops=1), policy("naa.2", "VMW_PSP_FIXED", "iops", rr_iops=1)),
            *of_vc(policy("naa.3", "VMW_PSP_RR", "rr", rr_iops=1000), policy("naa.4", "VMW_PSP_RR", "bytes", rr_bytes=8192)),
            *of_vc(policy("naa.5", "VMW_PSP_RR", "latency")),
            {**policy("naa.1", "elsewhere"), "endpoint": "vc-2"},
            {**policy("naa.1", "VMW_PSP_MRU"), "endpoint": "vc", "host_id": "h2"},
        ],
        "fact.iscsi_target": of_vc(
            target("vmhba64", "192.0.2.1", "iqn.one", ack=True),
            target("vmhba65", "192.0.2.1", "iqn.one", ack=True),
            target("vmhba64", "192.0.2.2", "iqn.two", ack=True),
            target("vmhba65", "192.0.2.2", "iqn.two", ack=False),
            target("vmhba64", "192.0.2.3", None, ack=False),
            target("vmhba64", "192.0.2.4", "iqn.untold", ack=None),
            target("vmhba64", "192.0.2.1", "iqn.one", ack=False, host="h2"),
        ),
        "fact.datastore": [
            *of_vc({"datastore_id": "1", "name": "manual", "sioc_enabled": True, "sioc_mode": "manual", "sioc_threshold_ms": 25}),
            *of_vc({"datastore_id": "2", "name": "off", "sioc_enabled": False, "sioc_mode": "manual", "sioc_threshold_ms": 30}),
            *of_vc({"datastore_id": "3", "name": "unread", "sioc_mode": "manual"}),
            *of_vc(*({"datastore_id": number, "name": "twin", "sioc_enabled": True} for number in ("4", "5"))),
            {"endpoint": "vc-2", "datastore_id": "1", "name": "manual", "sioc_enabled": False},
            {"endpoint": "vc-2", "datastore_id": "2", "name": "twin", "sioc_enabled": False},
        ],
        "step_volume": [
            volume("own"),
            volume("by policy", qos_policy_id="p"),
            volume("unlike policy", qos_policy_id="p", qos_max_iops=9),
            volume("unlike in burst", qos_policy_id="p", qos_burst_iops=9),
            volume("unlike in least", qos_policy_id="p", qos_min_iops=9),
            volume("policy gone", qos_policy_id="q"),
            volume("unread", qos_read=False),
            volume("untold", qos_read=None),
            volume("lun", "filer"),
            volume("lun", "filer 2"),
            volume("own", "stranger"),
        ],
        "step_array": [
            {"endpoint": "element", "family": "solidfire"},
            *({"endpoint": name, "family": "ontap"} for name in ("filer", "filer 2")),
        ],
        "step_volume_qos": [
            *({"endpoint": "filer", "volume_id": name, "own_qos": f"qos of {name}", "qos": "x"} for name in ("lun", "lun 2")),
            {"endpoint": "filer 2", "volume_id": "lun", "own_qos": "another"},
        ],
        "fact.array_qos_policy": [
            {"endpoint": "element", "policy_id": "p", "min_iops": 1, "max_iops": 2, "burst_iops": 3, "is_read": True, "priority": "Low"},
            {"endpoint": "filer", "policy_id": "p", "is_read": True},
            {"endpoint": "filer", "policy_id": "bytes", "max_bytes_per_second": 5, "is_read": True},
            {"endpoint": "filer", "policy_id": "unread", "max_iops": 5, "is_read": False},
            {"endpoint": "filer", "policy_id": "q", "max_iops": 7, "is_read": True},
        ],
        "fact.array_replication": [
            {
                "endpoint": "filer",
                "replication_id": "timed",
                "role": "destination",
                "schedule_read": True,
                "schedule": "prod",
                "interval_seconds": 900,
            },
            {
                "endpoint": "filer 2",
                "replication_id": "timed",
                "role": "destination",
                "schedule_read": True,
                "schedule": "prod",
                "interval_seconds": 7200,
            },
            {"endpoint": "filer", "replication_id": "by hand", "role": "destination", "schedule_read": True},
            {"endpoint": "filer", "replication_id": "not understood", "role": "destination", "schedule_read": True, "schedule": "odd"},
            {"endpoint": "filer", "replication_id": "not told", "role": "destination", "schedule_read": False},
            {
                "endpoint": "filer",
                "replication_id": "source",
                "role": "source",
                "schedule_read": True,
                "schedule": "prod",
                "interval_seconds": 9,
            },
            {"endpoint": "filer", "replication_id": "untold", "role": "destination", "schedule": "prod", "interval_seconds": 900},
        ],
    }
    return {key: row["value"] for key, row in by("step_setting_now", "kind endpoint host_id thing setting", tables).items()}


def test_a_setting_is_told_in_words_that_then_and_now_have_in_common() -> None:
    options = {
        "Disk.DiskMaxIOSize": "1",
        "NFS41.MaxVolumes": "2",
        "Net.TcpipHeapMax": "3",
        "Misc.APDTimeout": "4",
        "VMFS3.EnableBlockDelete": "true",
    }
    parameters = {("m1", "a"): "1 and 3", ("m1", "b"): "x=2", ("m1", "c"): "", ("m2", ""): ""}
    policies = {
        "naa.1": "VMW_PSP_RR, iops 1",
        "naa.2": "VMW_PSP_FIXED",
        "naa.3": "VMW_PSP_RR, iops 1000",
        "naa.4": "VMW_PSP_RR, bytes 8192",
    }
    of_volumes = {
        "own": "own 1/2/3",
        "by policy": "policy p",
        "unlike policy": "policy p with own 1/9/3",
        "unlike in burst": "policy p with own 1/2/9",
        "unlike in least": "policy p with own 9/2/3",
        "policy gone": None,
        "unread": None,
        "untold": None,
    }
    expected: dict[tuple[Any, ...], Any] = {
        **{("option", "vc", "h1", "", key): value for key, value in options.items()},
        **{("parameter", "vc", "h1", *key): value for key, value in parameters.items()},
        ("parameter", "vc", "h2", "m1", "a"): "1",
        **{("dsnro", "vc", "h1", f"naa.{number}", "dsnro"): "16" if number == 1 else None for number in (1, 2, 3, 4, 5)},
        ("dsnro", "vc", "h2", "naa.1", "dsnro"): "8",
        **{("queue_depth", "vc", "h1", f"naa.{number}", "queue_depth"): "64" if number == 1 else None for number in (1, 2, 3, 4, 5)},
        ("queue_depth", "vc", "h2", "naa.1", "queue_depth"): "32",
        **{("path_policy", "vc", "h1", device, "path_policy"): words for device, words in policies.items()},
        ("path_policy", "vc", "h1", "naa.5", "path_policy"): "VMW_PSP_RR, latency",
        ("path_policy", "vc", "h2", "naa.1", "path_policy"): "VMW_PSP_MRU",
        ("delayed_ack", "vc", "h1", "192.0.2.1:3260 iqn.one", "delayed_ack"): "true",
        ("delayed_ack", "vc", "h1", "192.0.2.3:3260", "delayed_ack"): "false",
        ("delayed_ack", "vc", "h2", "192.0.2.1:3260 iqn.one", "delayed_ack"): "false",
        ("sioc", "vc", "", "manual", "enabled"): "true",
        ("sioc", "vc", "", "manual", "mode"): "manual",
        ("sioc", "vc", "", "manual", "threshold_ms"): "25",
        ("sioc", "vc", "", "off", "enabled"): "false",
        ("sioc", "vc-2", "", "manual", "enabled"): "false",
        ("sioc", "vc-2", "", "twin", "enabled"): "false",
        **{("volume_qos", "element", "", name, "qos"): words for name, words in of_volumes.items()},
        ("volume_qos", "filer", "", "lun", "qos"): "qos of lun",
        ("volume_qos", "filer 2", "", "lun", "qos"): "another",
        ("volume_qos", "stranger", "", "own", "qos"): None,
        ("policy", "element", "", "p", "limits"): "2 IOPS, burst 3, at least 1, priority Low",
        ("policy", "filer", "", "p", "limits"): "no ceiling",
        ("policy", "filer", "", "bytes", "limits"): "5 bytes/s",
        ("policy", "filer", "", "unread", "limits"): None,
        ("policy", "filer", "", "q", "limits"): "7 IOPS",
        ("replication", "filer", "", "timed", "schedule"): "prod, every 900 s",
        ("replication", "filer 2", "", "timed", "schedule"): "prod, every 7200 s",
        ("replication", "filer", "", "by hand", "schedule"): "no schedule",
        **{("replication", "filer", "", name, "schedule"): None for name in ("not understood", "not told", "untold")},
    }
    assert settings_now() == expected


def known_hosts(*rows: tuple[str, str, str | None, str]) -> Rows:
    """The hosts of a baseline: endpoint, name, cluster, and how far its settings reach."""
    return [
        MADE,
        *(
            {"kind": "host", "of_endpoint": vcenter, "of_host": name, "thing": cluster, "value": reach}
            for vcenter, name, cluster, reach in rows
        ),
    ]


FLEET: Rows = [
    *of_vc({"host_id": "h1", "name": "one", "cluster": "gold"}, {"host_id": "h2", "name": "two", "cluster": "gold"}),
    *of_vc(
        {"host_id": "h3", "name": "three", "cluster": "silver"},
        *({"host_id": f"twin-{n}", "name": "twin", "cluster": "silver"} for n in (1, 2)),
    ),
    {"endpoint": "vc-2", "host_id": "h1", "name": "one", "cluster": "gold"},
    {"endpoint": "vc-2", "host_id": "h2", "name": "two", "cluster": "gold"},
    {"endpoint": "vc-2", "host_id": "twin", "name": "twin", "cluster": "gold"},
]


def wanted_of(baseline: Rows) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Whose settings each host is held against, and whether these are its own."""
    rows = by("step_wanted_host", "endpoint host_id", {"fact.host": FLEET, "fact.baseline": baseline})
    assert {(row["baseline_run"], row["baseline_at"]) for row in rows.values()} <= {("run", TAKEN)}
    assert {key: (row["host"], row["cluster"]) for key, row in rows.items()} == {
        (row["endpoint"], row["host_id"]): (row["name"], row["cluster"]) for row in FLEET
    }
    return {key: (row["of_endpoint"], row["of_host"], row["is_own"]) for key, row in rows.items()}


def test_a_host_is_held_against_its_own_settings_or_those_of_the_example() -> None:
    hosts = [(row["endpoint"], row["host_id"]) for row in FLEET]
    nothing = (None, None, None)
    itself = wanted_of(known_hosts(("vc", "one", "gold", "itself"), ("vc", "twin", "silver", "itself"), ("vc-2", "two", "gold", "itself")))
    own = {("vc", "h1"): ("vc", "one", True), ("vc-2", "h2"): ("vc-2", "two", True)}
    assert itself == {host: own.get(host, nothing) for host in hosts}
    everywhere = wanted_of(known_hosts(("vc", "one", "gold", "all")))
    assert everywhere == {host: ("vc", "one", host == ("vc", "h1")) for host in hosts}
    in_its_cluster = wanted_of(known_hosts(("vc", "one", "gold", "cluster")))
    of_cluster = {("vc", "h1"): ("vc", "one", True), ("vc", "h2"): ("vc", "one", False)}
    assert in_its_cluster == {host: of_cluster.get(host, nothing) for host in hosts}


def test_the_newest_change_of_a_host_is_told_for_each_kind_that_it_may_have_been() -> None:
    def event(host: str, what: str, when: datetime, user: str | None, kind: str = "host", endpoint: str = "vc") -> dict[str, Any]:
        return {"endpoint": endpoint, "entity_kind": kind, "entity_id": host, "what": what, "happened_at": when, "user_name": user}

    update, module = "Option.OptionManager.UpdateValues", "host.KernelModuleSystem.updateModuleOptionString"
    tables: dict[str, Rows] = {
        "fact.baseline": [MADE, {"kind": "option", "taken_at": None}],
        "fact.change_event": [
            event("h1", update, A_DAY, "ann"),
            event("h1", update, TWO_DAYS, "bob"),
            event("h1", update, TWO_DAYS, None),
            event("h1", module, TAKEN, "too early"),
            event("h1", "another change", TWO_DAYS, "wrong"),
            event("h2", "HostProfileAppliedEvent", A_DAY, None),
            event("h3", module, A_DAY, "eve"),
            event("h3", update, A_DAY, "a machine's", kind="vm"),
            event("h1", "host.StorageSystem.setMultipathLunPolicy", A_DAY, "cid", endpoint="vc-2"),
            event("h2", "host.storagesystem.updateInternetScsiAdvancedOptions", A_DAY, "dan", endpoint="vc-2"),
        ],
    }

    def change(when: datetime, user: str | None) -> dict[str, Any]:
        return {"changed_at": when, "changed_by": user}

    kinds = ("option", "parameter", "path_policy", "delayed_ack", "dsnro", "queue_depth")
    expected: Keyed = {
        ("vc", "h1", "option"): change(TWO_DAYS, "bob"),
        **{("vc", "h2", kind): change(A_DAY, None) for kind in kinds},
        ("vc", "h3", "parameter"): change(A_DAY, "eve"),
        ("vc-2", "h1", "path_policy"): change(A_DAY, "cid"),
        ("vc-2", "h2", "delayed_ack"): change(A_DAY, "dan"),
    }
    assert by("step_host_change", "endpoint host_id kind", tables) == expected
    for what in (
        "profile.host.profilemanager.applyhostconfiguration",
        "profile.host.profilemanager.applyentitiesconfiguration",
        "hostconfigappliedevent",
    ):
        applied = by(
            "step_host_change", "endpoint host_id kind", {"fact.baseline": [MADE], "fact.change_event": [event("h1", what, A_DAY, "p")]}
        )
        assert {kind for _, _, kind in applied} == set(kinds)
