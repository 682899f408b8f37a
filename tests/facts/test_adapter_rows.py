"""Every column of the views `adapter` and `device_claim` over rows of what they read, with hosts of the same ids in another vCenter."""

from typing import Any

import pytest

from .fleets import hosts, on_all_hosts, seen, view
from .numbered import with_numbers, with_paths
from .single import ByName, Rows, chained, of_vc, shown

READ: dict[str, Any] = {"paths_read": True, "devices_read": True}
HOSTS: Rows = [
    {"endpoint": "vc", "host_id": "h1", "name": "one", "cluster": "gold", **READ},
    {"endpoint": "vc", "host_id": "h2", "name": "two", **READ, "paths_read": False},
    {"endpoint": "vc", "host_id": "h3", "name": "three", **READ, "devices_read": False},
    {"endpoint": "vc-2", "host_id": "h1", "name": "elsewhere", **READ},
]
DEVICES: dict[str, tuple[int | None, int | None, str | None]] = {
    # name: (its queue depth, its DSNRO, its type), the same on every host
    "naa.1": (64, 32, "disk"),
    "naa.2": (128, 256, None),
    "naa.3": (128, 16, "disk"),
    "naa.4": (None, 32, "disk"),
    "naa.5": (96, None, "disk"),
    "naa.6": (None, None, "disk"),
    "mpx.1": (999, 999, "cdrom"),
}
BEHIND: dict[str, list[str]] = {
    "h1/several": ["naa.1", "naa.1", "naa.2", "naa.3", "mpx.1"],
    "h1/untold": ["naa.1", "naa.4"],
    "h1/unscheduled": ["naa.1", "naa.5"],
    "h1/neither": ["naa.1", "naa.6"],
    "h1/none": ["mpx.1", "not listed"],
    "h2/part": ["naa.1"],
    "h3/part": ["naa.1"],
}


ORDINARY = {"vendor": "PURE", "model": "FlashArray", "operational_state": "ok"}


def adapters() -> Rows:
    """Adapters by what lies behind them."""
    hbas = [{"endpoint": "vc", "host_id": name[:2], "hba": name[3:]} for name in BEHIND] + [
        {"endpoint": "vc-2", "host_id": "h1", "hba": "several"}
    ]
    own = {"kind": "fc", "driver": "qlnativefc", "model": "QLogic", "status": "online", "is_software": False}
    return chained(
        "adapter",
        with_numbers(
            {
                "fact.hba": [{**row, **own} for row in hbas],
                "fact.host": [{key: row[key] for key in row if key not in READ} for row in HOSTS],
                "step_host_reading": [{key: row[key] for key in ("endpoint", "host_id", *READ)} for row in HOSTS],
                "fact.path": [
                    *of_vc(
                        *(
                            {"host_id": name[:2], "hba": name[3:], "device": device, "path": f"{name} {number}"}
                            for name, several in BEHIND.items()
                            for number, device in enumerate(several)
                        )
                    ),
                    *of_vc({"host_id": "h1", "device": "naa.1", "path": "of no adapter"}),
                    {"endpoint": "vc-2", "host_id": "h1", "hba": "several", "device": "naa.5", "path": "p"},
                ],
                "fact.device": [
                    {"endpoint": host["endpoint"], "host_id": host["host_id"], "device": name, "queue_depth": depth, "device_type": kind}
                    | ORDINARY
                    for host in HOSTS
                    for name, (depth, _, kind) in DEVICES.items()
                    if host["endpoint"] == "vc" or name == "naa.5"
                ],
                "fact.device_scheduling": [
                    *(
                        {"endpoint": "vc", "host_id": host, "device": name, "dsnro": dsnro}
                        for host in ("h1", "h2", "h3")
                        for name, (_, dsnro, _) in DEVICES.items()
                        if dsnro is not None
                    ),
                    {"endpoint": "vc-2", "host_id": "h1", "device": "naa.5", "dsnro": 8},
                ],
                "fact.adapter_load": [
                    *of_vc(
                        {
                            "host_id": "h1",
                            "hba": "several",
                            "samples": 15,
                            "queue_depth": 4096,
                            "queued": 1.0,
                            "queued_max": 2,
                            "outstanding": 3.0,
                        }
                    ),
                    *of_vc({"host_id": "h1", "hba": "untold", "outstanding_max": 4, "queue_ms": 5.0, "commands_per_second": 6.0}),
                    *of_vc({"host_id": "h2", "hba": "several", "samples": 9}),
                    {"endpoint": "vc-2", "host_id": "h1", "hba": "several", "samples": 7},
                ],
            }
        ),
        *("step_path", "step_path_row", "step_path_of_set", "step_inquiry", "step_device_joined", "step_device_row"),
    )


