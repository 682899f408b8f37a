"""Each form of an ETERNUS answer is read field by field, from lines put in, without a wire."""

from __future__ import annotations

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.answers import Answer
from auditor.endpoints.eternus.records import Host, Identity, Lun, Pool, Volume
from tests.endpoints.eternus.eternus_answers import IQN, UID, WWN, by_machine, in_text, read

ABOUT = ("dx", "01", "ET203ACU", "4601417434", "280753", "20", "00", "00", "01", "02", "01001000", "V11L30-0000")


# The machine's form


def test_the_array_is_read_from_twelve_fields_and_not_from_eleven() -> None:
    parse_errors = ParseErrors("show x")
    assert machine.identity(by_machine(",".join(ABOUT), announced=False), parse_errors) == Identity(
        "dx", "ET203ACU", "4601417434", "V11L30-0000"
    )
    assert not parse_errors.any
    for answer in (by_machine(",".join(ABOUT[:11]), announced=False), by_machine(announced=False)):
        assert machine.identity(answer, parse_errors) is None
        assert len(list(parse_errors.gaps("dx"))) == 1


def volume(number: str, *, pool: str = "0002", size: str = "00200000", fields: int = 21) -> str:
    record = [number, f"v{number}", "A001", "0B", "00", pool, "gold", size, *["00"] * 12, UID, "00"]
    return ",".join(record[:fields])


def test_each_volume_is_read_and_one_that_is_cut_costs_only_itself() -> None:
    found, gaps = read(machine.volumes, by_machine(volume("000A"), volume("0001", fields=20), volume("zz"), volume("0002")))
    whole = Volume(10, "v000A", "A001", "2/gold", 1 << 30, UID)  # 0x200000 blocks of 512 bytes
    assert found == [whole, Volume(2, "v0002", "A001", "2/gold", 1 << 30, UID)]
    assert len(gaps) == 2


def test_what_follows_the_number_of_no_volume_is_empty() -> None:
    found, gaps = read(machine.volumes, by_machine(volume("0001"), "FFFF", volume("0002")))
    assert [one.number for one in found] == [1]
    assert gaps == []


def test_a_volume_whose_size_and_pool_are_no_numbers_has_neither() -> None:
    [found], gaps = read(machine.volumes, by_machine(volume("0001", pool="x", size="y")))
    assert (found.number, found.pool, found.size_bytes, found.uid) == (1, None, None, UID)
    assert len(gaps) == 2


def test_thin_pools_follow_what_could_still_be_provisioned() -> None:
    answer = by_machine("02,gold,00,00,00,00,00200000", "zz,bad", "03,short,00,00,00,00", "04", "05,last,00,00,00,00,1")
    found, gaps = read(machine.thin_pools, Answer("show x", ("00FF", *answer.lines), by_machine=True))
    assert found == [
        Pool(2, "gold", None, None, 1 << 30),
        Pool(3, "short", None, None, None),
        Pool(4, "", None, None, None),
        Pool(5, "last", None, None, 512),
    ]
    assert len(gaps) == 3, "a number that is none; two sizes that are missing"


def test_hosts_of_both_kinds_are_read_and_one_without_an_initiator_costs_only_itself() -> None:
    found, gaps = read(machine.fc_hosts, by_machine("zz,a", f"01,a,{WWN},05", f"02,b,{WWN}0,05,AIX", f"0B,c,{WWN},05,AIX"))
    assert found == [Host(11, "c", WWN.lower(), "fc", "AIX")]
    assert len(gaps) == 3
    found, gaps = read(machine.iscsi_hosts, by_machine(f"01,a,05,AIX,10.0.0.1,{IQN.upper()}", "02,b,05,AIX,10.0.0.1", "03,c,05,AIX,ip,x"))
    assert found == [Host(1, "a", IQN, "iscsi", "AIX")]
    assert len(gaps) == 2


@pytest.mark.parametrize(
    ("name", "understood"),
    [(f" {IQN.upper()} ", IQN), ("eui.02004567A425678D", "eui.02004567a425678d"), ("naa.5", "naa.5"), ("iqn.a b", None), ("host", None)],
)
def test_an_iscsi_name_has_one_of_three_beginnings(name: str, understood: str | None) -> None:
    assert machine.iscsi_name(name) == understood


def test_the_luns_of_a_group_follow_the_groups() -> None:
    luns = by_machine("0000,000A", "0001,x", "y,0001", "0002", "0003,0001").lines
    found, gaps = read(machine.lun_group, Answer("show x", ("0001", "0000\tfirst\t0002", *luns), by_machine=True))
    assert found == [Lun(0, 10), Lun(3, 1)]
    assert len(gaps) == 3, "three records, each with text of its own"
    assert read(machine.lun_group, Answer("show x", ("0000", "0000"), by_machine=True)) == ([], [])


@pytest.mark.parametrize("lines", [(), ("x",), ("0001",), ("0002", "a")])
def test_what_is_no_lun_group_is_a_gap(lines: tuple[str, ...]) -> None:
    found, gaps = read(machine.lun_group, Answer("show x", lines, by_machine=True))
    assert (found, len(gaps)) == ([], 1)


# Text for people


def test_the_keys_of_the_array_are_each_needed() -> None:
    keys = {"Storage System Name": "dx", "Model Name": "ET203ACU", "Serial Number": "46", "Firmware Version": "V11L30-0000"}
    parse_errors = ParseErrors("show x")
    assert text.identity(in_text(*(f" {key} [{value}]" for key, value in keys.items())), parse_errors) == Identity(*keys.values())
    assert not parse_errors.any
    assert text.identity(in_text(" Storage System Name [dx]"), parse_errors) == Identity("dx", "", "", "")
    assert len(list(parse_errors.gaps("dx"))) == 3
