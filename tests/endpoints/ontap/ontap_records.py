"""Records of an ONTAP cluster as tests write them."""

from __future__ import annotations

from typing import Any

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap.qos import NO_POLICY, Policy, Reference
from auditor.endpoints.ontap.rows import Container

GOLD = Policy("p-1", "gold", 100, 5000, 10**8, is_shared=False, is_read=True)


ODD = Policy("p-2", "odd", None, None, None, is_shared=None, is_read=False)


POLICIES = {"p-1": GOLD, "p-2": ODD}


UNDER_GOLD = Reference("p-1", "gold")


FLEXVOL = Container("v-1", "svm", "vol", "a-1", NO_POLICY)


def record(value: dict[str, Any]) -> Record:
    return Record(value, "it", ParseErrors("GET x"))


def errors(one: Record) -> list[str]:
    return [gap.what.removeprefix("GET x: ").removesuffix(" of it") for gap in one.parse_errors.gaps("nt")]


QOS_OF_NONE = {
    "qos_policy_id": None,
    "qos_policy": None,
    "qos_burst_iops": None,
    "qos_min_iops": None,
    "qos_max_iops": None,
    "qos_max_bytes_per_second": None,
    "qos_shared": None,
    "qos_group_id": None,
    "qos_group": None,
    "qos_group_max_iops": None,
    "qos_group_max_bytes_per_second": None,
    "qos_read": True,
}


QOS_OF_GOLD = {
    **QOS_OF_NONE,
    "qos_policy_id": "p-1",
    "qos_policy": "gold",
    "qos_min_iops": 100,
    "qos_max_iops": 5000,
    "qos_max_bytes_per_second": 10**8,
    "qos_shared": False,
}


AROUND_GOLD = {"qos_group_id": "p-1", "qos_group": "gold", "qos_group_max_iops": 5000, "qos_group_max_bytes_per_second": 10**8}


LUN: dict[str, Any] = {
    "uuid": "L-1",
    "class": "regular",
    "name": "/vol/vol/lun1",
    "os_type": "vmware",
    "serial_number": "wOj4]?EZ1abc",
    "svm": {"name": "svm"},
    "space": {"size": 1 << 30, "used": 1 << 29},
    "status": {"state": "online"},
    "location": {"volume": {"uuid": "V-1"}},
}
