"""The whole row of each device on each host: what the host says of it, by what driver it is reached, and what array is behind it."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array
from .whole_rows import Row, add, expected, host, rows_by_id, rows_of_step, vcenter

pytestmark = pytest.mark.long

PURE: Row = {
    "vendor": "PURE",
    "model": "FlashArray",
    "device_type": "disk",
    "is_local": False,
    "is_protocol_endpoint": False,
    "queue_depth": 64,
}
NAMED = "naa.6f47acc2"
"""How the names of an Element cluster's protocol endpoints begin; docs/domain/arrays.md#device-names."""


def sees(
    given: Facts, host_id: str, device: str, *drivers: str | None, endpoint: str = "vc", dsnro: int | None = None, **more: Any
) -> None:
    """The host sees a device by an adapter of each of these drivers; None is an adapter whose driver is not known."""
    key = {"endpoint": endpoint, "host_id": host_id, "device": device}
    is_endpoint = more.pop("is_vvol_pe", None)
    add(given, "device", {**PURE, **more, **key})
    if dsnro is not None or is_endpoint is not None:
        add(given, "device_scheduling", {**key, "dsnro": dsnro, "is_vvol_pe": is_endpoint})
    add(given, "path", *({**key, "hba": f"by {driver}", "path": f"p{n}"} for n, driver in enumerate(drivers)))


