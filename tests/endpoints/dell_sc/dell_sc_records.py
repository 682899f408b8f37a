"""Records of a Storage Center as tests write them."""

from __future__ import annotations

from typing import Any

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.dell_sc.answers import Attributes
from auditor.endpoints.dell_sc.qos import Limits


def record(value: dict[str, Any]) -> Record:
    return Record(Attributes(value), "it", ParseErrors("x"))


def named(number: Any, name: str) -> dict[str, Any]:
    return {"instanceId": f"7.{number}", "instanceName": name}


DEVICE = "6000d31000fcbe000000000000000003"


VOLUME = {
    "instanceId": "7.9", "name": "capped", "serialNumber": "0000fcbe-3", "deviceId": DEVICE, "status": "Up",
    "configuredSize": "1.073741824E9 Bytes", "storageType": named(2, "gold"),
}  # fmt: skip


LIMITED, SHARED, ODD = (Limits(100, 5, "Low", is_read=True), Limits(900, 7, None, is_read=True), Limits())


PROFILES = {"7.3": LIMITED, "7.4": SHARED, "7.5": ODD, "7.1": Limits(priority="Medium", is_read=True)}


OWN = {"volumeQosProfile": named(3, "Prod")}


USAGE = {"averageKbPerIo": 4, "totalKbPerSecond": 800, "totalIops": 200, "ioPending": 3}


def configuration(volume: int) -> dict[str, Any]:
    return {"instanceId": f"7.{volume}", "storageProfile": named(6, "Recommended"), **OWN}
