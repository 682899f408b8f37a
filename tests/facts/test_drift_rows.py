"""Every column of views that hold settings against a baseline, over rows of what they read, with the same names in another vCenter."""

from datetime import UTC, datetime, timedelta
from typing import Any

from .single import ByName, Rows, of_vc, rows_over, shown

TAKEN = datetime(2026, 11, 1, tzinfo=UTC)
AN_HOUR, A_DAY = TAKEN + timedelta(hours=1), TAKEN + timedelta(days=1)
RUN = "20261101T000000Z-1a2b"
MADE: dict[str, Any] = {"kind": "made", "value": RUN, "taken_at": TAKEN}
OF_BASELINE = {"baseline_run": RUN, "baseline_at": TAKEN}


def sioc(endpoint: str, name: str, **settings: str) -> Rows:
    """Storage I/O Control of a datastore in the baseline."""
    return [
        {"kind": "sioc", "of_endpoint": endpoint, "thing": name, "setting": setting, "value": value} for setting, value in settings.items()
    ]


def event(entity: str, when: datetime, user: str | None, kind: str = "datastore", endpoint: str = "vc") -> dict[str, Any]:
    return {"endpoint": endpoint, "entity_kind": kind, "entity_id": entity, "happened_at": when, "user_name": user}


def test_a_datastore_is_held_against_the_one_of_its_name_in_the_baseline() -> None:
    manual = {"sioc_enabled": True, "sioc_mode": "manual", "sioc_threshold_ms": 25}
    given: dict[str, Rows] = {
        "fact.baseline": [
            MADE,
            *sioc("vc", "kept", enabled="true", mode="manual", threshold_ms="30"),
            *sioc("vc", "off", enabled="false"),
            *sioc("vc", "twin", enabled="true"),
            *sioc("vc", "gone", enabled="true"),
            *sioc("vc-2", "kept", enabled="false", mode="automatic"),
            *sioc("vc-2", "gone", enabled="true"),
            *sioc("vc-2", "new", enabled="true"),
            *sioc("vc-3", "kept", enabled="true"),
            {"kind": "option", "of_endpoint": "vc", "thing": "new", "setting": "enabled", "value": "true"},
        ],
        "fact.datastore": [
            *of_vc({"datastore_id": "ds-1", "name": "kept", "type": "VMFS", "pod_id": "on", **manual}),
            *of_vc({"datastore_id": "ds-2", "name": "off", "type": "NFS", "pod_id": "no metric"}, {"datastore_id": "ds-3", "name": "new"}),
            *of_vc({"datastore_id": "ds-4", "name": "twin"}, {"datastore_id": "ds-5", "name": "twin", "pod_id": "off"}),
            {"endpoint": "vc-2", "datastore_id": "ds-1", "name": "kept", "sioc_mode": "automatic", "sioc_threshold_ms": 30},
            {"endpoint": "vc-2", "datastore_id": "ds-2", "name": "twin", "pod_id": "on"},
        ],
        "fact.storage_pod": [
            *of_vc({"pod_id": "on", "sdrs_enabled": True, "io_metric_enabled": True}),
            *of_vc({"pod_id": "no metric", "sdrs_enabled": True, "io_metric_enabled": False}),
            *of_vc({"pod_id": "off", "sdrs_enabled": False, "io_metric_enabled": True}),
            {"endpoint": "vc-2", "pod_id": "on", "sdrs_enabled": True},
        ],
        "fact.reading": [
            *of_vc({"scope": "", "topic": "datastores", "complete": True}),
            {"endpoint": "vc-2", "scope": "", "topic": "datastores", "complete": False},
            {"endpoint": "vc-3", "scope": "", "topic": "hosts", "complete": True},
        ],
        "step_endpoint_reading": [
            {"endpoint": "vc", "datastores_read": True, "pods_read": True},
            {"endpoint": "vc-2", "datastores_read": False, "pods_read": True},
            {"endpoint": "vc-3", "datastores_read": True, "pods_read": False},
        ],
        "fact.change_event": [
            event("ds-1", A_DAY, "bob"),
            event("ds-1", AN_HOUR, "eve"),
            event("ds-2", A_DAY, "ann"),
            event("ds-2", A_DAY, None),
            event("ds-3", A_DAY, None),
            event("ds-4", TAKEN, "early"),
            event("ds-5", A_DAY, "wrong", kind="host"),
            event("ds-1", A_DAY + timedelta(days=1), "elsewhere", endpoint="vc-2"),
        ],
    }
    nobody = {"changed_by": None, "changed_at": None}
    unknown = {"wanted_enabled": None, "wanted_mode": None, "wanted_threshold_ms": None, "is_known": False}
    gone = {"is_known": True, "datastore_id": None, "type": None, "sioc_enabled": None, "wanted_enabled": True, "resource_name": "gone"}
    expected: ByName = {
        "ds-1": {
            **OF_BASELINE,
            **manual,
            "is_known": True,
            "is_seen": True,
            "wanted_enabled": True,
            "wanted_mode": "manual",
            "type": "VMFS",
        }
        | {"sioc_threshold": "manual 25 ms", "wanted_threshold": "manual 30 ms"}
        | {"wanted_threshold_ms": 30, "changed_by": "bob", "changed_at": A_DAY, "io_metric_in_force": True, "resource_name": "kept"},
        "ds-2": {"is_known": True, "wanted_enabled": False, "wanted_mode": None, "wanted_threshold_ms": None, "io_metric_in_force": False}
        | {"changed_by": "ann", "changed_at": A_DAY, "sioc_enabled": None, "sioc_threshold": None, "wanted_threshold": None},
        "ds-3": {**unknown, "is_seen": True, "changed_by": None, "changed_at": A_DAY, "io_metric_in_force": False},
        "ds-4": {**nobody, "is_known": False, "wanted_enabled": True},
        "ds-5": {**nobody, "is_known": False, "io_metric_in_force": False},
        "gone/gone": {**gone, **nobody, "is_seen": False},
        "vc-2/ds-1": {
            "is_known": True,
            "wanted_enabled": False,
            "wanted_mode": "automatic",
            "sioc_threshold": "automatic",
            "wanted_threshold": "automatic",
            "io_metric_in_force": None,
            "changed_by": "elsewhere",
        },
        "vc-2/ds-2": {**unknown, **nobody, "io_metric_in_force": None, "is_seen": True},
        "vc-2/gone/gone": {**gone, "is_seen": None},
        "vc-2/gone/new": {"is_known": True, "is_seen": None},
    }
    assert shown(rows_over("baseline_datastore", given), expected) == expected