@pytest.mark.long
def test_an_adapter_has_its_own_load_and_the_deepest_queue_of_the_disks_behind_it() -> None:
    deepest, at_least, effective, together = (
        "deepest_queue_depth",
        "deepest_queue_depth_at_least",
        "deepest_effective_depth",
        "effective_depths",
    )
    nothing = {"devices": None, deepest: None, effective: None, together: None}
    expected: ByName = {
        # 32, 128 and 16 of what the queues hold, 64, 128 and 128
        "h1/several": {"devices": 3, "deepest_device": "naa.3", deepest: 128, at_least: 128, effective: 128, together: 176, "samples": 15}
        | {
            "adapter_depth": 4096,
            "queued": 1.0,
            "queued_max": 2,
            "outstanding": 3.0,
            "host": "one",
            "cluster": "gold",
            "driver": "qlnativefc",
        },
        "h1/untold": {"devices": 2, "deepest_device": "naa.1", deepest: None, at_least: 64, effective: None, together: None}
        | {"outstanding_max": 4, "queue_ms": 5.0, "commands_per_second": 6.0, "samples": None},
        "h1/unscheduled": {"devices": 2, "deepest_device": "naa.5", deepest: 96, effective: None, together: None},
        "h1/neither": {"devices": 2, deepest: None, at_least: 64, effective: None, together: None},
        "h1/none": {"devices": 0, "deepest_device": None, deepest: 0, at_least: 0, effective: 0, together: 0},
        "h2/part": {**nothing, at_least: 64, "host": "two"},
        "h3/part": {**nothing, at_least: 64},
        "vc-2/h1/several": {
            "devices": 1,
            "deepest_device": "naa.5",
            deepest: 96,
            effective: 8,
            together: 8,
            "samples": 7,
            "host": "elsewhere",
        },
    }
    assert shown(adapters(), expected) == expected


STATES: dict[str, list[tuple[str, str | None]]] = {
    # adapter: (a device, the state of a path to it)
    "h1/mixed": [("naa.1", "active"), ("naa.1", "standby"), ("naa.1", "dead"), ("naa.1", "disabled"), ("naa.2", "active")],
    "h1/twice": [("naa.8", "active"), ("naa.8", "standby"), ("naa.9", "active"), ("naa.9", "standby")],
    "h1/lost": [("naa.4", "dead"), ("naa.4", "disabled")],
    "h1/odd": [("naa.5", "active"), ("naa.5", "unknown")],
    "h1/silent": [("naa.6", "active"), ("naa.6", None)],
    "h1/drive": [("mpx.1", "active"), ("mpx.1", None)],
    "h1/detached": [("naa.off", "active")],
    "h1/nameless": [("naa.nameless", None)],
    "h1/bare": [],
    "h1/kindless": [],
    "h1/kindless with a target": [],
    "h2/mixed": [("naa.1", "dead")],
    "h3/devices": [("naa.1", "dead")],
    "h4/hbas": [("naa.1", "dead")],
    "h4/hbas with a target": [],
    "h5/stale": [("naa.1", "dead")],
    "h5/stale and bare": [],
}
SPECIAL: dict[str, dict[str, Any]] = {
    "mpx.1": {"device_type": "cdrom"},
    "naa.off": {"operational_state": "off"},
    "naa.nameless": {"vendor": None},
}
TARGETS = {"h1/mixed": 2, "h1/kindless with a target": 1, "h4/hbas with a target": 1}
NOT_READ = {"h2": "paths_read", "h3": "devices_read", "h4": "hbas_read"}


def states_and_targets() -> Rows:
    """Adapters by the states of their paths and by the targets configured on them."""
    names = [("vc", *name.split("/")) for name in STATES] + [("vc-2", "h1", "mixed")]
    hosts = sorted({(endpoint, host) for endpoint, host, _ in names})
    read = ("paths_read", "devices_read", "hbas_read")
    numbered = with_numbers(
        {
            "fact.hba": [
                {"endpoint": endpoint, "host_id": host, "hba": hba, "kind": None if "kindless" in hba else "iscsi"}
                for endpoint, host, hba in names
            ],
            "fact.host": [{"endpoint": endpoint, "host_id": host} for endpoint, host in hosts],
            "step_host_reading": [
                {"endpoint": endpoint, "host_id": host} | {one: NOT_READ.get(host) != one for one in read} for endpoint, host in hosts
            ],
            "fact.iscsi_target": of_vc(
                *(
                    {"host_id": name[:2], "hba": name[3:], "kind": ("send", "static")[number]}
                    for name, several in TARGETS.items()
                    for number in range(several)
                )
            ),
            "fact.path": of_vc(
                *(
                    {"host_id": name[:2], "hba": name[3:], "device": device, "state": state, "path": f"{name} {number}"}
                    for name, several in STATES.items()
                    for number, (device, state) in enumerate(several)
                )
            ),
            "fact.device": [
                {"endpoint": endpoint, "host_id": host, "device": name, "device_type": "disk", **ORDINARY, **SPECIAL.get(name, {})}
                for endpoint, host in hosts
                for name in sorted({device for several in STATES.values() for device, _ in several})
            ],
            "step_stale_path": of_vc({"host_id": "h5", "device": "naa.1"}),
        }
    )
    [stale] = [row["host_number"] for row in numbered["step_host_number"] if row["host_id"] == "h5"]
    numbered["step_stale_path"] = [{**row, "host_number": stale} for row in numbered["step_stale_path"]]
    return chained(
        "adapter", numbered, "step_path", "step_path_row", "step_path_of_set", "step_inquiry", "step_device_joined", "step_device_row"
    )


