"""A host's storage as vCenter describes it, into rows: adapters, iSCSI targets and parameters, devices, paths."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.shapes import (
    Boxed,
    Capacity,
    HostBusAdapter,
    IscsiTarget,
    LogicalUnit,
    MultipathInfo,
    OptionValue,
    Path,
    Policy,
    Ref,
    ScsiLun,
    Transport,
)
from auditor.endpoints.vcenter.collect.rows import HostSeen
from auditor.endpoints.vcenter.collect.storage import STORAGE_TOPICS, device_name, lower_hex_name, storage_of, wwn

from .answering import ENDPOINT, Found, has

HBAS, DEVICES, PATHS = (f"config.storageDevice.{name}" for name in ("hostBusAdapter", "scsiLun", "multipathInfo"))
HOST = HostSeen(Ref("HostSystem", "host-1"), "esx-1", connected=True, software_iscsi=True)
HERE = {"host_id": "host-1"}
ISCSI, FC, FCOE = "HostInternetScsiHba", "HostFibreChannelHba", "HostFibreChannelOverEthernetHba"


def found(hbas: Any = (), luns: Any = (), units: Any = (), *, topics: Any = STORAGE_TOPICS, missing: dict[str, str] | None = None) -> Found:
    values = {HBAS: list(hbas), DEVICES: list(luns), PATHS: MultipathInfo(lun=list(units))}
    values = {path: value for path, value in values.items() if path not in (missing or {})}
    return Found(storage_of(ENDPOINT, HOST, has("HostSystem", "host-1", values, missing), topics))


def hba(kind: str, device: str = "vmhba1", **more: Any) -> HostBusAdapter:
    return HostBusAdapter(type_name=kind, key=f"key-{device}", device=device, **more)


def test_an_iscsi_adapter_has_a_name_and_a_fibre_channel_one_a_number() -> None:
    given = found(
        [
            hba(
                ISCSI, driver="iscsi_vmk", model=" iSCSI Software Adapter ", status="online", is_software_based=True,
                iscsi_name="IQN.1998-01.com.vmware:ESX1", advanced_options=[OptionValue(key="DelayedAck", value=False)],
            ),
            hba(
                FC, "vmhba2", driver="qlnativefc", status="unknown", port_world_wide_name=-1, is_software_based=True, iscsi_name="iqn.x",
                firmware=" 9.08.02 ",
            ),
            hba(FCOE, "vmhba3", port_world_wide_name=0x2100_F4E9_D400_0001),
            hba("HostRdmaHba", "vmhba4", port_world_wide_name=5, advanced_options=[OptionValue(key="DelayedAck", value=True)]),
        ]
    )  # fmt: skip
    assert given.rows("hba") == [
        HERE
        | {
            "hba": "vmhba1",
            "driver": "iscsi_vmk",
            "model": "iSCSI Software Adapter",
            "kind": "iscsi",
            "status": "online",
            "is_software": True,
            "initiator": "iqn.1998-01.com.vmware:esx1",
            "delayed_ack": False,
        },
        HERE | {"hba": "vmhba2", "driver": "qlnativefc", "kind": "fc", "status": "unknown", "initiator": "f" * 16, "firmware": "9.08.02"},
        HERE | {"hba": "vmhba3", "kind": "fcoe", "initiator": "2100f4e9d4000001"},
        HERE | {"hba": "vmhba4", "kind": "nvme"},
    ]
    assert (given.gaps, given.returned) == ([], frozenset({"iscsi_vmk", "qlnativefc"}))
    assert given.complete == {f"host-1/{topic}": True for topic in STORAGE_TOPICS}


@pytest.mark.parametrize(
    ("type_name", "protocol", "kind"),
    [
        pytest.param(FC, "scsi", "fc", id="SCSI over Fibre Channel"),
        pytest.param(FC, "nvme", "nvme", id="NVMe over Fibre Channel"),
        pytest.param("HostPcieHba", None, "nvme", id="local NVMe"),
        pytest.param("HostTcpHba", None, "nvme", id="NVMe over TCP"),
        pytest.param("HostBlockHba", None, "block", id="a controller of local disks"),
        pytest.param("HostNewerHba", None, None, id="a type nobody knows"),
        pytest.param(FC, "of a later release", None, id="a protocol nobody knows"),
    ],
)
def test_the_kind_of_an_adapter_is_its_type_unless_it_speaks_nvme(type_name: str, protocol: str | None, kind: str | None) -> None:
    given = found([hba(type_name, storage_protocol=protocol)])
    [row] = given.rows("hba")
    assert row.get("kind") == kind
    assert given.complete["host-1/hbas"] is (kind is not None)


def option(key: str, *, value: Any, inherited: bool | None = None) -> OptionValue:
    return OptionValue(key=key, value=value, is_inherited=inherited)


def test_targets_are_listed_with_their_port_and_what_they_inherit() -> None:
    send = IscsiTarget(
        address="198.51.100.1", iscsi_name="IQN.not-of-a-portal", advanced_options=[option("DelayedAck", value=True, inherited=True)]
    )
    static = IscsiTarget(
        address="198.51.100.2", port=3261, iscsi_name="IQN.2010-06.com:X",
        advanced_options=[option("LoginTimeout", value=5), option("DelayedAck", value=Boxed(value=False), inherited=False)],
    )  # fmt: skip
    nameless = IscsiTarget(address="198.51.100.3", advanced_options=[option("DelayedAck", value="odd", inherited=False)])
    adapters = [
        hba(FC, "vmhba2", configured_send_target=[send]),
        hba(ISCSI, configured_send_target=[send], configured_static_target=[static, nameless]),
    ]
    given = found(adapters)
    where = HERE | {"hba": "vmhba1"}
    assert given.rows("iscsi_target") == [
        where | {"kind": "send", "address": "198.51.100.1", "port": 3260, "delayed_ack": True, "delayed_ack_inherited": True},
        where
        | {"kind": "static", "address": "198.51.100.2", "port": 3261, "iqn": "iqn.2010-06.com:x"}
        | {"delayed_ack": False, "delayed_ack_inherited": False},
        where | {"kind": "static", "address": "198.51.100.3", "port": 3260, "delayed_ack_inherited": False},
    ]


def test_every_parameter_of_an_iscsi_adapter_and_its_targets_is_listed() -> None:
    send = IscsiTarget(address="198.51.100.1", advanced_options=[option("NoopOutTimeout", value=10, inherited=True)])
    static = IscsiTarget(address="198.51.100.2", port=3261, iscsi_name="IQN.x:Y", advanced_options=[option("RecoveryTimeout", value=None)])
    nameless = IscsiTarget(address="198.51.100.3", advanced_options=[option("HeaderDigest", value="Prohibited")])
    own = [option("DelayedAck", value=True, inherited=False)]
    given = found(
        [
            hba(FC, "vmhba0", advanced_options=own),
            hba(ISCSI, advanced_options=own, configured_send_target=[send], configured_static_target=[static, nameless]),
            hba(ISCSI, "vmhba3", advanced_options=own),
        ]
    )
    where = HERE | {"hba": "vmhba1"}
    assert given.rows("iscsi_option") == [
        where | {"target": "", "key": "DelayedAck", "value": "true", "is_inherited": False},
        where | {"target": "198.51.100.1:3260", "key": "NoopOutTimeout", "value": "10", "is_inherited": True},
        where | {"target": "198.51.100.2:3261 iqn.x:y", "key": "RecoveryTimeout"},
        where | {"target": "198.51.100.3:3260", "key": "HeaderDigest", "value": "Prohibited"},
        where | {"hba": "vmhba3", "target": "", "key": "DelayedAck", "value": "true", "is_inherited": False},
    ]


def lun(name: str | None, **more: Any) -> ScsiLun:
    return ScsiLun(key=f"lun-{name}", device_name=f"/dev/{name}", canonical_name=name, **more)


def test_a_device_has_what_its_inquiry_gives_and_only_a_disk_a_size() -> None:
    about: dict[str, Any] = {"capacity": Capacity(block=100, block_size=512), "ssd": True, "local_disk": False}
    given = found(
        luns=[
            lun(
                "NAA.600A", type_name="HostScsiDisk", display_name="A disk", vendor="PURE    ", model=" FlashArray ", revision="8888 ",
                lun_type="disk", protocol_endpoint=False, queue_depth=64, vstorage_support="vStorageSupported",
                operational_state=["ok", "degraded"], perennially_reserved=True, **about,
            ),
            lun("mpx.VMHBA1", type_name="ScsiLun", lun_type="cdrom", **about),
            lun("naa.1", type_name="HostScsiDisk"),
        ]
    )  # fmt: skip
    assert given.rows("device") == [
        HERE
        | {
            "device": "naa.600a",
            "display_name": "A disk",
            "vendor": "PURE",
            "model": "FlashArray",
            "revision": "8888",
            "device_type": "disk",
            "is_protocol_endpoint": False,
            "queue_depth": 64,
            "vstorage_support": "vStorageSupported",
            "is_local": False,
            "is_ssd": True,
            "size_bytes": 51200,
            "operational_state": "ok,degraded",
            "perennially_reserved": True,
        },
        HERE | {"device": "mpx.VMHBA1", "device_type": "cdrom", "operational_state": ""},
        HERE | {"device": "naa.1", "operational_state": ""},
    ]


def test_a_device_that_is_listed_twice_or_has_no_name_leaves_devices_open() -> None:
    given = found(luns=[lun("naa.1", vendor="first"), lun("NAA.1", vendor="second"), lun(None), lun("naa.2")])
    assert [(row["device"], row.get("vendor")) for row in given.rows("device")] == [("naa.1", "first"), ("naa.2", None)]
    assert given.gaps == [("devices of esx-1", "naa.1 is listed twice; /dev/None has no canonical name")]
    assert given.complete == {"host-1/hbas": True, "host-1/devices": False, "host-1/paths": True}


ISCSI_TARGET, FC_TARGET, SAS_TARGET, BLOCK_TARGET = (
    f"Host{kind}TargetTransport" for kind in ("InternetScsi", "FibreChannel", "SerialAttached", "BlockAdapter")
)


def path(name: str, adapter: str | None = "key-vmhba1", **more: Any) -> Path:
    return Path(name=name, adapter=adapter, **more)


def test_paths_have_their_device_adapter_transport_and_policies() -> None:
    luns = [lun("naa.1"), lun("naa.2")]
    units = [
        LogicalUnit(
            id="u1", lun="lun-naa.1", policy=Policy(policy="VMW_PSP_RR"), storage_array_type_policy=Policy(policy="VMW_SATP_ALUA"),
            path=[
                path(
                    "p1", state="active", path_state="dead", is_working_path=True,
                    transport=Transport(type_name=ISCSI_TARGET, iscsi_name="IQN.x"),
                ),
                path("p2", path_state="standby", is_working_path=False, transport=Transport(type_name=FC_TARGET, port_world_wide_name=-2)),
            ],
        ),
        LogicalUnit(id="u2", lun="lun-naa.2", path=[path("p3", "key-vmhba2", transport=Transport(type_name=BLOCK_TARGET)), path("p4")]),
        LogicalUnit(id="u3", lun="lun-naa.1", path=[path("p5", transport=Transport(type_name=SAS_TARGET, iscsi_name=""))]),
    ]  # fmt: skip
    given = found([hba(ISCSI), hba(FC, "vmhba2")], luns, units)
    rr = {"psp": "VMW_PSP_RR", "satp": "VMW_SATP_ALUA"}
    one, two = HERE | {"device": "naa.1", "hba": "vmhba1"}, HERE | {"device": "naa.2"}
    assert given.rows("path") == [
        one | rr | {"path": "p1", "state": "active", "is_working": True, "transport": "iscsi", "target": "iqn.x"},
        one | rr | {"path": "p2", "state": "standby", "is_working": False, "transport": "fc", "target": "fffffffffffffffe"},
        two | {"hba": "vmhba2", "path": "p3", "transport": "block"},
        two | {"hba": "vmhba1", "path": "p4"},
        one | {"path": "p5", "transport": "sas"},
    ]
    assert given.gaps == []


def test_a_path_of_no_device_or_adapter_that_was_read_leaves_paths_open() -> None:
    units = [
        LogicalUnit(id="u1", lun="lun-gone", path=[path("p1")]),
        LogicalUnit(id="u2", path=[path("p2")]),
        LogicalUnit(id="u3", lun="lun-naa.1", path=[path("p3", "key-gone"), path("p4"), path("p5", None)]),
    ]
    given = found([hba(FC)], [lun("naa.1")], units)
    assert [(row["path"], row.get("hba")) for row in given.rows("path")] == [("p3", None), ("p4", "vmhba1"), ("p5", None)]
    lost = ["u1 belongs to no device that was read", "u2 belongs to no device that was read", "p3 leaves by no adapter that was read"]
    assert given.gaps == [("paths of esx-1", "; ".join(lost) + "; and 1 more")]
    assert given.complete == {"host-1/hbas": True, "host-1/devices": True, "host-1/paths": False}


def test_a_path_in_a_state_or_over_a_transport_that_is_not_listed_is_in_none_that_is_known() -> None:
    paths = [path("p1", state="resting"), path("p2", state="active", transport=Transport(type_name="HostNewerTargetTransport"))]
    given = found([hba(FC)], [lun("naa.1")], [LogicalUnit(id="u1", lun="lun-naa.1", path=paths)])
    assert [(row["path"], row.get("state"), row.get("transport")) for row in given.rows("path")] == [
        ("p1", None, None),
        ("p2", "active", None),
    ]
    words = ("'HostNewerTargetTransport'", "'resting'")
    assert given.gaps == [("paths of esx-1", "; ".join(f"a path reports {word}, which is not known" for word in words))]


def test_three_reasons_are_all_given() -> None:
    given = found(luns=[lun(None), lun(None), lun(None)])
    assert given.gaps == [("devices of esx-1", "; ".join(["/dev/None has no canonical name"] * 3))]


def test_what_was_not_read_is_a_gap_and_no_answer() -> None:
    given = found(missing={HBAS: "NoPermission"})
    assert given.gaps == [("hbas of esx-1", "NoPermission")]
    assert given.complete == {"host-1/hbas": False, "host-1/devices": True, "host-1/paths": True}
    assert given.returned is None
    nothing = Found(storage_of(ENDPOINT, HOST, has("HostSystem", "host-1", {})))
    assert nothing.gaps == [(f"{topic} of esx-1", "vCenter does not report it") for topic in STORAGE_TOPICS]


def test_topics_that_were_not_requested_give_neither_rows_nor_readings() -> None:
    everything: dict[str, Any] = {
        "hbas": [
            hba(ISCSI, driver="iscsi_vmk", advanced_options=[option("A", value=1)], configured_send_target=[IscsiTarget(address="a")])
        ],
        "luns": [lun("naa.1")],
        "units": [LogicalUnit(id="u1", lun="lun-naa.1", path=[path("p1")])],
    }
    tables = {"hbas": {"hba", "iscsi_target", "iscsi_option"}, "devices": {"device"}, "paths": {"path"}}
    for topic, own in tables.items():
        given = found(**everything, topics=(topic,))
        assert given.tables.keys() == own | {"reading"}
        assert given.complete == {f"host-1/{topic}": True}
        assert given.returned == (frozenset({"iscsi_vmk"}) if topic == "hbas" else None)
    assert found(**everything, topics=()).tables == {}


def test_an_adapter_without_a_key_goes_by_its_device() -> None:
    adapter = HostBusAdapter(type_name=FC, device="vmhba7")
    given = found([adapter], [lun("naa.1")], [LogicalUnit(id="u1", lun="lun-naa.1", path=[path("p1", "vmhba7")])])
    assert given.rows("path") == [HERE | {"device": "naa.1", "hba": "vmhba7", "path": "p1"}]


def test_names_in_hexadecimal_are_written_in_lower_case_and_others_as_they_are() -> None:
    assert [lower_hex_name(name) for name in ("NAA.60AB", "Eui.0A", "naa.60AG", "t10.ATA_Disk", "xnaa.1A")] == [
        "naa.60ab",
        "eui.0a",
        "naa.60AG",
        "t10.ATA_Disk",
        "xnaa.1A",
    ]
    assert device_name(ScsiLun()) is None
    assert (wwn(None), wwn(0), wwn(-1)) == (None, "0" * 16, "f" * 16)
