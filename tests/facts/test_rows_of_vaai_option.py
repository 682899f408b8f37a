"""The whole row of each offload option of a host: what is behind the host, what its cluster has, whether a volume loses its lock."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

MOVE, INIT, LOCK, BEAT = (
    "DataMover.HardwareAcceleratedMove",
    "DataMover.HardwareAcceleratedInit",
    "VMFS3.HardwareAcceleratedLocking",
    "VMFS3.UseATSForHBOnVMFS5",
)
OPTIONS = (MOVE, INIT, LOCK, BEAT)
Told = tuple[str | None, str | None, str | None]
# By host of a cluster, the values of its options.
FOUR = (1, 1, 0, 1), (1, 1, 0, 1), (1, 0, 1, 0), (1, None, None, 0)
THREE = (1, 0, 2, 1), (1, 0, 2, 2), (0, 1, 2, None)
STRANGE: Row = {**seen("naa.emc", "flasharray"), "vendor": "EMC", "model": "SYMMETRIX", "size_bytes": 2**40}

# Model, generation and firmware as fleet.yaml declares them; whether such an array is affected; the text of the view.
# Source of what is affected: docs/domain/facts.md#3-5, an S1 (DX60, DX80, DX90) below V10L68; of the DX90 S2 nobody knows.
DECLARED: dict[str, tuple[Told, bool | None, str]] = {
    "60 S1 old": (("DX60", "S1", "V10L67"), True, "DX60 S1 V10L67"),
    "80 S1 old": (("DX80", "S1", "V10L67"), True, "DX80 S1 V10L67"),
    "90 S1 old": ((" FUJITSU ETERNUS dx90 x", " s1 ", "v10l67"), True, " FUJITSU ETERNUS dx90 x  s1  v10l67"),
    "60 S1": (("DX60", "S1", "V10L68"), False, "DX60 S1 V10L68"),
    "80 S1": (("DX80", "S1", "V10L68"), False, "DX80 S1 V10L68"),
    "90 S1": (("ETERNUS DX90", "S1", "V10L68"), False, "ETERNUS DX90 S1 V10L68"),
    "another product": (("DX410", "S1", "V10L67"), False, "DX410 S1 V10L67"),
    "S1 of no product": (("VX700", "S1", "V10L68"), False, "VX700 S1 V10L68"),
    "old S1 of no product": ((None, "S1", "V10L67"), None, "model not declared S1 V10L67"),
    "S1 of no firmware": (("DX90", "S1", None), None, "DX90 S1 firmware not declared"),
    "90 S2": (("DX90", "S2", "V10L68"), None, "DX90 S2 V10L68"),
    "80 S2": (("DX80", "S2", "V10L67"), False, "DX80 S2 V10L67"),
    "S2 of no product": ((None, "S2", None), None, "model not declared S2 firmware not declared"),
    "90 S3": (("DX90", "S3", "V10L67"), False, "DX90 S3 V10L67"),
    "80 of no generation": (("DX80", None, "V10L68"), False, "DX80 generation not declared V10L68"),
    "90 of no generation": (("DX90", None, "V10L68"), None, "DX90 generation not declared V10L68"),
    "old 80 of no generation": (("DX80", "first", "V10L67"), None, "DX80 first V10L67"),
    "60 of no firmware": (("DX60", "S1", None), None, "DX60 S1 firmware not declared"),
    "model alone": (("DX80", None, None), None, "DX80 generation not declared firmware not declared"),
    "firmware alone": ((None, None, "V10L68"), None, "model not declared generation not declared V10L68"),
    "nothing": ((None, None, None), None, "undeclared"),
}
SOURCED = {"60 S1", "80 S1", "90 S1"}


def values(given: Facts, endpoint: str, host_id: str, *arguments: int | str | None) -> None:
    """The host's options, in order; None: it does not list it."""
    key = {"endpoint": endpoint, "host_id": host_id}
    add(
        given,
        "host_option",
        *({**key, "key": option, "value": str(value)} for option, value in zip(OPTIONS, arguments, strict=True) if value is not None),
    )