@pytest.mark.long
def test_paths_that_may_carry_io_are_counted_by_their_states_and_targets_where_adapters_were_read() -> None:
    def row(devices: int | None, usable: int | None, targets: int | None) -> dict[str, Any]:
        return {"devices": devices, "usable_paths": usable, "targets": targets}

    expected: ByName = {
        "h1/mixed": row(2, 3, 2),
        "h1/twice": row(2, 4, 0),
        "h1/lost": row(1, 0, 0),
        "h1/odd": row(1, None, 0),
        "h1/silent": row(1, None, 0),
        "h1/drive": row(0, 0, 0),
        "h1/detached": row(0, 0, 0),
        "h1/nameless": row(None, None, 0),
        "h1/bare": row(0, 0, 0),
        "h1/kindless": row(0, 0, None),
        "h1/kindless with a target": row(0, 0, 1),
        "h2/mixed": row(None, None, 0),
        "h3/devices": row(None, None, 0),
        "h4/hbas": row(1, 0, None),
        "h4/hbas with a target": row(0, 0, 1),
        "h5/stale": row(1, None, 0),
        "h5/stale and bare": row(None, None, 0) | dict.fromkeys(("deepest_queue_depth", "deepest_effective_depth", "effective_depths")),
        "vc-2/h1/mixed": row(0, 0, 0),
    }
    assert shown(states_and_targets(), expected) == expected


def rule(vendor: str, model: str = "", psp: str = "VMW_PSP_RR", options: str = "", **more: Any) -> dict[str, Any]:
    """A claim rule of the build, on host h1."""
    own = {"vendor": vendor, "model": model, "default_psp": psp, "psp_options": options, "rule_group": "system"}
    return {"endpoint": "vc", "host_id": "h1", "satp": "ALUA", "device": "", "driver": "", "transport": "", **own, **more}


RULES: Rows = [
    rule("ADDED", "M", options="policy=latency"),
    rule("ADDED", psp="VMW_PSP_FIXED", rule_group="user"),
    rule("BOTH", "M", options="iops=1"),
    rule("BOTH", psp="VMW_PSP_MRU"),
    rule("VENDOR", options="bytes=8192"),
    rule("POLICY", options="policy=bytes"),
    rule("LATENCY", options="policy=latency;latencyEvalTime=180000"),
    rule("TIMES", options="policy=iops;iops='10'"),
    rule("TWO-POLICIES"),
    rule("TWO-POLICIES", psp="VMW_PSP_MRU", options=""),
    rule("TWO-OPTIONS", options="iops=1"),
    rule("TWO-OPTIONS", options="iops=2"),
    rule("TWICE", "M", options="iops=3"),
    rule("TWICE", "M", options="iops=3", claim_options="tpgs_on"),
    rule("USER-MODEL", "M", options="iops=4", rule_group="user"),
    rule("USER-MODEL", options="iops=5", rule_group="user"),
    rule("USER-MODEL", options="iops=6", host_id="h2"),
    rule("USER-MODEL", options="iops=7", endpoint="vc-2"),
    rule("VENDOR", "M", options="iops=8", host_id="h2"),
    rule("VENDOR", "M", options="iops=8", endpoint="vc-2"),
    *(rule("NARROW", options="iops=9", **{column: "x"}) for column in ("device", "driver", "transport")),
    rule("NARROW", "OTHER", options="iops=9"),
    rule("NARROW", options="iops=9", satp="DEFAULT_AA"),
    rule("NARROW", options="iops=9", host_id="h2"),
    rule("NARROW", options="iops=9", endpoint="vc-2"),
    rule("", options="iops=9"),
]


