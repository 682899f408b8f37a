"""One record of a Dot Hill array to one row of a fact table.

Fields are those of recorded answers: an ME5084 (edingc/powervault_me5_exporter, internal/collector/testdata), an ME4024
(alexandergott-afk/jt-pve-storage-dellemc, t/fixtures/powervault), an MSA 2040 (sodafoundation/delfin, tests of hpe_msa) and an older MSA
(Checkmk, hp_msa_volume). Types: Seagate/seagate-exos-x-api-go, api/mc-openapi.yaml. Not verified against an array by us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.alerts import alert_row, severity_of
from auditor.facts.node_states import IS_UP

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

FAMILY = "dothill"
BLOCK_BYTES = 512
"""What sizes named -numeric are counted in. Source: Checkmk and cinder multiply by it; recorded 195507806208 of "100.0TB"."""

TIERS = ("Performance", "Standard", "Archive")
"""Tiers that hold data. Source: Dell 3922-BP-VM, page 8. "Read Cache" holds copies alone (enix/hpmsa_exporter: RFC)."""

LONGEST_SAMPLE_SECONDS = 600
"""An average over a longer time is none of now. Recorded samples took 15 and 31 seconds; an array that nobody asks may take longer."""

_SEVERITIES = {"CRITICAL": "critical", "ERROR": "error", "WARNING": "warning", "INFORMATIONAL": "info"}
"""Recorded in `show alerts`: WARNING, INFORMATIONAL; in `show events`: ERROR. CRITICAL is not recorded."""

_HEALTH = {"OK": None, "Degraded": "warning", "Fault": "critical", "Unknown": None, "N/A": None}
"""What the health of the array means. Only OK is recorded. Source: MSA CLI reference, health (asand3r/zbx-hpmsa, its value map)."""

_HEALTH_NUMBERS = tuple(_HEALTH)
"""health-numeric is the place in it. Source: HP's guide of the MSA 1040, by asand3r/zbx-hpmsa#19; recorded is 0 beside OK."""

_YES_NO = {"Yes": True, "No": False}


def array_row(system: Record, versions: Iterable[Mapping[str, Any]]) -> Row:
    """A row of array; its version is the bundle's, where both controllers run the same one."""
    bundles = {str(one["bundle-version"]) for one in versions if one.get("bundle-version")}
    return {
        "family": FAMILY,
        "name": system.text("system-name"),
        "array_id": system.text("midplane-serial-number"),
        "version": ", ".join(sorted(bundles)) or None,
        "model": system.optional_text("product-id"),
    }


def health_of(record: Record) -> str | None:
    """The health of an object as a word of the reference; None, and a parse error, where its word and its number say two things.

    The word may be in the language of the account (inferred: accounts have one); then the number tells. A word that is not known beside no
    known number stays as it is, and means nothing to anybody.
    """
    number = str(record.value.get("health-numeric", ""))
    by_number = _HEALTH_NUMBERS[int(number)] if number in map(str, range(len(_HEALTH_NUMBERS))) else None
    if record.value.get("health") is None and by_number is not None:
        return by_number
    word = record.text("health")
    if by_number is None or word is None or word == by_number:
        return word
    if word not in _HEALTH:
        return by_number
    record.parse_errors.add("health", record.label, f"is {word!r}, and {by_number!r} by its number")
    return None


def _listed_health(record: Record, known: Collection[str]) -> str | None:
    """As `health_of`; a word that is not among `known` is a parse error."""
    health = health_of(record)
    if health is None or health in known:
        return health
    record.parse_errors.add("health", record.label, f"is {health[:40]!r}, which is not known")
    return None


def node_row(controller: Record) -> Row:
    """A row of array_node. Firmware before MSA 2040's reports no status in it (delfin's record); then its health is the state."""
    states = IS_UP[FAMILY]
    return {
        "node_id": controller.identifier("controller-id"),
        "name": controller.text("controller-id"),
        "state": controller.listed("status", states) if controller.value.get("status") else _listed_health(controller, states),
        "version": controller.optional_text("sc-fw"),
        "model": controller.optional_text("model"),
    }


def fault_row(alert: Record) -> Row:
    """A row of array_alert."""
    acknowledged = alert.listed("acknowledged", _YES_NO, needed=True)
    return alert_row(
        alert.identifier("id"),
        severity_of(alert, "severity", _SEVERITIES),
        alert.optional_text("reason") or alert.optional_text("description"),
        code=alert.optional_text("condition-id"),
        component=alert.optional_text("component"),
        is_open=None if acknowledged is None else not _YES_NO[acknowledged],
    )


def health_row(system: Record) -> Row | None:
    """A row of array_alert for the health of the whole array; None where it is OK, or the array does not know it.

    Another word may be anything, and is a parse error.
    """
    health = _listed_health(system, _HEALTH)
    if health is None or _HEALTH[health] is None:
        return None
    return alert_row("health", (health, _HEALTH[health]), system.optional_text("health-reason"), component="system")


def data_tiers(pool: Record) -> list[str] | None:
    """The tiers of a virtual pool that have disks and hold data; None where that is not understood, or it has no tiers."""
    listed = pool.value.get("tiers")
    if not isinstance(listed, list) or not listed:
        return None
    found = []
    for one in listed:
        tier = one.get("tier") if isinstance(one, dict) else None
        disks = str(one.get("diskcount", "")) if isinstance(one, dict) else ""
        if not isinstance(tier, str) or not disks.isdecimal():
            pool.parse_errors.add("tiers", pool.label, "hold what is no tier")
            return None
        if tier in TIERS and int(disks) > 0:
            found.append(tier)
        elif tier not in TIERS and "cache" not in tier.lower():
            pool.parse_errors.add("tiers", pool.label, f"hold {tier[:40]!r}, which is not known")
            return None
    return found