def lone(
    given: Facts, name: str, *devices: Row, unread: Collection[str] = (), reported: tuple[int | None, ...] = (1, 1, 1, 1), **more: Any
) -> None:
    """A host in no cluster, whose id is its name."""
    host(given, "vc", name, name, None, unread=unread, **{"vsan_enabled": False, **more})
    values(given, "vc", name, *reported)
    add(given, "device", *({**device, "endpoint": "vc", "host_id": name} for device in devices))


def lock(given: Facts, host_id: str, **modes: str | None) -> None:
    """The VMFS volumes that a host mounts, each with its locking mode."""
    key = {"endpoint": "vc", "host_id": host_id}
    add(given, "vmfs_lockmode", *({**key, "volume_name": name, "vmfs_uuid": name, "locking_mode": mode} for name, mode in modes.items()))


def fleet() -> Facts:
    given: Facts = {"reading": []}
    vcenter(given, "vc")
    vcenter(given, "vc-2", unread={"hosts"})
    _declared(given)
    _behind(given)
    _clusters(given)
    _locks(given)
    return given


def _declared(given: Facts) -> None:
    """A host for each declared array."""
    for name, ((model, generation, firmware), _, _) in DECLARED.items():
        lone(given, name, seen(f"naa.{name}", "eternus-dx"))
        add(given, "declared", {"devices": f"naa.{name}", "model": model, "generation": generation, "firmware": firmware})
    add(given, "declared", {"devices": "naa.600000e00d1*", "model": "DX90", "generation": "S1", "firmware": "V10L68"})


def _behind(given: Facts) -> None:
    """Hosts with several arrays, with others beside, and with none."""
    old, new = seen("naa.90 S1 old", "eternus-dx"), seen("naa.90 S1", "eternus-dx")
    pure, doubted = seen("naa.pure", "flasharray"), seen("naa.90 S2", "eternus-dx")
    for name, qos in (("et-1", 100), ("et-2", 200)):
        volumes = [{"name": f"{name} {n}", "volume_id": f"{n}", "device": f"naa.{name} {n}", "qos_max_iops": qos} for n in (1, 2)]
        array(given, name, EndpointKind.ETERNUS, *volumes)
        given["array"][-1] |= {"model": "DX80", "generation": "S1", "version": "V10L67"}
    arrays = [seen(f"naa.et-{name}", "eternus-dx") for name in ("1 1", "1 2", "2 1")]
    lone(given, "two arrays", *arrays)
    lone(given, "one array", *arrays[:2])
    lone(given, "affected and others", old, new, doubted)
    lone(given, "affected and unknown", old, doubted)
    lone(given, "by name", {**seen("naa.600000e00d1", "eternus-dx"), "vendor": "nobody's"})
    lone(given, "beside", old, pure)
    lone(given, "pure", pure)
    lone(given, "symmetrix", STRANGE)
    lone(given, "not known", old, {**seen("naa.?", "flasharray"), "vendor": None})
    lone(given, "only not known", {**seen("naa.?", "flasharray"), "vendor": None})
    lone(given, "none")
    lone(given, "unread", new, unread={"devices"})
    lone(given, "unread and none", unread={"devices"})
    lone(given, "unread and affected", old, unread={"devices"})
    host(given, "vc-2", "pure", "far", None)
    add(
        given,
        "device",
        {**doubted, "endpoint": "vc-2", "host_id": "pure"},
        {**doubted, "endpoint": "vc-2", "host_id": "pure", "device": "naa.?", "vendor": None},
    )


