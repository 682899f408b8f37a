"""Records of a Dot Hill array into rows. Values are typed by hand from public records; each case names its source."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.dothill import rows

# Checkmk, hp_msa_volume: a volume of an older MSA with linear storage, all values as text, as XML has them.
LINEAR = {
    "volume-name": "U1_B01-04_v0001",
    "total-size-numeric": "2341789696",
    "storage-type": "Linear",
    "preferred-owner": "A",
    "owner": "A",
    "serial-number": "00c0ff1ec44a00008425415501000000",
    "volume-parent": "",
    "wwn": "600C0FF0001EC44A8425415501000000",
    "container-serial": "00c0ff1ec44a00001e23415500000000",
    "health": "OK",
}


# edingc/powervault_me5_exporter, testdata/volumes.json: a volume of an ME5084 with virtual storage.
VIRTUAL = {
    "volume-name": "projects",
    "total-size-numeric": 195507806208,
    "storage-type": "Virtual",
    "preferred-owner": "B",
    "owner": "A",
    "serial-number": "00c0fffa39f700005f95066801000000",
    "tier-affinity": "No Affinity",
    "blocksize": 512,
    "volume-parent": "",
    "wwn": "600C0FF000FA39F75F95066801000000",
    "container-serial": "00c0fffa39f700001395066801000000",
    "health": "OK",
}


POOL = "00c0fffa39f700001395066801000000"


def record(value: dict[str, Any]) -> Record:
    return Record(value, "it", ParseErrors("show x"))


def errors(found: Record) -> list[tuple[str, str]]:
    return [(gap.what.removeprefix("show x: "), gap.why) for gap in found.parse_errors.gaps("msa")]


def some(row: dict[str, Any] | None, *names: str) -> tuple[Any, ...]:
    assert row is not None
    return tuple(row[name] for name in names)


VOLUME = ("volume_id", "name", "device", "status", "size_bytes", "pool_id", "copy_of", "tiering", "tiers", "owner_id", "preferred_owner_id")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            LINEAR,
            ("00c0ff1ec44a00008425415501000000", "U1_B01-04_v0001", "naa.600c0ff0001ec44a8425415501000000", "OK", 1198996324352,
             "00c0ff1ec44a00001e23415500000000", None, None, 1, "a", "a"),
            id="linear: its blocks never move; 2,341,789,696 blocks are the 1,198.9 GB that it says",
        ),
        pytest.param(
            VIRTUAL,
            ("00c0fffa39f700005f95066801000000", "projects", "naa.600c0ff000fa39f75f95066801000000", "OK", 100099996778496,
             POOL, None, "No Affinity", 2, "a", "b"),
            id="virtual: 100.0TB, tiers of its pool, served by the other controller",
        ),
        pytest.param(
            {**VIRTUAL, "volume-parent": "00C0FFFA39F700006F95066801000000", "tier-affinity": "Archive"},
            ("00c0fffa39f700005f95066801000000", "projects", "naa.600c0ff000fa39f75f95066801000000", "OK", 100099996778496,
             POOL, "00c0fffa39f700006f95066801000000", "Archive", 2, "a", "b"),
            id="a snapshot; an affinity pins nothing",
        ),
        pytest.param(
            {name: cell for name, cell in LINEAR.items() if name not in ("container-serial", "owner", "preferred-owner")}
            | {"virtual-disk-serial": "00C0FF1EC44A00001E23415500000000"},
            ("00c0ff1ec44a00008425415501000000", "U1_B01-04_v0001", "naa.600c0ff0001ec44a8425415501000000", "OK", 1198996324352,
             "00c0ff1ec44a00001e23415500000000", None, None, 1, None, None),
            id="firmware that names the pool a virtual disk, and no owner",
        ),
    ],
)  # fmt: skip
def test_a_volume_is_one_row(value: dict[str, Any], expected: tuple[Any, ...]) -> None:
    volume = record(value)
    row = rows.volume_row(volume, {POOL: 2})
    assert some(row, *VOLUME) == expected
    assert some(row, "kind", "is_virtual", "qos_read", "qos_max_iops", "serial") == ("lun", False, True, None, value["serial-number"])
    assert errors(volume) == []


@pytest.mark.parametrize(
    ("changes", "column", "error"),
    [
        pytest.param({"blocksize": 4096}, "size_bytes", "is not 512, and what sizes are counted in then is not known", id="blocks"),
        pytest.param({"wwn": "600C0FF0"}, "device", "is a str that is not an NAA name", id="a short name"),
        pytest.param({"health": 3}, "status", "is a int that is not a string", id="health"),
        pytest.param({"total-size-numeric": "N/A"}, "size_bytes", "is a str that is not a whole number", id="no size"),
    ],
)
def test_what_is_odd_in_a_volume_is_null_and_named(changes: dict[str, Any], column: str, error: str) -> None:
    volume = record({**VIRTUAL, **changes})
    assert rows.volume_row(volume, {})[column] is None
    assert [why for _, why in errors(volume)] == [error]


def test_a_volume_whose_pool_was_not_read_has_no_number_of_tiers() -> None:
    assert rows.volume_row(record(VIRTUAL), {})["tiers"] is None


def tier(name: Any, disks: Any = 12) -> dict[str, Any]:
    return {"tier": name, "diskcount": disks}


@pytest.mark.parametrize(
    ("tiers", "expected", "error"),
    [
        pytest.param([tier("Performance", 28)], ["Performance"], [], id="the ME5084's: one"),
        pytest.param([tier("Performance"), tier("Archive", "24")], ["Performance", "Archive"], [], id="two, one as text"),
        pytest.param([tier("Standard", 1), tier("Archive", 0)], ["Standard"], [], id="one has no disks, the other a single one"),
        pytest.param([tier("Standard"), tier("Read Cache", 2)], ["Standard"], [], id="a read cache holds copies alone"),
        pytest.param([tier("Standard"), tier("Ultra")], None, ["hold 'Ultra', which is not known"], id="another word"),
        pytest.param([tier("Standard", "many")], None, ["hold what is no tier"], id="no number of disks"),
        pytest.param(["odd"], None, ["hold what is no tier"], id="no object"),
        pytest.param([tier(None)], None, ["hold what is no tier"], id="a tier without a name"),
        pytest.param([{"tier": "Standard"}], None, ["hold what is no tier"], id="a tier without a number of disks"),
        pytest.param("Standard", None, [], id="a text"),
        pytest.param([], None, [], id="none: a linear pool"),
        pytest.param(None, None, [], id="not reported"),
    ],
)
def test_tiers_that_hold_data_are_counted(tiers: Any, expected: list[str] | None, error: list[str]) -> None:
    pool = record({"tiers": tiers})
    assert rows.data_tiers(pool) == expected
    assert [why for _, why in errors(pool)] == error


@pytest.mark.parametrize(
    ("tiers", "groups", "expected"),
    [
        # edingc/powervault_me5_exporter, testdata/pools.json: 28 SSDs as ADAPT.
        pytest.param([tier("Performance", 28)], [("ADAPT", 28, "SSD SAS")], ("ssd", 28, "ADAPT"), id="SSDs"),
        pytest.param(
            [tier("Performance", 4), tier("Standard", 8)],
            [("RAID1", 4, "SSD SAS"), ("RAID5", "8", "SAS")],
            ("mixed", 12, "RAID1, RAID5"),
            id="two",
        ),
        pytest.param([tier("Archive", 12)], [("RAID6", 12, "SAS MDL")], ("hdd", 12, "RAID6"), id="slow disks"),
        pytest.param(None, [("RAID10", 8, "SAS")], ("hdd", 8, "RAID10"), id="linear"),
        pytest.param(None, [("RAID10", 8, "SSD SAS")], ("ssd", 8, "RAID10"), id="linear, of SSDs"),
        pytest.param(None, [("RAID10", "x", None)], (None, None, "RAID10"), id="linear, and nothing is known"),
        pytest.param([tier("Performance", 2)], [(None, 2, None)], ("ssd", 2, None), id="its tier says what its disks do not"),
        pytest.param([tier("Standard", 2)], [], ("hdd", None, None), id="groups that were not reported: no number, and not none"),
    ],
)  # fmt: skip
def test_a_pool_is_one_row(tiers: Any, groups: Any, expected: tuple[Any, ...]) -> None:
    value = {"serial-number": POOL, "name": "A", "owner": "A", "blocksize": 512, "total-size-numeric": 346315292672, "tiers": tiers}
    value["disk-groups"] = [{"raidtype": raid, "diskcount": disks, "disk-description": kind} for raid, disks, kind in groups]
    pool = record(value)
    row = rows.pool_row(pool, rows.data_tiers(pool), 10_000)
    assert some(row, "media", "disks", "raid_type") == expected
    assert some(row, "pool_id", "name", "node_id", "rpm", "size_bytes") == (POOL, "A", "a", 10_000, 177313429848064)


def test_a_pool_without_groups_and_an_owner_is_a_row_of_what_is_known() -> None:
    pool = record({"serial-number": POOL, "name": "A", "total-size-numeric": 2, "tiers": [], "disk-groups": ["odd"]})
    row = rows.pool_row(pool, rows.data_tiers(pool), None)
    assert some(row, "media", "disks", "raid_type", "node_id", "size_bytes") == (None, None, None, None, 1024)
    assert errors(pool) == []


# edingc/powervault_me5_exporter, testdata/volume-statistics.json; its status says 1773674742.
BUSY = {
    "volume-name": "projects",
    "serial-number": "00c0fffa39f700005f95066801000000",
    "bytes-per-second-numeric": 1677375488,
    "iops": 18412,
    "number-of-reads": 4724453694,
    "start-sample-time-numeric": 1773674711,
    "stop-sample-time-numeric": 1773674726,
}


# Checkmk, hp_msa_volume: 66 operations a second over 31 s, as text; 92 million since the reset three months before.
OLD = {
    "serial-number": "00c0ff1ec44a00008425415501000000",
    "bytes-per-second-numeric": "2724352",
    "iops": "66",
    "number-of-reads": "11965055",
    "start-sample-time-numeric": "1440157877",
    "stop-sample-time-numeric": "1440157908",
}


@pytest.mark.parametrize(
    ("value", "now", "expected"),
    [
        pytest.param(BUSY, 1773674742, (18412, 1677375488, 91102), id="the ME5084's"),
        pytest.param(OLD, 1440157910, (66, 2724352, 41278), id="the older MSA's"),
        pytest.param({**BUSY, "iops": 0, "bytes-per-second-numeric": 0}, 1773674742, (0, 0, None), id="idle"),
        pytest.param(BUSY, 1773674726 + 601, (None, None, None), id="an old sample"),
        pytest.param(BUSY, 1773674725, (None, None, None), id="a sample of the future"),
        pytest.param(BUSY, None, (None, None, None), id="no time of now"),
        pytest.param({**BUSY, "start-sample-time-numeric": 1773674726 - 601}, 1773674742, (None, None, None), id="a long sample"),
        pytest.param({**BUSY, "start-sample-time-numeric": 1773674726}, 1773674742, (None, None, None), id="a sample of no time"),
        pytest.param({**BUSY, "start-sample-time-numeric": 1773674725}, 1773674726, (18412, 1677375488, 91102), id="a second, just now"),
        pytest.param(
            {**BUSY, "start-sample-time-numeric": 1773674126}, 1773675326, (18412, 1677375488, 91102), id="as long and old as may be"
        ),
        pytest.param({**BUSY, "start-sample-time-numeric": None}, 1773674742, (None, None, None), id="no begin"),
        pytest.param({**BUSY, "stop-sample-time-numeric": "N/A"}, 1773674742, (None, None, None), id="no end"),
        pytest.param({**BUSY, "bytes-per-second-numeric": "N/A"}, 1773674742, (18412, None, None), id="no bytes"),
    ],
)
def test_a_load_is_of_now_or_not_known(value: dict[str, Any], now: int | None, expected: tuple[Any, ...]) -> None:
    load = record(value)
    row = rows.load_row(load, is_current=rows.is_of_now(load, now))
    assert row["volume_id"], "a volume without a row would count as idle"
    assert some(row, "actual_iops", "bytes_per_second", "average_io_bytes") == expected
    assert some(row, "latency_us", "utilization", "client_queue_depth") == (None, None, None), "no record has them"


# edingc/powervault_me5_exporter, testdata/pool-statistics.json.
POOL_BUSY = {"iops": 192, "avg-rsp-time": 12001, "time-since-sample": 14, "time-since-reset": 3396294}


@pytest.mark.parametrize(
    ("figures", "expected", "error"),
    [
        pytest.param([POOL_BUSY], (192.0, 12001.0), [], id="the ME5084's"),
        pytest.param([{**POOL_BUSY, "time-since-sample": 601}], None, [], id="a long sample"),
        pytest.param([{**POOL_BUSY, "time-since-sample": 600}], (192.0, 12001.0), [], id="as long as may be"),
        pytest.param([{**POOL_BUSY, "time-since-sample": None}], None, ["is null where a whole number was expected"], id="no time"),
        pytest.param(["odd"], None, ["are missing"], id="no object"),
        pytest.param("odd", None, ["are missing"], id="no list"),
        pytest.param([{**POOL_BUSY, "iops": "N/A"}], (None, 12001.0), ["is a str that is not a number"], id="no number"),
        pytest.param([], None, ["are missing"], id="none"),
    ],
)
def test_the_load_of_a_pool(figures: Any, expected: tuple[float, float] | None, error: list[str]) -> None:
    load = record({"serial-number": POOL, "resettable-statistics": figures})
    row = rows.pool_load_row(load)
    assert (row and some(row, "current_ops", "current_latency_us")) == expected
    assert [why for _, why in errors(load)] == error


@pytest.mark.parametrize(
    ("changes", "expected", "error"),
    [
        # edingc/powervault_me5_exporter, testdata/alerts.json.
        pytest.param({}, ("0", "info", "INFORMATIONAL", "condition.00", "hostport_A0", "No connection.", False), [], id="the record"),
        pytest.param({"reason": None, "acknowledged": "No"},
                     ("0", "info", "INFORMATIONAL", "condition.00", "hostport_A0", "Host Port 0", True), [], id="without a reason"),
        pytest.param({"acknowledged": None, "component": None, "condition-id": None, "severity": "WARNING"},
                     ("0", "warning", "WARNING", None, None, "No connection.", None),
                     ["is null where a string was expected"], id="nobody knows whether it was acknowledged"),
    ],
)  # fmt: skip
def test_an_alert_is_one_row(changes: dict[str, Any], expected: tuple[Any, ...], error: list[str]) -> None:
    value = {"id": 0, "severity": "INFORMATIONAL", "acknowledged": "Yes", "reason": "No connection.", "description": "Host Port 0"}
    alert = record({**value, "condition-id": "condition.00", "component": "hostport_A0", **changes})
    row = rows.fault_row(alert)
    assert some(row, "alert_id", "severity", "own_severity", "code", "component", "summary", "is_open") == expected
    assert [why for _, why in errors(alert)] == error


def test_the_array_and_a_controller() -> None:
    # edingc/powervault_me5_exporter, testdata/system.json and controllers.json; the bundle's version: sodafoundation/delfin, LIST_VISION.
    system = record({"system-name": "Uninitialized Name", "midplane-serial-number": "CN0AAAAAAAA000000AA01", "product-id": "ME5084"})
    row = rows.array_row(system, [{"bundle-version": "GL210R004"}, {"bundle-version": "GL210R004"}])
    assert some(row, "family", "name", "array_id", "version", "model") == (
        "dothill", "Uninitialized Name", "CN0AAAAAAAA000000AA01", "GL210R004", "ME5084",
    )  # fmt: skip
    assert rows.array_row(system, [{"bundle-version": "GL225P002"}, {"bundle-version": "GL210R004"}])["version"] == "GL210R004, GL225P002"
    assert rows.array_row(system, [{"bundle-version": "GL210R004"}, {}])["version"] == "GL210R004"
    assert rows.array_row(system, ())["version"] is None
    node = record({"controller-id": "A", "status": "Operational", "sc-fw": "INS200P05-09", "model": "ME5084", "health": "OK"})
    assert tuple(rows.node_row(node).values()) == ("a", "A", "Operational", "INS200P05-09", "ME5084")
    # sodafoundation/delfin, LIST_CONTROLLERS: an MSA 2040's record has no status.
    older = record({"controller-id": "B", "sc-fw": "GLS210R04-01", "health": "OK"})
    assert tuple(rows.node_row(older).values()) == ("b", "B", "OK", "GLS210R04-01", None)


@pytest.mark.parametrize(
    ("health", "number", "state", "named"),
    [
        pytest.param("In Ordnung", 0, "OK", [], id="a word of another language, and its number"),
        pytest.param(None, "2", "Fault", [], id="the number alone"),
        pytest.param("OK", 2, None, ["health of it"], id="a word and a number that differ"),
        pytest.param("In Ordnung", None, None, ["health of it"], id="a word that is not known"),
    ],
)
def test_a_controller_without_a_status_is_known_by_the_number_of_its_health(
    health: str | None, number: Any, state: str | None, named: list[str]
) -> None:
    controller = record({"controller-id": "B", "sc-fw": "GLS210R04-01", "health": health, "health-numeric": number})
    assert rows.node_row(controller)["state"] == state
    assert [gap.what.removeprefix("show x: ") for gap in controller.parse_errors.gaps("a")] == named


@pytest.mark.parametrize(("health", "severity"), [("OK", None), ("Unknown", None), ("Degraded", "warning"), ("Fault", "critical")], ids=str)
def test_health_that_is_not_ok_is_an_alert_where_there_are_no_others(health: str, severity: str | None) -> None:
    row = rows.health_row(record({"health": health, "health-reason": "A fan has failed."}))
    assert (row and some(row, "alert_id", "component", "severity", "own_severity", "summary", "is_open")) == (
        None if severity is None else ("health", "system", severity, health, "A fan has failed.", True)
    )


@pytest.mark.parametrize("health", ["Critical", "", None], ids=["another word", "an empty one", "none"])
def test_health_that_is_on_no_list_is_not_ok(health: str | None) -> None:
    of_system = record({"health": health})
    assert rows.health_row(of_system) is None
    assert len(list(of_system.parse_errors.gaps("dh"))) == 1


@pytest.mark.parametrize(
    ("reported", "state", "named"),
    [
        # asand3r/zbx-hpmsa#19: 0 is OK, 1 Degraded, 2 Fault, 3 Unknown, 4 N/A.
        pytest.param({"health": "OK", "health-numeric": 0}, "OK", [], id="both say OK"),
        pytest.param({"health": "OK", "health-numeric": "0"}, "OK", [], id="as XML has it"),
        pytest.param({"health": "Fehler", "health-numeric": 2}, "Fault", [], id="a word of another language"),
        pytest.param({"health": "", "health-numeric": 1}, "Degraded", [], id="an empty word"),
        pytest.param({"health": None, "health-numeric": 4}, "N/A", [], id="no word"),
        pytest.param({"health": "OK", "health-numeric": 2}, None, ["health"], id="two things"),
        pytest.param({"health": "Fault", "health-numeric": 0}, None, ["health"], id="two things, the other way"),
        pytest.param({"health": "Fault", "health-numeric": 9}, "Fault", [], id="a number that is not known"),
        pytest.param({"health": "Fehler"}, "Fehler", [], id="a word alone that is not known"),
        pytest.param({"health": 3, "health-numeric": 0}, None, ["health"], id="no word but something else"),
    ],
)
def test_the_health_of_a_volume_is_its_word_and_its_number(reported: dict[str, Any], state: str | None, named: list[str]) -> None:
    volume = record({**VIRTUAL, **reported})
    assert rows.volume_row(volume, {})["status"] == state
    assert [gap.what.split(": ")[1].partition(" of ")[0] for gap in volume.parse_errors.gaps("msa")] == named


def test_the_health_of_the_array_is_known_by_its_number_alone() -> None:
    row = rows.health_row(record({"health": "Fehler", "health-numeric": 2}))
    assert row is not None
    assert (row["severity"], row["own_severity"]) == ("critical", "Fault")