HOSTS: Rows = [
    # h2 is held against h1's settings, h3 is not in the baseline
    {
        "endpoint": "vc",
        "host_id": "h1",
        "host": "one",
        "cluster": "gold",
        "of_endpoint": "vc",
        "of_host": "one",
        "is_own": True,
        **OF_BASELINE,
    },
    {
        "endpoint": "vc",
        "host_id": "h2",
        "host": "two",
        "cluster": "gold",
        "of_endpoint": "vc",
        "of_host": "one",
        "is_own": False,
        **OF_BASELINE,
    },
    {"endpoint": "vc", "host_id": "h3", "host": "three", **OF_BASELINE},
    {"endpoint": "vc", "host_id": "h4", "host": "four", "of_endpoint": "vc", "of_host": "four", "is_own": True, **OF_BASELINE},
    {"endpoint": "vc-2", "host_id": "h1", "host": "one", "of_endpoint": "vc-2", "of_host": "one", "is_own": True, **OF_BASELINE},
]


def of_hosts(kind: str, **more: Any) -> dict[str, Rows]:
    """The hosts (h4 was not read), and a change of this kind on h1 of "vc"; others changed something of other kinds and hosts."""
    topics = ("modules_read", "hbas_read", "options_read", "devices_read")
    return {
        "step_wanted_host": HOSTS,
        "step_host_reading": [
            {"endpoint": row["endpoint"], "host_id": row["host_id"], **dict.fromkeys(topics, row["host_id"] != "h4")} for row in HOSTS
        ],
        "step_host_change": [
            {"endpoint": "vc", "host_id": "h1", "kind": kind, "changed_by": "bob", "changed_at": A_DAY},
            {"endpoint": "vc", "host_id": "h1", "kind": "another", "changed_by": "wrong"},
            {"endpoint": "vc", "host_id": "h4", "kind": kind, "changed_by": "eve"},
            {"endpoint": "vc-2", "host_id": "h1", "kind": kind, "changed_by": "elsewhere"},
        ],
        **more,
    }