def _clusters(given: Facts) -> None:
    """Clusters in which hosts differ in each option otherwise."""
    for n, reported in enumerate(FOUR, 1):
        host(given, "vc", f"four-{n}", f"four-{n}", "four", vsan_enabled=None)
        values(given, "vc", f"four-{n}", *reported)
    for n, told_3 in enumerate(THREE, 1):
        host(given, "vc", f"three-{n}", f"three-{n}", "three", vsan_enabled=None)
        values(given, "vc", f"three-{n}", *told_3)
    host(given, "vc-2", "four-1", "far four", "four", vsan_enabled=None)
    values(given, "vc-2", "four-1", 0, 0, 0, "x")
    devices = {"known": seen("naa.k", "flasharray"), "strange": STRANGE, "on": seen("naa.k", "flasharray"), "strange and on": STRANGE}
    for name, device in devices.items():
        host(given, "vc", name, name, "behind", vsan_enabled=False)
        values(given, "vc", name, *[int(name.endswith("on"))] * 4)
        add(given, "device", {**device, "endpoint": "vc", "host_id": name})
    disk = seen("naa.s", "flasharray")
    own = {**disk, "device": "mpx.own", "is_local": True}
    sharing: dict[str, tuple[int, list[Row]]] = {"a": (1, [disk]), "b": (0, [disk]), "no disk": (0, [own])}
    for name, (value, disks) in sharing.items():
        host(given, "vc", f"shares: {name}", f"shares: {name}", "shares", vsan_enabled=False)
        values(given, "vc", f"shares: {name}", 1, value, 1, 1)
        add(given, "device", *({**one, "endpoint": "vc", "host_id": f"shares: {name}"} for one in disks))
    beats: dict[str, tuple[Collection[str], Row | None]] = {
        "both vendors": ((), seen("naa.o", "ontap")),
        "dell": ((), seen("naa.d", "dell-sc")),
        "unread devices": (("devices",), None),
        "no inquiry": ((), {**seen("naa.?", "ontap"), "vendor": None}),
    }
    for name, (unread, shared) in beats.items():
        host(given, "vc", name, name, "beating", unread=unread, vsan_enabled=False)
        values(given, "vc", name, 1, 1, 1, 0)
        if shared is not None:
            add(given, "device", {**shared, "endpoint": "vc", "host_id": name})
    add(given, "device", {**seen("naa.p", "flasharray"), "endpoint": "vc", "host_id": "both vendors"})


def _locks(given: Facts) -> None:
    off = (1, 1, 0, 1)
    lone(given, "lock: ATS", reported=off)
    lock(given, "lock: ATS", b="ATS", a="atomic", c="SCSI", d="ats+scsi", e=None)
    lone(given, "lock: one ATS", reported=off)
    lock(given, "lock: one ATS", a="ATS")
    lone(given, "lock: on", reported=(1, 1, 1, 1))
    lock(given, "lock: on", a="ATS")
    lone(given, "lock: SCSI", reported=off)
    lock(given, "lock: SCSI", c="SCSI", d="ATS+SCSI")
    lone(given, "lock: not known", reported=off)
    lock(given, "lock: not known", c="SCSI", d=None)
    lone(given, "lock: not listed", reported=(1, 1, None, 1))
    lock(given, "lock: not listed", a="ATS")
    lone(given, "lock: vSAN", reported=off, vsan_enabled=True)
    lone(given, "lock: vSAN not known", reported=off, vsan_enabled=None)
    lone(given, "lock: unread", reported=off, unread={"lockmode"})
    lone(given, "lock: another value", reported=(1, 1, 2, 1))
    lock(given, "lock: another value", a="ATS")
    add(given, "vmfs_lockmode", {"endpoint": "vc-2", "host_id": "lock: SCSI", "volume_name": "a", "locking_mode": "ATS"})


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": None,
    "value": 1,
    "majority_value": 1,
    "differs_from_cluster": False,
    "has_block_storage": True,
    "loses_locking": None,
    "serves_eternus": False,
    "serves_affected_eternus": False,
    "eternus_arrays": None,
    "eternus_array_names": None,
    "eternus_devices": None,
    "eternus_volumes": None,
    "eternus_qos": None,
    "families": "",
    "arrays_punished": "",
    "ats_only_volumes": None,
    "vsan_enabled": False,
    "offload_is_sourced": False,
    "unsourced_arrays": "",
    "hosts_left_off": 0,
    "hosts_not_on": 0,
    "eternus_doubts": None,
}
UNLISTED: Row = {"value": None, "majority_value": None, "differs_from_cluster": None}
OLD = DECLARED["90 S1 old"][2]
MAY_BE_VSAN: Row = {"has_block_storage": None, "vsan_enabled": None}
DISKLESS: Row = {"has_block_storage": False, "majority_value": None}