def test_a_device_is_claimed_by_the_rule_that_names_it_best() -> None:
    devices = [
        *((vendor, "vc", "h1") for vendor in dict.fromkeys(row["vendor"] for row in RULES)),
        *((vendor, vcenter, host) for vendor in ("USER-MODEL", "VENDOR") for vcenter, host in (("vc", "h2"), ("vc-2", "h1"))),
        ("NARROW", "vc", "h2"),
        ("NARROW", "vc", "h3"),
        ("NARROW", "vc-2", "h1"),
    ]
    paths: Rows = [
        {
            "endpoint": endpoint,
            "host_id": host,
            "device": vendor,
            "resource_id": f"{host}/{vendor}",
            "satp": "ALUA",
            "vendor": vendor,
            "model": "M",
        }
        | {"psp": "VMW_PSP_RR", "rr_iops": 1000, "active_paths": 4, "family": "f", "is_shared": True, "array_name": "a", "volume": "v"}
        for vendor, endpoint, host in devices
    ]
    given: dict[str, Rows] = {
        "fact.satp_rule": RULES,
        "fact.reading": [
            *of_vc({"scope": "h1", "topic": "multipathing", "complete": True}, {"scope": "h2", "topic": "multipathing", "complete": False}),
            *of_vc({"scope": "h2", "topic": "devices", "complete": True}, {"scope": "h3", "topic": "devices", "complete": True}),
            {"endpoint": "vc-2", "scope": "h1", "topic": "multipathing", "complete": True},
            *({"endpoint": "vc-2", "scope": "h1", "topic": topic, "complete": False} for topic in ("devices", "multipathing")),
        ],
    }
    none = {"rule_group": None, "claimed_psp": None, "claimed_options": None, "claimed_rr_policy": None, "claimed_rr_iops": None}

    def claimed(options: str, policy: str, iops: int, psp: str = "VMW_PSP_RR", group: str = "system") -> dict[str, Any]:
        own = {"claimed_psp": psp, "claimed_options": options, "claimed_rr_policy": policy, "claimed_rr_iops": iops}
        return {"has_claim_rule": True, "rule_group": group, **own}

    expected: ByName = {
        "h1/ADDED": claimed("", "rr", 1000, "VMW_PSP_FIXED", "user")
        | {"rr_iops": 1000, "active_paths": 4, "psp": "VMW_PSP_RR", "volume": "v"},
        "h1/BOTH": claimed("iops=1", "iops", 1),
        "h1/VENDOR": claimed("bytes=8192", "bytes", 1000),
        "h1/POLICY": claimed("policy=bytes", "bytes", 1000),
        "h1/LATENCY": claimed("policy=latency;latencyEvalTime=180000", "latency", 1000),
        "h1/TIMES": claimed("policy=iops;iops='10'", "iops", 10),
        "h1/TWO-POLICIES": {"has_claim_rule": False, **none},
        "h1/TWO-OPTIONS": {"has_claim_rule": False, **none},
        "h1/TWICE": claimed("iops=3", "iops", 3),
        "h1/USER-MODEL": claimed("iops=4", "iops", 4, group="user"),
        "h1/NARROW": {"has_claim_rule": False, **none},
        "h1/": {"has_claim_rule": False, **none},
        **{f"{host}/VENDOR": {"claimed_options": "iops=8"} for host in ("h2", "vc-2/h1")},
        "h2/USER-MODEL": {"claimed_options": "iops=6"},
        "vc-2/h1/USER-MODEL": {"claimed_options": "iops=7"},
        "h2/NARROW": {"has_claim_rule": None},
        "h3/NARROW": {"has_claim_rule": None, **none},
        "vc-2/h1/NARROW": {"has_claim_rule": None, "claimed_rr_iops": 9},
    }
    found = chained("device_claim", with_paths(paths, given), "step_claim", "step_claim_of_class")
    assert shown(found, expected) == expected


@pytest.mark.parametrize(
    ("status", "path", "online"),
    [
        ("online", "active", True),
        ("online", "dead", True),
        ("offline", "dead", False),
        ("offline", "disabled", False),
        ("unbound", "dead", False),
        ("offline", "active", None),
        ("unbound", "standby", None),
        ("offline", "unknown", None),
        ("unknown", "dead", None),
        ("fault", "dead", None),
        (None, "dead", None),
    ],
)
def test_an_adapter_is_offline_where_it_says_so_and_no_path_of_it_is_usable(status: str | None, path: str, *, online: bool | None) -> None:
    facts = hosts(1)
    on_all_hosts(facts, seen("naa.624a9370", "flasharray"))
    on = {"host_id": "host-1", "hba": "vmhba1"}
    facts["hba"] = [{**on, "kind": "fc", "status": status}]
    facts["path"] = [{**on, "device": "naa.624a9370", "path": "p1", "state": path}]
    [row] = view("adapter", facts)
    assert row["is_online"] is online