def wanted(kind: str, host: str, thing: str, setting: str, value: str, endpoint: str = "vc") -> dict[str, Any]:
    return {"kind": kind, "of_endpoint": endpoint, "of_host": host, "thing": thing, "setting": setting, "value": value}


def test_a_modules_parameters_are_those_that_it_has_or_had() -> None:
    def now(host: str, module: str, setting: str, value: str, endpoint: str = "vc") -> dict[str, Any]:
        return {"kind": "parameter", "endpoint": endpoint, "host_id": host, "thing": module, "setting": setting, "value": value}

    strings = {"m1": "a=1 b=2", "m2": None, "m3": "", "m4": "x=-3", "m6": None, "m7": "y=0 z=010"}
    given = of_hosts(
        "parameter",
        **{
            "fact.host_module": [
                *of_vc(*({"host_id": "h1", "module": module, "option_string": text} for module, text in strings.items())),
                *of_vc({"host_id": "h2", "module": "m1", "option_string": "a=1"}),
                {"endpoint": "vc-2", "host_id": "h1", "module": "m1", "option_string": "c=7"},
                {"endpoint": "vc-2", "host_id": "h1", "module": "m5", "option_string": ""},
            ],
            "step_setting_now": [
                *(now("h1", "m1", name, value) for name, value in (("a", "1"), ("b", "2"))),
                now("h1", "m3", "", ""),
                now("h1", "m4", "x", "-3"),
                now("h1", "m7", "y", "0"),
                now("h1", "m7", "z", "010"),
                now("h2", "m1", "a", "1"),
                now("h1", "m1", "c", "7", "vc-2"),
                now("h1", "m5", "", "", "vc-2"),
                {**now("h1", "m1", "option", "9"), "kind": "option"},
            ],
            "fact.baseline": [
                wanted("parameter", "one", "m1", "a", "4"),
                wanted("parameter", "one", "m1", "c", "010"),
                wanted("parameter", "one", "m2", "a", "1234567890123456789"),
                wanted("parameter", "one", "m3", "", ""),
                wanted("parameter", "one", "m5", "a", "5 and 6"),
                wanted("parameter", "one", "m7", "", ""),
                wanted("parameter", "four", "m5", "a", "5"),
                wanted("parameter", "one", "m1", "c", "8", "vc-2"),
                wanted("option", "one", "m1", "z", "1"),
            ],
        },
    )
    number = {"value_number": None, "wanted_number": None}
    changed = {"changed_by": "bob", "changed_at": A_DAY}
    expected: ByName = {
        "h1/m1/a": {**OF_BASELINE, **changed, "value": "1", "wanted": "4", "value_number": 1, "wanted_number": 4, "is_known": True}
        | {"is_listed": True, "is_own": True, "option_string": "a=1 b=2", "baseline_host": "one", "host": "one", "cluster": "gold"}
        | {"resource_name": "m1 a"},
        "h1/m1/b": {"value": "2", "wanted": "not set", "value_number": 2, "wanted_number": None},
        "h1/m1/c": {**number, "value": "not set", "wanted": "010"},
        "h1/m2/a": {**number, "value": None, "wanted": "1234567890123456789", "is_listed": True, "option_string": None},
        "h1/m3/": {**number, "value": "not set", "wanted": "not set", "is_known": True, "resource_name": "m3"},
        "h1/m4/x": {"value": "-3", "value_number": -3, "wanted": None, "wanted_number": None, "is_known": False},
        "h1/m5/a": {**number, "value": None, "wanted": "5 and 6", "is_listed": False, "is_known": True},
        "h1/m6/": {**number, "value": None, "wanted": None, "is_known": False, "is_listed": True},
        "h1/m7/y": {"value": "0", "value_number": 0, "wanted": "not set"},
        "h1/m7/z": {"value": "010", "value_number": None},
        "h2/m1/a": {"value": "1", "wanted": "4", "is_own": False, "changed_by": None, "baseline_host": "one", "host": "two"},
        "h2/m1/c": {"value": "not set", "wanted": "010"},
        "h2/m2/a": {"is_listed": False},
        "h2/m3/": {"is_listed": False, "value": None, "wanted": "not set"},
        "h2/m5/a": {"is_listed": False},
        "h2/m7/": {"is_listed": False},
        "h4/m5/a": {"is_listed": None, "wanted": "5", "changed_by": "eve"},
        "vc-2/h1/m1/c": {"value": "7", "wanted": "8", "changed_by": "elsewhere", "option_string": "c=7"},
        "vc-2/h1/m5/": {"value": "not set", "wanted": None, "is_known": False},
    }
    assert shown(rows_over("baseline_parameter", given), expected) == expected