def rows(host_id: str, options: Mapping[str, Row] | None = None, **more: object) -> list[Row]:
    """The rows of a host's four options, with what one of them has otherwise."""
    found = []
    for option in OPTIONS:
        names = {"resource_id": f"{host_id}/{option}", "resource_name": option, "option": option, "is_primitive": option != BEAT}
        own = (options or {}).get(option, {})
        unlocked = {"loses_locking": False} if option == LOCK and own.get("value", 1) == 1 and more.get("endpoint") != "vc-2" else {}
        found.append({"host": host_id, "host_id": host_id} | names | unlocked | more | own)
    return found


def eternus(host_id: str, arrays: str, *, affected: bool | None, **more: object) -> list[Row]:
    """A host that serves an ETERNUS alone; where it is surely not affected, it is among `arrays_punished`."""
    about: Row = {
        "serves_eternus": True,
        "serves_affected_eternus": affected,
        "eternus_arrays": arrays,
        "eternus_devices": f"naa.{host_id}",
    }
    about |= {
        "families": "eternus-dx",
        "arrays_punished": "other eternus-dx" if affected is False else "",
        "unsourced_arrays": f"ETERNUS {arrays}",
    }
    return rows(host_id, None, **about | more)


def of_cluster(name: str, n: int, *arguments: tuple[int | None, int | None, bool | None, int], **more: object) -> list[Row]:
    """By option: the host's value, the majority's, whether it differs, and how many others are not on; none of them sees any array."""
    keys = ("value", "majority_value", "differs_from_cluster", "hosts_left_off")
    own = {option: dict(zip(keys, one, strict=True)) for option, one in zip(OPTIONS, arguments, strict=True)}
    # No host of a cluster sees a device, so no source says that any bears offload, and no vendor asks for the heartbeat.
    others = [values for at, values in enumerate(FOUR if name == "four" else THREE, 1) if at != n and more.get("endpoint") != "vc-2"]
    for at, option in enumerate(OPTIONS):
        own[option]["hosts_not_on"] = own[option]["hosts_left_off"] = sum(values[at] != 1 for values in others)
    return rows(f"{name}-{n}", own, cluster=name, **MAY_BE_VSAN | more)


def behind(host_id: str, value: int, left_off: int, not_on: int, *, sourced: bool) -> list[Row]:
    """A host of a cluster in which two are on and two are not; of one of each a source says that its array bears offload."""
    family = "flasharray" if sourced else "symmetrix"
    about: Row = {
        "families": family,
        "arrays_punished": family,
        "offload_is_sourced": sourced,
        "unsourced_arrays": "" if sourced else family,
    }
    about |= {"value": value, "majority_value": None, "differs_from_cluster": True, "hosts_left_off": left_off, "hosts_not_on": not_on}
    return rows(host_id, {LOCK: {"loses_locking": False}}, cluster="behind", **about)


def shares(name: str, init: int, left_off: int, not_on: int, **more: object) -> list[Row]:
    """A host of a cluster whose two hosts with a disk are of two opinions; a third has none, and makes no majority."""
    own: Row = {"value": init, "majority_value": None, "differs_from_cluster": True, "hosts_left_off": left_off, "hosts_not_on": not_on}
    about: Row = {"families": "flasharray", "arrays_punished": "flasharray", "offload_is_sourced": True}
    return rows(f"shares: {name}", {INIT: own}, cluster="shares", **about | more)


