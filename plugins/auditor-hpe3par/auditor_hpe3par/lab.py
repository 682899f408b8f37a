"""The double of an HPE 3PAR: what WSAPI answers.

The fields are those of HPE's own SDKs for Python and Ruby; the values are made up.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from auditor_lab.wire import Answer, Request

if TYPE_CHECKING:
    from collections.abc import Mapping

SERIAL = "CZ3123ABCD"
KEY = "1-48a70b8a8301c458-037e0821"
VMWARE, GENERIC_ALUA = 8, 2  # personas, by WSAPI's own numbers
HOST, MATCHED = 3, 4  # types of VLUNs
NEAR_LINE, SSD = 2, 3  # types of disks

SYSTEM = {
    "id": 77001,
    "name": "3par-east",
    "systemVersion": "3.3.1.648",
    "model": "HPE_3PAR 8400",
    "serialNumber": SERIAL,
    "totalNodes": 2,
    "masterNode": 0,
    "clusterNodes": [0, 1],
    "onlineNodes": [0, 1],
}


def layout(*disks: int) -> dict[str, Any]:
    """The part of a CPG that says which disks it grows on, in RAID 6."""
    return {"SDGrowth": {"LDLayout": {"RAIDType": 4, "diskPatterns": [{"diskType": kind} for kind in disks]}}}


def volume(name: str, number: int, **changes: Any) -> dict[str, Any]:
    """A thin volume of one TiB."""
    return {
        "id": number,
        "name": name,
        "provisioningType": 2,
        "copyType": 1,
        "state": 1,
        "sizeMiB": 1 << 20,
        "userCPG": "ssd_r6",
        "wwn": f"60002AC0000000000000{number:04X}00012CC9",
        **changes,
    }


def rule(name: str, target: int = 1, **changes: Any) -> dict[str, Any]:
    """A QoS rule that is in force, of a volume set unless `target` says otherwise."""
    return {"id": 1, "type": target, "name": name, "enabled": True, "priority": 2, **changes}


def host(name: str, number: int, persona: int, *wwns: str) -> dict[str, Any]:
    """A host with Fibre Channel paths; each initiator is logged in to two ports."""
    paths = [{"wwn": wwn, "portPos": {"node": node, "slot": 0, "cardPort": 1}, "hostSpeed": 0} for wwn in wwns for node in (0, 1)]
    return {"id": number, "name": name, "persona": persona, "FCPaths": paths, "iSCSIPaths": []}


def vlun(volume_name: str, host_name: str, lun: int | None, **changes: Any) -> dict[str, Any]:
    """A template of a VLUN: a volume that one host was given."""
    return {"volumeName": volume_name, "hostname": host_name, "lun": lun, "active": False, "type": HOST, "multipathing": 1, **changes}


def fleet() -> dict[str, list[dict[str, Any]]]:
    """The lists of an array: a volume in a set with a ceiling, one in two such sets, one in a set whose rule is off, one in none."""
    return {
        "cpgs": [
            {
                "id": 0,
                "name": "ssd_r6",
                "totalSpaceMiB": 1 << 22,
                "SDGrowth": {"LDLayout": {"RAIDType": 4, "diskPatterns": [{"diskType": 3}]}},
            },
            {"id": 1, "name": "nl_r6", "SDGrowth": {"LDLayout": {"RAIDType": 4, "diskPatterns": [{"diskType": 2}]}}},
        ],
        "volumes": [volume("gold-01", 1), volume("gold-02", 2), volume("both", 3), volume("idle-rule", 4), volume("free", 5)],
        "volumesets": [
            {"id": 1, "name": "gold", "setmembers": ["gold-01", "gold-02", "both"]},
            {"id": 2, "name": "slow", "setmembers": ["both"]},
            {"id": 3, "name": "off", "setmembers": ["idle-rule"]},
        ],
        "qos": [
            rule("gold", ioMinGoal=1000, ioMaxLimit=8000, bwMinGoalKB=1000, bwMaxLimitKB=400_000, priority=3),
            rule("slow", ioMinGoal=100, ioMaxLimit=9000, bwMinGoalKB=1000, bwMaxLimitKB=50_000, priority=1),
            rule("off", ioMinGoal=100, ioMaxLimit=200, enabled=False),
        ],
        "hosts": [
            host("esx-1", 1, VMWARE, "10000090FA000001", "10000090FA000002"),
            host("esx-2", 2, GENERIC_ALUA, "10000090FA000003"),
            {"FCPaths": [{"wwn": "10000090FA00000F"}], "iSCSIPaths": []},
        ],
        "hostsets": [{"id": 1, "name": "cluster-1", "setmembers": ["esx-1", "esx-2"]}],
        "vluns": [
            vlun("gold-01", "esx-1", 1),
            vlun("gold-01", "esx-1", 1, active=True, type=MATCHED, remoteName="10000090FA000001"),
            vlun("gold-02", "set:cluster-1", 2, type=5),
            vlun("set:slow", "esx-2", 10),
        ],
    }


class ArrayDouble:
    """An array with these lists; `lists` may be changed while it is served.

    The entry point of the group "auditor.lab" names it, so that `auditor demo` has such an array where this package is installed.
    """

    name = SYSTEM["name"]

    def __init__(self, username: str, password: str, lists: Mapping[str, Any] | None = None) -> None:
        self._account = {"user": username, "password": password}
        self.lists: dict[str, Any] = fleet() if lists is None else dict(lists)
        self.system: dict[str, Any] = dict(SYSTEM)
        self.key = KEY
        self.totals: dict[str, int] = {}
        self.login: tuple[dict[str, Any], int] | None = None  # what a login is answered instead of the key

    def operation(self, request: Request) -> str:
        """What the contract calls a request: its method and what it is about."""
        return f"{request.method} {_path(request).partition('/')[0]}"

    def answer(self, request: Request) -> Answer:
        """The answer to one request."""
        path = _path(request)
        if path == "/api":  # which release of WSAPI it is; asked without a key
            return _json({"major": 1, "minor": 6, "revision": 0, "build": 30301215})
        if path == "credentials" and request.method == "POST":
            if json.loads(request.body) == self._account:
                return _json(*(self.login or ({"key": self.key}, 201)))
            return _json({"code": 5, "desc": "invalid username or password"}, 403)
        if request.headers.get("x-hp3par-wsapi-sessionkey") != self.key:
            return _json({"code": 6, "desc": "invalid session key"}, 403)
        if request.method == "DELETE" and path == f"credentials/{self.key}":
            return _json({})
        if request.method != "GET":
            return _json({"code": 13, "desc": "permission denied"}, 403)
        if path == "system":
            return _json(self.system)
        return self._of_list(path)

    def _of_list(self, path: str) -> Answer:
        name, _, key = path.partition("/")
        members = self.lists.get(name)
        if members is None:
            return _json({"code": 11, "desc": "resource does not exist"}, 404)
        if not key:
            return _json({"total": self.totals.get(name, len(members)), "members": members})
        wanted = key.removeprefix("vvset:") if name == "qos" else key
        found = next((one for one in members if one.get("name") == wanted), None)
        return _json({"code": 11, "desc": "resource does not exist"}, 404) if found is None else _json(found)


def _path(request: Request) -> str:
    return unquote(urlsplit(request.path).path).removeprefix("/api/v1/")


def _json(value: object, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json", status)
