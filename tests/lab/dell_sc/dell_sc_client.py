"""A Storage Manager of the lab, and a client that asks it as OpenStack cinder does."""

from __future__ import annotations

from typing import Any

import httpx

from auditor_lab.arrays.dell_sc.description import (
    DellScDescription,
    HbaDescription,
    LoadDescription,
    QosProfileDescription,
    ServerDescription,
    VolumeDescription,
)

# Incident S1: a profile with a priority and 50 MB/s on the volume that a machine moves to, and a twin without a cap.
DESCRIPTION = DellScDescription(
    name="scv3020",
    serial_number=64702,
    qos_profiles=(
        QosProfileDescription(name="Default"),
        QosProfileDescription(name="Bronze", priority="Low", bandwidth_limit_mb_per_second=50),
        QosProfileDescription(name="Tenant", kind="group", iops_limit=9000),
    ),
    server_clusters=("esx",),
    servers=(
        ServerDescription(name="esx-1", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-1"),)),
        ServerDescription(name="esx-2", cluster="esx", hbas=(HbaDescription(name="iqn.1998-01.com.vmware:esx-2"),)),
    ),
    volumes=(
        VolumeDescription(
            name="capped",
            volume_qos_profile="Bronze",
            group_qos_profile="Tenant",
            mapped_to=("esx",),
            lun=7,
            used_bytes=1 << 39,
            load=LoadDescription(read_iops=100, write_iops=300, read_kb_per_second=10000, write_kb_per_second=38000, pending=64),
        ),
        VolumeDescription(name="twin", storage_profile="High Priority", mapped_to=("esx-1",)),
    ),
)


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Cinder:
    """What OpenStack's client sends: its headers, its filters, its way of following a task."""

    def __init__(self, session: httpx.Client, version: str = "2.0") -> None:
        self.session = session
        self.version = version

    def ask(self, method: str, path: str, payload: Any = None, *, wait: bool = False, **headers: str) -> httpx.Response:
        given = {"x-dell-api-version": self.version, **({"Async": "True"} if wait else {}), **headers}
        return self.session.request(method, f"/api/rest/{path}", json=payload, headers=given)

    def login(self, password: str = "right") -> httpx.Response:
        body = {"Application": "Cinder REST Driver", "ApplicationVersion": "4.1.2"}
        headers = {"x-dell-api-version": self.version}
        return self.session.post("/api/rest/ApiConnection/Login", json=body, headers=headers, auth=("Admin", password))

    def find(self, kind: str, **wanted: Any) -> Any:
        filters = [{"attributeName": name, "attributeValue": value, "filterType": "Equals"} for name, value in wanted.items()]
        answer = self.ask("POST", f"StorageCenter/{kind}/GetList", {"filter": {"filterType": "AND", "filters": filters}})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def profiles(self, volume: str = "64702.1") -> tuple[str, str | None]:
        answer = self.ask("GET", f"StorageCenter/ScVolume/{volume}/VolumeConfiguration").json()
        return answer["volumeQosProfile"]["instanceName"], answer.get("groupQosProfile", {}).get("instanceName")

    def follow(self, task: httpx.Response) -> httpx.Response:
        """Ask once for what a task's own address answers; the address names a host that is not ours."""
        path = task.json()["returnValue"].split("https://")[1].split("/", 1)[1]
        return self.ask("GET", path.removeprefix("api/rest/"))
