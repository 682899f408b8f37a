"""What is read of an ETERNUS's QoS: categories, their ceilings, and the volumes in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import qos
from auditor.endpoints.eternus.answers import Answer
from auditor_lab.arrays.eternus.description import (
    EternusDescription,
    UserDescription,
    VolumeDescription,
)
from auditor_lab.scenario import load_scenario
from tests.endpoints.eternus.eternus_collecting import DX, MB, UID, collected, from_peer, volume
from tests.endpoints.eternus.eternus_peer import ABOUT

if TYPE_CHECKING:
    from pathlib import Path


OLD = EternusDescription(
    name="dx100",
    firmware="V10L87-9000",
    model_name="ET103ACU",
    uid_prefix=UID,
    volumes=(VolumeDescription("seven", category=7), VolumeDescription("free")),
    users=(UserDescription("watcher", "Monitor"),),
)


# QoS: what there is, what there is not, what is not known


def test_a_category_is_a_policy_and_its_volumes_have_its_ceilings(tmp_path: Path) -> None:
    found = collected(DX, tmp_path)
    policies = {row["policy_id"]: row for row in found.tables["array_qos_policy"]}
    assert len(policies) == 45, "categories 1 to 15 of all I/O, reads and writes; 0 is unlimited and no policy"
    policy = policies["volume-qos/3"]
    assert (policy["name"], policy["kind"], policy["max_iops"], policy["max_bytes_per_second"], policy["volumes"]) == (
        "category 3",
        "category",
        1000,
        50 * MB,
        1,
    )
    assert (policy["is_read"], policy["is_shared"]) == (True, False)
    assert json.loads(policy["raw"])["1"] == "000003e8", "as it came"
    assert (policies["volume-qos/5"]["max_iops"], policies["volume-qos/5"]["is_read"]) == (None, True), "nobody set it"
    assert (policies["volume-qos-read/4"]["max_iops"], policies["volume-qos-read/4"]["volumes"]) == (10, 1)
    volumes = {row["name"]: row for row in found.tables["array_volume"]}
    assert volumes["capped"]["qos_policy_id"] == "volume-qos/3"
    assert (volumes["capped"]["qos_max_iops"], volumes["capped"]["qos_max_bytes_per_second"], volumes["capped"]["qos_read"]) == (
        1000,
        50 * MB,
        True,
    )
    assert (volumes["free"]["qos_policy_id"], volumes["free"]["qos_max_iops"], volumes["free"]["qos_read"]) == (None, None, True)


def test_a_volume_whose_reads_alone_have_a_ceiling_is_not_called_unlimited(tmp_path: Path) -> None:
    reads = next(row for row in collected(DX, tmp_path).tables["array_volume"] if row["name"] == "reads")
    assert (reads["qos_max_iops"], reads["qos_reads_policy_id"], reads["qos_writes_policy_id"]) == (None, "volume-qos-read/4", None)
    assert reads["qos_read"] is False


def test_before_the_table_the_categories_are_fixed(tmp_path: Path) -> None:
    found = collected(OLD, tmp_path)
    assert found.complete["qos_policies"]
    assert found.complete["volumes"]
    assert found.column("array_volume", "name", "qos_max_iops", "qos_max_bytes_per_second", "qos_read") == [
        ("seven", 1020, 200 * MB, True),
        ("free", None, None, True),
    ]
    policies = {row["policy_id"]: row["max_iops"] for row in found.tables["array_qos_policy"]}
    assert len(policies) == 15
    assert (policies["volume-qos/1"], policies["volume-qos/15"]) == (15000, 60)


def test_an_array_that_has_no_qos_has_unlimited_volumes_and_no_gap(tmp_path: Path) -> None:
    s1 = next(one for one in load_scenario("eternus-vaai").eternus if one.name == "dx90-l66")
    found = collected(s1, tmp_path)
    assert found.complete["qos_policies"]
    assert found.complete["volumes"]
    assert found.tables["array_qos_policy"] == []
    assert found.column("array_volume", "qos_read", "qos_policy_id", "qos_max_iops") == [(True, None, None)] * 2
    assert found.column("array", "version", "generation") == [("V10L66-0000", None)], "an S1 does not tell that it is one"


@pytest.mark.parametrize(
    ("firmware", "text", "known"),
    [
        pytest.param("V10L66-0000", "01\r\n0030", True, id="it says that it does not have the command"),
        pytest.param("V10L66-0000", "01\r\n9000", True, id="it says that its model does not"),
        pytest.param(
            "V10L66-0000", "          ^\r\nError: Unknown command", True, id="a caret for the account that the command is made for"
        ),
        pytest.param("V11L30-0000", "01\r\n0030", False, id="a firmware that must have it"),
        pytest.param("V10L66-0000", "01\r\n5003", False, id="no right to ask"),
        pytest.param("V10L66-0000", "01\r\n0020", False, id="another error"),
        pytest.param("V10L66-0000", "Volume  Limit\r\n0  3", False, id="text in an unknown form"),
        pytest.param("V10L66-0000", "00", False, id="an empty answer"),
    ],
)
def test_no_qos_is_told_from_qos_that_was_not_read(tmp_path: Path, firmware: str, text: str, known: bool) -> None:
    volumes = f"00\r\n0001\r\n{volume(1)}"
    about = "00\r\n" + ABOUT.replace("V11L30-0000", firmware)
    found = from_peer(tmp_path, show_enclosure_status=about, show_volume_qos=text, show_volumes=volumes)
    assert found.complete["qos_policies"] is known
    assert found.column("array_volume", "volume_id", "qos_read") == [("1", known)]
    assert found.complete["volumes"] is known


def test_a_caret_for_people_does_not_prove_that_there_is_no_qos(tmp_path: Path) -> None:
    s1 = next(one for one in load_scenario("eternus-vaai").eternus if one.name == "dx90-l66")
    found = collected(s1, tmp_path, user="watcher")
    assert found.incomplete() == {"qos_policies", "volumes"}
    assert found.column("array_volume", "qos_read") == [False, False]
    assert all(row["device"] for row in found.tables["array_volume"])


def table_line(*pairs: tuple[int, int], number: int = 1) -> str:
    limits = [*pairs, *[(0xFFFF, 0xFFFF)] * (3 - len(pairs))]
    return "\t".join([f"{number:02x}", *(f"{value:08x}" for pair in limits for value in pair), *["0000ffff"] * 6])


def part(iops: int | None = None, mb: int | None = None) -> qos.Limit:
    """A limit whose other number is not known."""
    return qos.Limit(iops, mb, is_whole=False)


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        pytest.param(table_line((1000, 50)), qos.Limit(1000, 50), id="both"),
        pytest.param(table_line((0xFFFF, 0xFFFF)), qos.Limit(None, None), id="as nobody set it"),
        pytest.param(table_line((0xFFFF, 50)), part(mb=50), id="65535 I/O operations, or nobody set them"),
        pytest.param(table_line((0xFFFF, qos.MOST_MB_PER_SECOND)), None, id="65535 I/O operations, or nobody set them; no throughput"),
        pytest.param(table_line((1000, 0xFFFF)), qos.Limit(1000, 0xFFFF), id="65535 MB/s, which nothing reaches"),
        pytest.param(table_line((1000, qos.MOST_MB_PER_SECOND)), qos.Limit(1000, None), id="the largest throughput is none"),
        pytest.param(table_line((qos.MOST_IOPS, 50)), qos.Limit(None, 50), id="the most operations are none"),
        pytest.param(table_line((0, 50)), part(mb=50), id="zero, which cannot be set"),
        pytest.param(table_line((1000, 0)), part(iops=1000), id="zero of throughput"),
        pytest.param(table_line((0, 0xFFFF)), None, id="zero, and what may be none"),
        pytest.param(table_line((qos.MOST_IOPS, 0)), None, id="no ceiling in operations, and zero"),
        pytest.param("01\tffgg\t0001\tffff\tffff\tffff\tffff", part(mb=1), id="hex that is none"),
        pytest.param("01\t\t0001\tffff\tffff\tffff\tffff", part(mb=1), id="nothing"),
        pytest.param("01\t\tzz\tffff\tffff\tffff\tffff", None, id="neither"),
    ],
)
def test_a_limit_is_understood_or_unknown_but_never_guessed(line: str, limit: qos.Limit | None) -> None:
    parse_errors = ParseErrors("table")
    found = qos.table(Answer("x", ("0001\t", line), by_machine=True), parse_errors.add)
    assert found[1].limits["volume-qos"] == limit
    assert parse_errors.any is (limit is None or not limit.is_whole)


def test_an_unlimited_category_with_limits_is_not_believed() -> None:
    parse_errors = ParseErrors("table")
    found = qos.table(Answer("x", ("0001", table_line((1000, 50), number=0)), by_machine=True), parse_errors.add)
    assert set(found[0].limits.values()) == {None}
    assert "unlimited" in next(parse_errors.gaps("dx")).why


@pytest.mark.parametrize(
    ("lines", "assigned", "complained"),
    [
        pytest.param(["0000\tv\t01\t00\t02"], {0: (1, 0, 2)}, False, id="three categories"),
        pytest.param(["000A\tv\t0F\t"], {10: (15, 0, 0)}, False, id="one, before V11L30"),
        pytest.param(["0000\tv\t10\t00\t00"], {0: (None, 0, 0)}, True, id="a category that there is not"),
        pytest.param(["0000\tv\t01\tzz\t00"], {0: (1, None, 0)}, True, id="hex that is none"),
        pytest.param(["0000\tv\t01\t02"], {0: (1, 2, None)}, True, id="a field short"),
        pytest.param(["0000\tv\t01\t00\t00", "0000\tv\t02\t00\t00"], {0: (1, 0, 0)}, True, id="the same volume twice"),
        pytest.param(["0000"], {}, True, id="a number alone"),
        pytest.param(["no\tv\t01\t00\t00"], {}, True, id="a number that is none"),
    ],
)
def test_a_volume_is_in_the_categories_it_tells(lines: list[str], assigned: dict[int, tuple[int | None, ...]], complained: bool) -> None:
    parse_errors = ParseErrors("volume-qos")
    found = qos.assignments(Answer("x", (f"{len(lines):04X}", *lines), by_machine=True), parse_errors.add)
    assert {number: tuple(each.values()) for number, each in found.items()} == assigned
    assert parse_errors.any is complained


def test_a_volume_that_the_categories_do_not_tell_of_is_unknown(tmp_path: Path) -> None:
    found = from_peer(
        tmp_path,
        show_volumes=f"00\r\n0002\r\n{volume(1)}\r\n{volume(2)}",
        show_volume_qos="00\r\n0001\r\n0001\tv\t01\t00\t00",
        show_qos_bandwidth_limit="00\r\n0002\r\n" + "\r\n".join(table_line((0xFFFF, 0xFFFF), number=n) for n in (0, 1)),
    )
    assert found.column("array_volume", "volume_id", "qos_read") == [("1", True), ("2", False)]
    assert "volume 2" in found.gap_text()