def test_a_targets_delayed_acknowledgement_is_held_against_the_same_target() -> None:
    ack, same = "wanted_delayed_ack", "192.0.2.1:3260 iqn.one"
    one = {"hba": "vmhba64", "kind": "static", "address": "192.0.2.1", "port": 3260, "iqn": "iqn.one"}
    given = of_hosts(
        "delayed_ack",
        **{
            "fact.iscsi_target": [
                *of_vc({"host_id": "h1", **one, "delayed_ack": False}, {"host_id": "h1", **one, "hba": "vmhba65", "delayed_ack": True}),
                *of_vc({"host_id": "h1", "hba": "vmhba64", "kind": "send", "address": "192.0.2.2", "port": 3260}),
                *of_vc({"host_id": "h2", **one, "delayed_ack": True}, {"host_id": "h3", **one}),
                {"endpoint": "vc-2", "host_id": "h1", **one, "iqn": "iqn.two", "delayed_ack": True},
            ],
            "fact.baseline": [
                wanted("delayed_ack", "one", same, "delayed_ack", "true"),
                wanted("delayed_ack", "one", "192.0.2.9:3260 iqn.gone", "delayed_ack", "true"),
                wanted("delayed_ack", "four", same, "delayed_ack", "false"),
                wanted("delayed_ack", "one", "192.0.2.1:3260 iqn.two", "delayed_ack", "false", "vc-2"),
                wanted("delayed_ack", "one", same, "delayed_ack", "false", "vc-2"),
                wanted("option", "one", "192.0.2.2:3260", "delayed_ack", "true"),
                wanted("option", "one", "Disk.DiskMaxIOSize", "delayed_ack", "true"),
            ],
        },
    )
    gone = {"is_known": True, "hba": None, "kind": None, "address": None, "port": None, "iqn": "", "delayed_ack": None}
    expected: ByName = {
        f"h1/vmhba64/{same}": {
            **OF_BASELINE,
            "is_known": True,
            "is_seen": True,
            "delayed_ack": False,
            ack: True,
            "resource_name": "iqn.one",
        }
        | {
            "address": "192.0.2.1",
            "port": "3260",
            "iqn": "iqn.one",
            "kind": "static",
            "changed_by": "bob",
            "changed_at": A_DAY,
            "host": "one",
        }
        | {"cluster": "gold", "baseline_host": "one"},
        f"h1/vmhba65/{same}": {"delayed_ack": True, ack: True},
        "h1/vmhba64/192.0.2.2:3260": {"is_known": False, ack: None, "iqn": "", "resource_name": "192.0.2.2:3260", "kind": "send"},
        "h1//192.0.2.9:3260 iqn.gone": {**gone, "is_seen": False, ack: True, "resource_name": "192.0.2.9:3260 iqn.gone"},
        f"h2/vmhba64/{same}": {"delayed_ack": True, ack: True, "changed_by": None, "baseline_host": "one"},
        f"h3/vmhba64/{same}": {"is_known": False, ack: None, "is_seen": True},
        f"h4//{same}": {**gone, "is_seen": None, ack: False, "changed_by": "eve"},
        f"vc-2/h1//{same}": {**gone, "is_seen": False, ack: False},
        "vc-2/h1/vmhba64/192.0.2.1:3260 iqn.two": {"delayed_ack": True, ack: False, "changed_by": "elsewhere"},
    }
    assert shown(rows_over("baseline_delayed_ack", given), expected) == expected