def pool_row(pool: Record, tiers: Sequence[str] | None, slowest_rpm: int | None) -> Row:
    """A row of array_pool: a virtual or a linear pool; `tiers` are its `data_tiers`.

    Performance is the tier of SSDs, the others are of disks that spin. Source: Dell 3922-BP-VM, page 8.
    """
    groups = [one for one in pool.value.get("disk-groups") or () if isinstance(one, dict)]
    kinds = {"ssd" if tier == TIERS[0] else "hdd" for tier in tiers or ()}
    if tiers is None:
        kinds = {"ssd" if "SSD" in str(one["disk-description"]) else "hdd" for one in groups if one.get("disk-description")}
    counts = [str(one.get("diskcount", "")) for one in groups]
    return {
        "pool_id": pool.identifier("serial-number"),
        "name": pool.text("name"),
        "node_id": pool.identifier("owner") if "owner" in pool.value else None,
        "media": None if not kinds else kinds.pop() if len(kinds) == 1 else "mixed",
        "rpm": slowest_rpm,
        "disks": sum(map(int, counts)) if counts and all(map(str.isdecimal, counts)) else None,
        "raid_type": ", ".join(sorted({str(one["raidtype"]) for one in groups if one.get("raidtype")})) or None,
        "size_bytes": in_bytes(pool, "total-size-numeric"),
    }


def in_bytes(record: Record, name: str) -> int | None:
    """A size that is counted in blocks; None where a block of this array is another one than has been seen."""
    if "blocksize" in record.value and record.number("blocksize") != BLOCK_BYTES:
        record.parse_errors.add("blocksize", record.label, "is not 512, and what sizes are counted in then is not known")
        return None
    blocks = record.number(name)
    return None if blocks is None else blocks * BLOCK_BYTES


def volume_row(volume: Record, tiers: Mapping[str, int | None]) -> Row:
    """A row of array_volume. No volume has a ceiling: nothing public of these arrays has one.

    Args:
        volume: of `show volumes`.
        tiers: how many tiers hold data, by the pool's id. A tier affinity pins nothing: it says where blocks go first (3922-BP-VM, page 8).
    """
    pool_id = next((volume.identifier(name) for name in ("container-serial", "virtual-disk-serial") if volume.value.get(name)), None)
    is_linear = volume.value.get("storage-type") == "Linear"
    parent = volume.optional_text("volume-parent")
    return {
        "volume_id": volume.identifier("serial-number"),
        "name": volume.text("volume-name"),
        "kind": "lun",
        "serial": volume.text("serial-number"),
        "device": volume.device("wwn"),
        "is_virtual": False,  # its "virtual volumes" are no vVols (3922-BP-VM, page 7)
        "vvol_id": None,
        "status": health_of(volume),
        "size_bytes": in_bytes(volume, "total-size-numeric"),
        "pool_id": pool_id,
        "copy_of": parent.lower() if parent else None,
        "tiering": volume.optional_text("tier-affinity"),
        "tiers": 1 if is_linear else tiers.get(pool_id or ""),
        "owner_id": volume.identifier("owner") if "owner" in volume.value else None,
        "preferred_owner_id": volume.identifier("preferred-owner") if "preferred-owner" in volume.value else None,
        "qos_policy_id": None,
        "qos_policy": None,
        "qos_min_iops": None,
        "qos_max_iops": None,
        "qos_burst_iops": None,
        "qos_max_bytes_per_second": None,
        "qos_shared": None,
        "qos_read": True,
        "qos_curve": None,
    }


def load_row(load: Record, *, is_current: bool) -> Row:
    """A row of array_volume_load. Its figures are None where its sample is old, or took long: an average over an hour says nothing of now.

    The row stays, as a volume without one counts as idle. Counters since the last reset are left out. No record has a response time.

    Args:
        load: of `show volume-statistics`.
        is_current: `is_of_now` says so.
    """
    iops, rate = (load.number("iops"), load.number("bytes-per-second-numeric")) if is_current else (None, None)
    return {
        "volume_id": load.identifier("serial-number"),
        "average_io_bytes": rate // iops if iops and rate is not None else None,
        "actual_iops": iops,
        "utilization": None,
        "latency_us": None,
        "client_queue_depth": None,
        "bytes_per_second": rate,
    }


def is_of_now(load: Record, now: int | None) -> bool:
    """Whether the newest sample of a volume is short, and ended a short time before `now`: the array's own clock, by the same answer."""
    began, ended = (load.number(f"{edge}-sample-time-numeric") for edge in ("start", "stop"))
    if began is None or ended is None or now is None:
        return False
    return 0 < ended - began <= LONGEST_SAMPLE_SECONDS and 0 <= now - ended <= LONGEST_SAMPLE_SECONDS


def pool_load_row(load: Record) -> Row | None:
    """A row of array_pool_load; None where its sample took long, by `time-since-sample`, in seconds.

    Response times are in microseconds [?]: no public source says so, a recorded 12001 beside 192 operations a second fits no other unit.
    """
    figures = load.value.get("resettable-statistics")
    first = figures[0] if isinstance(figures, list) and figures and isinstance(figures[0], dict) else None
    if first is None:
        load.parse_errors.add("resettable-statistics", load.label, "are missing")
        return None
    own = type(load)(first, load.label, load.parse_errors, "resettable-statistics.")
    seconds = own.number("time-since-sample")
    if seconds is None or seconds > LONGEST_SAMPLE_SECONDS:
        return None
    return {
        "pool_id": load.identifier("serial-number"),
        "current_ops": own.real("iops"),
        "current_latency_us": own.real("avg-rsp-time"),
    }