def fleet() -> Facts:
    """Hosts 1 of both vCenters have one id and see devices of the same names; a host of "vc" has no name."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
        for n in (1, 2):
            host(given, endpoint, f"host-{n}", f"esx-{n} of {endpoint}", "gold" if n == 1 else None)
            key = {"endpoint": endpoint, "host_id": f"host-{n}"}
            swapped = {"nfnic": "lpfc", "lpfc": "nfnic"} if endpoint == "vc-2" else {}
            add(given, "hba", *({**key, "hba": f"by {driver}", "driver": swapped.get(driver, driver)} for driver in ("nfnic", "lpfc")))
            add(given, "hba", {**key, "hba": "by None"})
    host(given, "vc", "host-0", "unnamed", None)
    given["host"][-1]["name"] = None
    host(given, "vc", "a-host", "first by its id", None)
    given["host"][-1]["name"] = None
    for n in range(3, 8):
        host(given, "vc", f"host-{n}", f"esx-{n} of vc", "gold")
    _seen(given)
    _arrays(given)
    return given


def _seen(given: Facts) -> None:
    sees(given, "host-1", "lun", "nfnic", "nfnic", dsnro=32)
    sees(given, "host-2", "lun", "nfnic", "lpfc", dsnro=64)
    sees(given, "host-1", "lun", "nfnic", endpoint="vc-2", queue_depth=128, dsnro=16)
    sees(given, "host-1", "by one of no driver", "nfnic", None)
    sees(given, "host-1", "by an adapter of no driver", None)
    sees(given, "host-1", "by no path")
    sees(given, "host-1", "by one driver", "nfnic")
    sees(given, "host-1", "by another driver", "lpfc")
    sees(given, "host-1", "of another depth", queue_depth=65)
    sees(given, "host-1", "of an adapter that is unlisted too", "nfnic", "unlisted")
    sees(given, "host-1", "of two vCenters", "nfnic")
    sees(given, "host-1", "of two vCenters", "lpfc", endpoint="vc-2")
    for n in (3, 4, 5, 6, 7):
        sees(given, f"host-{n}", "of five")
    sees(given, "host-1", "of two families", vendor="NETAPP", model="LUN C-Mode")
    sees(given, "host-2", "of two families")
    sees(given, "host-1", "by an unlisted adapter", "unlisted")
    sees(given, "host-0", "of the unnamed", "nfnic")
    for host_id in ("host-1", "a-host"):
        sees(given, host_id, "of another unnamed")
    for n in (0, 1, 2, 3, 4, 5, 6):
        sees(given, f"host-{n}", "of seven")
    for n in (7, 2, 3, 4, 5, 6):
        sees(given, f"host-{n}", "of six")
    sees(given, "host-7", "of six and its own")
    sees(given, "host-1", "mpx.vmhba0", is_local=True)
    sees(given, "host-1", "an array's", is_local=None)
    sees(given, "host-1", "local not known", is_local=None, vendor="ATA", model="SSD")
    sees(given, "host-1", "cdrom", device_type="cdrom", is_local=None)
    sees(given, "host-1", "local endpoint", is_local=True, is_protocol_endpoint=True)
    sees(given, "host-1", "no endpoint by the API", is_vvol_pe=True)
    sees(given, "host-1", "endpoint by esxcli", is_protocol_endpoint=None, is_vvol_pe=True, device_type="other")
    sees(given, "host-1", "no endpoint by esxcli", is_protocol_endpoint=None, is_vvol_pe=False)
    sees(given, "host-1", f"{NAMED}1", is_protocol_endpoint=None)
    sees(given, "host-1", f"{NAMED}2", is_protocol_endpoint=None, is_vvol_pe=False)
    sees(given, "host-1", "endpoint by nobody", is_protocol_endpoint=None)
    sees(given, "host-1", "namespace", vendor="NVMe", model="dellemc-powerstore")
    sees(given, "host-1", "nobody's", vendor="nobody", model="x")
    sees(given, "host-1", "inquiry not read", vendor=None, model=None)
    sees(given, "host-1", "model not read", model=None)
    sees(given, "host-1", "type not read", device_type=None)
    sees(given, "host-1", "naa.624a9370by name", vendor=None)
    sees(given, "host-1", "naa.624a9370by another inquiry", vendor="NETAPP", model="LUN C-Mode")
    sees(given, "host-1", "naa.624a9370by nobody's inquiry", vendor="nobody")
    for n in (1, 2, 3):
        sees(given, f"host-{n}", "detached on one", operational_state="off,degraded" if n == 1 else "ok,off")
    sees(given, "host-1", "detached endpoint", operational_state="off", is_protocol_endpoint=True)
    sees(given, "host-1", "of no state", operational_state="")
    sees(given, "host-1", "access LUN", vendor="DELL", model="Universal Xport", size_bytes=20 * 2**20)
    sees(given, "host-1", "gatekeeper", vendor="EMC", model="SYMMETRIX", size_bytes=6 * 2**20)
    sees(given, "host-1", "disk of a Symmetrix", vendor="EMC", model="SYMMETRIX", size_bytes=2**40)
    sees(given, "host-1", "Symmetrix of no size", vendor="EMC", model="SYMMETRIX")
    for device in ("declared", "declared too", "declared and read", "stretched", "array of no model"):
        sees(given, "host-1", device)


def _arrays(given: Facts) -> None:
    cap = {
        "qos_max_iops": 100,
        "qos_max_bytes_per_second": 2**20,
        "qos_policy": "policy",
        "qos_policy_id": "q",
        "qos_group_id": "g",
        "qos_shared": True,
    }
    array(
        given,
        "fa",
        EndpointKind.FLASHARRAY,
        {"name": "db", "volume_id": "v", "device": "lun", "pool_id": "p", **cap},
        {"name": "read", "device": "declared and read"},
        {"name": "stretched", "device": "stretched", "pod": "pod"},
        {"name": "other", "qos_policy_id": "q", "qos_shared": True},
    )
    given["array"][-1] |= {"model": "FA-X70", "generation": "R3", "version": "6.1"}
    array(given, "fb", EndpointKind.FLASHARRAY, {"name": "plain", "device": "array of no model"})
    add(given, "array_protocol_endpoint", {"endpoint": "fa", "protocol_endpoint_id": "pe", "device": f"{NAMED}1"})
    add(given, "declared", {"devices": "declared*", "model": "DX90", "generation": "S1", "firmware": "V10L66"})
    add(given, "declared", {"devices": "declared too", "model": "DX60", "generation": "S2", "firmware": "V10L68"})
    add(given, "declared", {"devices": "array of no model", "model": "X", "firmware": "v2l7 of a form"})
    add(given, "declared", {"devices": "of six", "firmware": "10L66"})


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "vendor": "PURE",
    "model": "FlashArray",
    "family": "flasharray",
    "device_type": "disk",
    "is_namespace": False,
    "is_protocol_endpoint": False,
    "is_shared": True,
    "queue_depth": 64,
    "dsnro": None,
    "driver": None,
    "hosts": 1,
    "host_names": "esx-1 of vc",
    "array_name": None,
    "is_stretched": None,
    "volume": None,
    "volume_id": None,
    "pool_id": None,
    "protocol_endpoint_id": None,
    "qos": None,
    "qos_policy": None,
    "qos_group": None,
    "qos_max_iops": None,
    "qos_max_bytes_per_second": None,
    "qos_capped": None,
    "qos_wait": None,
    "qos_sharers": None,
    "qos_shared_by": None,
    "device_state": "ok",
    "special_purpose": "none",
    "array_model": None,
    "array_generation": None,
    "array_firmware": None,
    "firmware_level": None,
    "dsnro_advice": "default",
}


def row(device: str, n: int = 1, of: str = "vc", **more: Any) -> Row:
    """A device on the n-th host of a vCenter; hosts 2 and 0 are in no cluster."""
    where = {"endpoint": of, "host_id": f"host-{n}", "host": f"esx-{n} of {of}" if n else None}
    domain = {"domain_id": f"host-{n}", "cluster": None} if n in (0, 2) else {"domain_id": "id-gold"}
    wait = {"qos_wait": "not held back by QoS"} if more.get("is_shared") is False else {}
    return {"resource_id": f"host-{n}/{device}", "resource_name": device, "device": device, **where, **domain, **wait, **more}


READ: Row = {"array_name": "fa", "is_stretched": False, "array_model": "FA-X70", "array_generation": "R3", "array_firmware": "6.1"}
UNCAPPED: Row = {"qos": "none", "qos_capped": False, "qos_sharers": 0, "qos_shared_by": ""}
CAPPED: Row = {
    "volume": "db",
    "volume_id": "v",
    "pool_id": "p",
    "qos": "policy: 100 IOPS, 1.0 MiB/s; group g: no ceiling",
    "qos_policy": "policy",
    "qos_group": "g",
    "qos_max_iops": 100,
    "qos_max_bytes_per_second": 2**20,
    "qos_capped": True,
    "qos_sharers": 1,
    "qos_shared_by": "db, other",
}
OF_THREE: Row = {"hosts": 3, "host_names": "esx-1 of vc, esx-1 of vc-2, esx-2 of vc", **READ, **CAPPED}
ENDPOINT: Row = {"is_protocol_endpoint": True}
SIX: Row = {
    "hosts": 6,
    "host_names": "esx-2 of vc, esx-3 of vc, esx-4 of vc, esx-5 of vc, esx-6 of vc and 1 more",
    "array_firmware": "10L66",
}
SEVEN: Row = {"hosts": 7, "host_names": "esx-1 of vc, esx-2 of vc, esx-3 of vc, esx-4 of vc, esx-5 of vc and 2 more"}
PERHAPS: Row = {"special_purpose": None, "is_shared": None}
DETACHED: Row = {"device_state": "off", "is_shared": False}
SYMMETRIX: Row = {"vendor": "EMC", "model": "SYMMETRIX", "family": "symmetrix", "dsnro_advice": "none"}
NOT_READ: Row = {"family": None, "dsnro_advice": None}
DECLARED: Row = {"array_model": "DX90", "array_generation": "S1", "array_firmware": "V10L66", "firmware_level": 10066}
EXPECTED = expected(
    USUAL,
    row("lun", driver="nfnic", dsnro=32, **OF_THREE),
    row("lun", 2, dsnro=64, **OF_THREE),
    row("lun", 1, "vc-2", driver="lpfc", dsnro=16, **OF_THREE) | {"queue_depth": 128},
    *(row(device) for device in ("by one of no driver", "by an adapter of no driver", "by no path", "by an unlisted adapter")),
    row("by one driver", driver="nfnic"),
    row("by another driver", driver="lpfc"),
    row("of another depth", queue_depth=65),
    row("of an adapter that is unlisted too"),
    row("of two vCenters", driver="nfnic", hosts=2, host_names="esx-1 of vc, esx-1 of vc-2"),
    row("of two vCenters", 1, "vc-2", driver="nfnic", hosts=2, host_names="esx-1 of vc, esx-1 of vc-2"),
    *(row("of five", n, hosts=5, host_names=", ".join(f"esx-{n} of vc" for n in range(3, 8))) for n in range(3, 8)),
    row("of two families", vendor="NETAPP", model="LUN C-Mode", family="ontap", hosts=2, host_names="esx-1 of vc, esx-2 of vc"),
    row("of two families", 2, hosts=2, host_names="esx-1 of vc, esx-2 of vc"),
    row("of another unnamed", hosts=2, host_names="a-host, esx-1 of vc"),
    row("of another unnamed", 0, hosts=2, host_names="a-host, esx-1 of vc")
    | {"resource_id": "a-host/of another unnamed", "host_id": "a-host", "domain_id": "a-host"},
    row("of the unnamed", 0, host_names="host-0"),
    *(row("of seven", n, **SEVEN) for n in range(7)),
    *(row("of six", n, **SIX) for n in range(2, 8)),
    row("of six and its own", 7, host_names="esx-7 of vc"),
    row("mpx.vmhba0", is_shared=False, hosts=None, host_names=None),
    row("an array's"),
    row("local not known", is_shared=None, vendor="ATA", model="SSD", family="other", dsnro_advice="none"),
    row("cdrom", device_type="cdrom", is_shared=False),
    row("local endpoint", **ENDPOINT),
    row("no endpoint by the API", is_protocol_endpoint=None),
    row("endpoint by esxcli", **ENDPOINT, device_type="other"),
    row("no endpoint by esxcli"),
    row(f"{NAMED}1", **ENDPOINT, **READ, protocol_endpoint_id="pe"),
    row(f"{NAMED}2"),
    row("endpoint by nobody"),
    row("namespace", vendor="NVMe", model="dellemc-powerstore", family="powerstore", is_namespace=True, dsnro_advice="none"),
    row("nobody's", vendor="nobody", model="x", family="other", dsnro_advice="none"),
    row("inquiry not read", vendor=None, model=None, is_namespace=None, **NOT_READ, **PERHAPS),
    row("model not read", model=None, **NOT_READ, **PERHAPS),
    row("type not read", device_type=None),
    row("naa.624a9370by name", vendor=None, is_namespace=None, **PERHAPS),
    row("naa.624a9370by another inquiry", vendor="NETAPP", model="LUN C-Mode", family="ontap"),
    row("naa.624a9370by nobody's inquiry", vendor="nobody"),
    row("detached on one", **DETACHED, hosts=2, host_names="esx-2 of vc, esx-3 of vc"),
    *(row("detached on one", n, device_state="ok", hosts=2, host_names="esx-2 of vc, esx-3 of vc") for n in (2, 3)),
    row("detached endpoint", is_protocol_endpoint=True, **DETACHED, hosts=None, host_names=None),
    row("of no state", device_state=None, is_shared=None),
    row(
        "access LUN",
        vendor="DELL",
        model="Universal Xport",
        special_purpose="access LUN",
        is_shared=False,
        family="other",
        dsnro_advice="none",
    ),
    row("gatekeeper", **SYMMETRIX, special_purpose="gatekeeper", is_shared=False),
    row("disk of a Symmetrix", **SYMMETRIX),
    row("Symmetrix of no size", **SYMMETRIX, **PERHAPS),
    row("declared", **DECLARED),
    row("declared too", **DECLARED),
    row("declared and read", **READ, **UNCAPPED, volume="read", volume_id="read"),
    row("stretched", **READ, **UNCAPPED, volume="stretched", volume_id="stretched")
    | {"is_stretched": True, "qos": "none; the other array of its pod was not read", "qos_capped": None},
    row("array of no model", **UNCAPPED, array_name="fb", is_stretched=False, volume="plain", volume_id="plain")
    | {"array_model": "X", "array_firmware": "v2l7 of a form", "firmware_level": 2007},
)


def test_each_device_is_told_with_what_its_host_and_its_array_say_of_it() -> None:
    assert rows_by_id("device", fleet()) == EXPECTED


def test_what_all_hosts_of_a_vcenter_see_is_told_once() -> None:
    """The family is not known where hosts report two; one that nobody here knows is none."""
    once: dict[tuple[str, str], Row] = {}
    families: dict[tuple[str, str], set[str]] = {}
    for row in EXPECTED.values():
        key = row["endpoint"], row["device"]
        families.setdefault(key, set()).update({row["family"]} - {None})
        named = families[key] - {"other"} or families[key]
        family = next(iter(named)) if len(named) == 1 else None
        once[key] = {**{name: row[name] for name in ("endpoint", "device", "hosts", "host_names")}, "family": family}
    assert rows_of_step("step_seen_device", fleet(), "endpoint", "device") == [once[key] for key in sorted(once)]