REBOOTS = (
    "ISCSI.MaxIoSizeKB",
    "NFS.HeartbeatDelta",
    "NFS.HeartbeatFrequency",
    "NFS.HeartbeatMaxFailures",
    "NFS.HeartbeatTimeout",
    "NFS.MaxQueueDepth",
    "NFS.MaxVolumes",
    "Net.TcpipHeapMax",
    "Net.TcpipHeapSize",
    "SunRPC.MaxConnPerIP",
)
AT_ONCE = (
    "Disk.DelayOnBusy",
    "Disk.DiskMaxIOSize",
    "Disk.QFullThreshold",
    "Disk.SchedQuantum",
    "Scsi.ScsiVVolPESNRO",
    "VMFS3.EnableBlockDelete",
)
UNRECORDED = ("Misc.APDHandlingEnable", "VMFS3.MaxHeapSizeMB", "Disk.MaxLUN")
OFFLOADS = ("DataMover.HardwareAcceleratedInit", "DataMover.HardwareAcceleratedMove", "VMFS3.HardwareAcceleratedLocking")


def test_an_option_is_held_against_the_baseline_with_what_a_change_of_it_takes() -> None:
    given = of_hosts(
        "option",
        **{
            "fact.baseline": [
                *(wanted("option", "one", "", name, "7") for name in (*REBOOTS, *AT_ONCE)),
                *(wanted("option", "one", "", name, "1") for name in OFFLOADS),
                *(wanted("option", "one", "", name, "1") for name in UNRECORDED),
                wanted("option", "four", "", OFFLOADS[0], "1"),
                wanted("option", "four", "", OFFLOADS[1], "0"),
                wanted("option", "one", "", OFFLOADS[0], "1", "vc-2"),
                wanted("parameter", "four", "", "m", "1"),
            ],
            "fact.host_option": [
                *of_vc(*({"host_id": "h1", "key": name, "value": "5"} for name in REBOOTS)),
                *of_vc({"host_id": "h2", "key": OFFLOADS[0], "value": "0"}),
                {"endpoint": "vc-2", "host_id": "h1", "key": OFFLOADS[0], "value": "9"},
            ],
            "step_host_offload": [
                *of_vc({"host_id": "h1", "unsourced_arrays": "east"}, {"host_id": "h4", "unsourced_arrays": "north"}),
                {"endpoint": "vc-2", "host_id": "h1", "unsourced_arrays": "west"},
            ],
            "step_host_family": [
                *of_vc({"host_id": "h1", "families": "eternus-dx, ontap"}, {"host_id": "h2", "families": "ontap"}),
                {"endpoint": "vc-2", "host_id": "h1", "families": "ontap"},
            ],
        },
    )
    usual = {"is_known": True, "unsourced_arrays": "", "wanted": "7", "wanted_number": 7}
    expected: ByName = {}
    for host, reported in (("h1", "5"), ("h2", None)):
        listed = {"value": reported, "is_listed": reported is not None}
        expected |= {f"{host}/{name}": {**usual, **listed, "needs_reboot": True, "acts_at_once": False} for name in REBOOTS}
        expected |= {f"{host}/{name}": {**usual, "is_listed": False, "needs_reboot": False, "acts_at_once": True} for name in AT_ONCE}
        unsourced = "east, eternus-dx" if host == "h1" else ""
        expected |= {
            f"{host}/{name}": {"acts_at_once": True, "wanted": "1", "unsourced_arrays": unsourced, "value": None} for name in OFFLOADS
        }
        expected |= {f"{host}/{name}": {"unsourced_arrays": "", "acts_at_once": False, "needs_reboot": False} for name in UNRECORDED}
    expected[f"h1/{REBOOTS[0]}"] |= {
        **OF_BASELINE,
        "changed_by": "bob",
        "changed_at": A_DAY,
        "is_own": True,
        "host": "one",
        "cluster": "gold",
    }
    expected[f"h1/{REBOOTS[0]}"] |= {"option": REBOOTS[0], "resource_name": REBOOTS[0], "baseline_host": "one"}
    expected[f"h2/{OFFLOADS[0]}"] |= {"value": "0", "is_listed": True, "is_own": False, "changed_by": None}
    expected["h3/"] = {"option": None, "is_known": False, "is_own": None, "wanted": None, "resource_name": "three", "is_listed": False}
    expected[f"h4/{OFFLOADS[0]}"] = {"unsourced_arrays": None, "is_listed": None, "changed_by": "eve"}
    expected[f"h4/{OFFLOADS[1]}"] = {"unsourced_arrays": "", "wanted": "0"}
    expected[f"vc-2/h1/{OFFLOADS[0]}"] = {"unsourced_arrays": "west", "value": "9", "changed_by": "elsewhere"}
    assert shown(rows_over("baseline_option", given), expected) == expected
