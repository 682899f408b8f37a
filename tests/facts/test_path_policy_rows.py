"""Every column of the view `path_policy` over rows of what it reads: hosts whose paths to one device differ."""

from typing import Any

import pytest

from .numbered import PATH_STEPS, with_numbers
from .single import ByName, Rows, chained, of_vc, shown

pytestmark = pytest.mark.long

COPIED = {"device_type": "disk", "vendor": "V", "model": "M", "family": "ontap", "is_protocol_endpoint": False, "is_shared": True}
PLACES = (
    ("naa.1", ("four", "two", "none")),
    ("naa.2", ("one dead", "four")),
    ("naa.3", ("half known", "four")),
    ("naa.4", ("odd state", "four")),
    ("naa.5", ("unread", "four")),
)
"""Devices, and the hosts that see each."""


def path(host: str, device: str, hba: str, target: str, state: str | None = "active", **more: Any) -> dict[str, Any]:
    """A path of a host to a device."""
    return {"host_id": host, "device": device, "hba": hba, "target": target, "state": state, "transport": "fc", **more}


def every() -> Rows:
    """The view over these devices, over one of the same name in another vCenter, and with paths to what no host lists."""
    devices = [(device, host) for device, hosts in PLACES for host in hosts]
    policies = {"satp": "VMW_SATP_ALUA", "psp": "VMW_PSP_RR"}
    paths = [
        *(path("four", "naa.1", hba, target, **policies) for hba in ("vmhba1", "vmhba2") for target in ("a", "b")),
        *(path("two", "naa.1", "vmhba1", target) for target in ("a", "b")),
        *(
            path("one dead", "naa.2", "vmhba1", target, state)
            for target, state in (("a", "active"), ("b", "dead"), ("c", "standby"), ("d", "disabled"))
        ),
        path("four", "naa.2", "vmhba1", "a"),
        *(path("half known", "naa.3", "vmhba1", target, state) for target, state in (("a", "active"), ("b", None))),
        path("four", "naa.3", "vmhba1", "a"),
        *(path("odd state", "naa.4", "vmhba1", target, state) for target, state in (("a", "active"), ("b", "unknown"))),
        path("four", "naa.4", "vmhba1", "a"),
        path("unread", "naa.5", "vmhba1", "a"),
        path("four", "naa.5", "vmhba1", "a"),
    ]
    return chained(
        "path_policy",
        with_numbers(
            {
                "fact.path": [*of_vc(*paths), {"endpoint": "vc-2", **path("two", "naa.1", "vmhba9", "z", transport="iscsi")}],
                "fact.hba": of_vc(
                    *({"host_id": host, "hba": hba, "kind": "fc"} for host in ("four", "two") for hba in ("vmhba1", "vmhba2"))
                ),
                "step_endpoint_reading": [{"endpoint": "vc", "hosts_read": True}],
                "step_host_reading": [
                    *of_vc(
                        *(
                            {"host_id": host, "paths_read": host != "unread", "hbas_read": True}
                            for host in sorted({host for _, host in devices})
                        )
                    ),
                    {"endpoint": "vc-2", "host_id": "two", "paths_read": True},
                ],
                "device": [
                    *(
                        {"endpoint": "vc", "host_id": host, "device": device, "resource_id": f"{host}/{device}", "resource_name": device}
                        | {"cluster": "gold", "host": f"{host}!", "array_name": "array", "volume": "v", "hosts": 3, **COPIED}
                        for device, host in devices
                    ),
                    {
                        "endpoint": "vc-2",
                        "host_id": "two",
                        "device": "naa.1",
                        "resource_id": "two/naa.1",
                        "resource_name": "naa.1",
                        "host": "far",
                    },
                ],
                "fact.device_policy": [
                    *of_vc(
                        {"host_id": "four", "device": "naa.1", "rr_policy": "iops", "rr_iops": 1, "rr_bytes": 2, "working_paths": 4}
                        | {"rr_use_unoptimized": True},
                        {"host_id": "four", "device": "naa.2", "rr_policy": "bytes"},
                    ),
                    {"endpoint": "vc-2", "host_id": "four", "device": "naa.1", "rr_policy": "of vc-2"},
                ],
            }
        ),
        *PATH_STEPS,
        "step_path_of_class",
    )


def counts(
    paths: int | None, active: int | None, dead: int | None, ends: tuple[int | None, int | None], among: tuple[int | None, int | None]
) -> dict[str, Any]:
    """Paths, those active and dead, adapters and ports they end at, and the fewest and most active paths of a host that sees the device."""
    columns = ("adapters", "targets"), ("fewest_active_paths", "most_active_paths")
    return {"paths": paths, "active_paths": active, "dead_paths": dead, **dict(zip(columns[0] + columns[1], ends + among, strict=True))}


def test_paths_are_counted_where_all_of_them_are_known_and_compared_where_those_of_every_host_are() -> None:
    open_ = (None, None)
    expected: ByName = {
        "four/naa.1": counts(4, 4, 0, (2, 2), (0, 4))
        | {"resource_name": "naa.1", "cluster": "gold", "host": "four!", "host_id": "four", "device": "naa.1", **COPIED}
        | {"array_name": "array", "volume": "v", "hosts": 3, "transport": "fc", "psp": "VMW_PSP_RR", "satp": "VMW_SATP_ALUA"}
        | {"rr_policy": "iops", "rr_iops": 1, "rr_bytes": 2, "rr_use_unoptimized": True, "working_paths": 4},
        "two/naa.1": {
            **counts(2, 2, 0, (1, 2), (0, 4)),
            "psp": None,
            "rr_policy": None,
            "transport": "fc",
            "compared_by": "fc by 2 adapters",
        },
        "none/naa.1": {
            **counts(0, 0, 0, (0, 0), (0, 4)),
            "disabled_paths": 0,
            "usable_paths": 0,
            "most_active_paths_at_most": 4,
            "transport": None,
            "compared_by": None,
            "not_compared": None,
        },
        "one dead/naa.2": {**counts(4, 1, 1, (1, 4), (1, 1)), "disabled_paths": 1, "usable_paths": 2},
        "four/naa.2": {**counts(1, 1, 0, (1, 1), (1, 1)), "rr_policy": "bytes"},
        "half known/naa.3": {**counts(2, None, None, (1, 2), open_), "disabled_paths": None, "usable_paths": None},
        "four/naa.3": counts(1, 1, 0, (1, 1), open_),
        "odd state/naa.4": counts(2, None, None, (1, 2), open_),
        "four/naa.4": counts(1, 1, 0, (1, 1), open_),
        "unread/naa.5": {**counts(None, None, None, (None, None), open_), "disabled_paths": None, "usable_paths": None, "transport": "fc"},
        "four/naa.5": counts(1, 1, 0, (1, 1), open_),
        "vc-2/two/naa.1": {**counts(1, 1, 0, (1, 1), (1, 1)), "host": "far", "transport": "iscsi", "most_active_paths_at_most": 32},
    }
    assert shown(every(), expected) == expected