def beating(host_id: str, left_off: int, **more: object) -> list[Row]:
    """A host of a cluster of four without heartbeat; on three of them nobody may switch it on unasked."""
    beat: Row = {"value": 0, "majority_value": 0, "hosts_left_off": left_off, "hosts_not_on": 3}
    return rows(host_id, {BEAT: beat}, cluster="beating", **more)


def lock_rows(
    name: str, volumes: str | None = None, value: int | None = 0, majority: int | None = 0, *, loses: bool | None, **more: object
) -> list[Row]:
    differs = None if value is None else False
    own = {"value": value, "majority_value": majority, "differs_from_cluster": differs, "loses_locking": loses}
    if "vsan_enabled" not in more:
        more, own = DISKLESS | more, own | DISKLESS
    return rows(f"lock: {name}", {LOCK: own}, ats_only_volumes=volumes, **more)


UNKNOWN: Row = {"serves_affected_eternus": None, "families": None, "arrays_punished": None}
EXPECTED = expected(
    USUAL,
    *(
        row
        for name, (_, affected, text) in DECLARED.items()
        for row in eternus(
            name,
            text,
            affected=affected,
            eternus_doubts=text if name == "90 S2" else None,
            **{"offload_is_sourced": True, "unsourced_arrays": ""} if name in SOURCED else {},
        )
    ),
    *eternus(
        "two arrays",
        "DX80 S1 V10L67",
        affected=True,
        eternus_array_names="et-1, et-2",
        eternus_devices="naa.et-1 1, naa.et-1 2, naa.et-2 1",
        eternus_volumes="et-1 1, et-1 2, et-2 1",
        eternus_qos="the volume itself: 100 IOPS; the volume itself: 200 IOPS",
    ),
    *eternus(
        "one array",
        "DX80 S1 V10L67",
        affected=True,
        eternus_array_names="et-1",
        eternus_devices="naa.et-1 1, naa.et-1 2",
        eternus_volumes="et-1 1, et-1 2",
        eternus_qos="the volume itself: 100 IOPS",
    ),
    *eternus(
        "affected and others",
        f"{OLD}, DX90 S2 V10L68, ETERNUS DX90 S1 V10L68",
        affected=True,
        eternus_devices="naa.90 S1, naa.90 S1 old, naa.90 S2",
        arrays_punished="other eternus-dx",
        unsourced_arrays=f"ETERNUS {OLD}, ETERNUS DX90 S2 V10L68",
        eternus_doubts="DX90 S2 V10L68",
    ),
    *eternus(
        "affected and unknown",
        f"{OLD}, DX90 S2 V10L68",
        affected=True,
        eternus_devices="naa.90 S1 old, naa.90 S2",
        unsourced_arrays=f"ETERNUS {OLD}, ETERNUS DX90 S2 V10L68",
        eternus_doubts="DX90 S2 V10L68",
    ),
    *eternus(
        "by name", "DX90 S1 V10L68", affected=False, eternus_devices="naa.600000e00d1", unsourced_arrays="other, ETERNUS DX90 S1 V10L68"
    ),
    *eternus(
        "beside", OLD, affected=True, eternus_devices="naa.90 S1 old", families="eternus-dx, flasharray", arrays_punished="flasharray"
    ),
    *rows("pure", families="flasharray", arrays_punished="flasharray", offload_is_sourced=True),
    *rows("symmetrix", families="symmetrix", arrays_punished="symmetrix", unsourced_arrays="symmetrix"),
    *eternus(
        "not known",
        OLD,
        affected=True,
        eternus_devices="naa.90 S1 old",
        unsourced_arrays=f"inquiry not read, ETERNUS {OLD}",
        families=None,
        arrays_punished=None,
    ),
    *rows("only not known", **UNKNOWN, serves_eternus=None, unsourced_arrays="inquiry not read"),
    *rows("none", **DISKLESS),
    *eternus(
        "unread",
        "ETERNUS DX90 S1 V10L68",
        affected=None,
        eternus_devices="naa.90 S1",
        families=None,
        arrays_punished=None,
        offload_is_sourced=None,
        unsourced_arrays="",
    ),
    *rows("unread and none", **UNKNOWN, has_block_storage=None, serves_eternus=None, offload_is_sourced=None),
    *eternus("unread and affected", OLD, affected=True, eternus_devices="naa.90 S1 old", families=None, arrays_punished=None),
    *eternus(
        "pure",
        "DX90 S2 V10L68",
        affected=None,
        endpoint="vc-2",
        vsan_enabled=None,
        host="far",
        eternus_devices="naa.90 S2",
        families=None,
        arrays_punished=None,
        unsourced_arrays="inquiry not read, ETERNUS DX90 S2 V10L68",
        eternus_doubts="DX90 S2 V10L68",
        **UNLISTED,
    ),
    *of_cluster("four", 1, (1, 1, False, 0), (1, 1, None, 2), (0, 0, None, 2), (1, None, True, 2)),
    *of_cluster("four", 2, (1, 1, False, 0), (1, 1, None, 2), (0, 0, None, 2), (1, None, True, 2)),
    *of_cluster("four", 3, (1, 1, False, 0), (0, 1, True, 1), (1, 0, True, 3), (0, None, True, 1)),
    *of_cluster("four", 4, (1, 1, False, 0), (None, 1, None, 1), (None, 0, None, 2), (0, None, True, 1)),
    *of_cluster("three", 1, (1, 1, False, 1), (0, 0, False, 1), (2, None, False, 2), (1, 1, None, 2)),
    *of_cluster("three", 2, (1, 1, False, 1), (0, 0, False, 1), (2, None, False, 2), (2, 1, True, 1)),
    *of_cluster("three", 3, (0, 1, True, 0), (1, 0, True, 2), (2, None, False, 2), (None, 1, None, 1)),
    *of_cluster("four", 1, (0, 0, None, 0), (0, 0, None, 0), (0, 0, None, 0), (None, None, None, 0), endpoint="vc-2", host="far four"),
    *behind("known", 0, 1, 1, sourced=True),
    *behind("strange", 0, 0, 1, sourced=False),
    *behind("on", 1, 1, 2, sourced=True),
    *behind("strange and on", 1, 1, 2, sourced=False),
    *shares("a", 1, left_off=0, not_on=1),
    *shares("b", 0, left_off=0, not_on=0),
    *shares("no disk", 0, left_off=0, not_on=1, has_block_storage=False, families="", arrays_punished="", offload_is_sourced=False),
    *beating("both vendors", 3, families="flasharray, ontap", arrays_punished="flasharray, ontap", offload_is_sourced=True),
    *beating("dell", 2, families="dell-sc", arrays_punished="dell-sc", offload_is_sourced=True),
    *beating("unread devices", 2, **UNKNOWN, has_block_storage=None, serves_eternus=None, offload_is_sourced=None),
    *beating("no inquiry", 2, **UNKNOWN, serves_eternus=None, unsourced_arrays="inquiry not read"),
    *lock_rows("ATS", "a, b", loses=True),
    *lock_rows("one ATS", "a", loses=True),
    *lock_rows("on", "a", 1, 1, loses=False),
    *lock_rows("SCSI", loses=False),
    *lock_rows("not known", loses=None),
    *lock_rows("not listed", "a", None, None, loses=None),
    *lock_rows("vSAN", "vSAN", loses=True, vsan_enabled=True),
    *lock_rows("vSAN not known", loses=None, **MAY_BE_VSAN),
    *lock_rows("unread", loses=None),
    *lock_rows("another value", "a", 2, None, loses=None),
)


def test_each_option_is_told_with_what_is_behind_its_host_and_what_its_cluster_has() -> None:
    assert rows_by_id("vaai_option", fleet()) == EXPECTED
