"""Each form of an ETERNUS answer is read field by field, from lines put in, without a wire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import pools, rows
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.answers import Answer, NoSuchCommandError
from auditor.endpoints.eternus.qos import MODES, Category, Limit
from auditor.endpoints.eternus.records import Affinity, Host, Identity, Lun, Pool, Volume
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from auditor.endpoints.eternus.client import EternusArray

MB = 1 << 20
UID = "600000E00D2A0000002A011500140000"
WWN = "12AC13AB15AF21AE"
IQN = "iqn.1998-01.com.vmware:esx-07"
ABOUT = ("dx", "01", "ET203ACU", "4601417434", "280753", "20", "00", "00", "01", "02", "01001000", "V11L30-0000")


def by_machine(*records: str, announced: bool = True) -> Answer:
    """An answer in the machine's form; "," is its tab. The number of records goes before them."""
    lines = tuple(record.replace(",", "\t") for record in records)
    return Answer("show x", (f"{len(lines):04X}", *lines) if announced else lines, by_machine=True)


def in_text(*lines: str) -> Answer:
    return Answer("show x", lines, by_machine=False)


def read(reader: Callable[[Answer, ParseErrors], Iterable[Any] | None], answer: Answer) -> tuple[list[Any], list[str]]:
    """What a reader makes of an answer, and the objects that it could not understand."""
    parse_errors = ParseErrors("show x")
    found = reader(answer, parse_errors)
    return list(found or ()), [label for labels in parse_errors._heard.values() for label in labels]


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


RAID_HEAD = (
    "RAID Group            RAID    Assigned Status  Total       Free",
    "No. Name              Level   CM                Capacity(MB) Capacity(MB)",
)
RAID_RULER = "---- ---------------- ------- -------- ------- ------------ ------------"


@pytest.mark.parametrize("ruler", [(RAID_RULER,), ()])
def test_raid_groups_are_read_with_a_ruler_and_without(ruler: tuple[str, ...]) -> None:
    lines = (
        "   0 blue pool        RAID1+0 CM#0     Available        1024          512",
        "what is this",
        "",
        "  12 red              RAID5   -        Broken             10            0",
    )
    found, gaps = read(text.raid_groups, in_text(*RAID_HEAD, *ruler, *lines))
    assert found == [Pool(0, "blue pool", "RAID1+0", "CM#0", 1024 * MB), Pool(12, "red", "RAID5", None, 10 * MB)]
    assert len(gaps) == 1


POOLS_HEAD = "[Pool No.],[Pool Name],[Disk Type],[RAID Level],[Total Capacity(MB)],[Free]"


def test_thin_pools_are_read_by_the_names_of_their_columns() -> None:
    lines = (
        "0,gold,Online,RAID5,1024,9",
        "x,bad,Online,RAID5,1,9",
        "1,bad,Online,RAID5,x,9",
        "1,short,Online,RAID5,1",
        " 7 , last ,a, RAID6 ,1,9",
    )
    found, gaps = read(text.thin_pools, in_text(POOLS_HEAD, *lines))
    assert found == [Pool(0, "gold", "RAID5", None, 1024 * MB), Pool(7, "last", "RAID6", None, MB)]
    assert len(gaps) == 3
    found, gaps = read(text.thin_pools, in_text("[Total Capacity(MB)],[Pool Name],[Pool No.]", "2,gold,1"))
    assert (found, gaps) == ([Pool(1, "gold", None, None, 2 * MB)], []), "no level, and another order"
    assert read(text.thin_pools, in_text()) == ([], [])
    found, gaps = read(text.thin_pools, in_text("[Pool No.],[Pool Name],[Size]", "1,gold,2"))
    assert (found, len(gaps)) == ([], 1)


UID_RULER = "----- ------- --------- ----- ---- ------ ---- ---------- -------- -------------------------------- -------"
PLAIN_RULER = "----- ------- --------- ----- ---- ------ -------- --------"


def test_volumes_are_read_with_their_uid_and_without() -> None:
    lines = (
        f"    1 one     Available Open     2 gold      - -              1024 {UID} Default",
        f"    2 two     Broken    Open     x gold      - -                 z {UID} Default",
        "no volume",
        f"    3 three   Available Open     2 gold      - -                 1 {UID} Default",
    )
    found, gaps = read(text.volumes, in_text("Volume", UID_RULER, *lines))
    assert found == [
        Volume(1, "one", "Available", "2/gold", 1024 * MB, UID),
        Volume(2, "two", "Broken", None, None, UID),
        Volume(3, "three", "Available", "2/gold", MB, UID),
    ]
    assert len(gaps) == 2
    found, gaps = read(text.volumes, in_text("Volume", PLAIN_RULER, "    1 one     Available Open     2 gold       1024 Disable"))
    assert (found, gaps) == ([Volume(1, "one", "Available", "2/gold", 1024 * MB, None)], [])
    found, gaps = read(
        text.volumes, in_text("Volume", PLAIN_RULER.rpartition(" ")[0], "    1 one     Available Open     2 gold       1024")
    )
    assert (found, len(gaps)) == ([], 1), "a column is missing"


def test_volumes_of_an_early_command_line_are_read() -> None:
    found, gaps = read(
        text.volumes,
        in_text(
            "Volume                 Status     Type  Expansion RAID Group  Size(MB)",
            "No.  Name                               (Concat)  No.  Name",
            "   0 OVM Repo           Available  Open  -            3 JJ  2048 16",
            "what is this",
            "   7 second             Broken     Open  -            4 red pool  1 16",
        ),
    )
    assert found == [
        Volume(0, "OVM Repo", "Available", "3/JJ", 2048 * MB, None),
        Volume(7, "second", "Broken", "4/red pool", MB, None),
    ]
    assert len(gaps) == 1


HOST_RULER = "---- ---------------- ---------------- ---- ----------------"


def test_addresses_of_hosts_are_read_and_other_lines_are_gaps() -> None:
    lines = (
        f"   x a                {WWN}    0 AIX",
        f"   1 b                {WWN[:15]}     0 AIX",
        f"   7 h_g_1_0          {WWN}   12 AIX",
        f"   8 short {WWN}",
        f"   9 last             {WWN}    0 Default",
    )
    found, gaps = read(text.fc_hosts, in_text("Host", HOST_RULER, *lines))
    assert found == [Host(7, "h_g_1_0", WWN.lower(), "fc", "AIX"), Host(9, "last", WWN.lower(), "fc", "Default")]
    assert len(gaps) == 3
    four = in_text("Host", HOST_RULER.rpartition(" ")[0], f"   7 h_g_1_0          {WWN}   12")
    assert len(read(text.fc_hosts, four)[1]) == 1


ISCSI_RULER = "---- ---------- ---- ---------------- --------------- --------------------------------"


def test_an_iscsi_name_that_is_longer_than_its_column_goes_on_in_the_next_line() -> None:
    begun, rest = IQN[:20], IQN[20:]
    lines = (
        f"   0 first         0 Default          10.0.0.1        {begun}",
        f"                                                      {rest}",
        f"   1 second        1 AIX              10.0.0.2        {IQN}",
        "   2 third         1 AIX              10.0.0.3        -",
        "what is this",
        f"   3 fourth        1 AIX              10.0.0.4        {IQN}",
    )
    found, gaps = read(text.iscsi_hosts, in_text("Host", ISCSI_RULER, *lines))
    assert found == [
        Host(0, "first", IQN, "iscsi", "Default"),
        Host(1, "second", IQN, "iscsi", "AIX"),
        Host(3, "fourth", IQN, "iscsi", "AIX"),
    ]
    assert len(gaps) == 2
    found, gaps = read(
        text.iscsi_hosts, in_text("Host", ISCSI_RULER, f"                                                      {rest}", lines[2])
    )
    assert ([one.number for one in found], len(gaps)) == ([1], 1), "nothing goes on before the first host"
    found, _ = read(text.iscsi_hosts, in_text("Host", "---- ------ --------------------------------", f"   0 first  {IQN}"))
    assert found == [Host(0, "first", IQN, "iscsi", "")], "no column of the response"


def test_a_host_in_several_groups_names_them_all() -> None:
    group = (
        "Host Group        Host Response Host Type",
        "No. Name          No. Name",
        "--- ------------- --- --------- ---------",
        "  {} {:<13}   0 Default   FC/FCoE",
    )
    hosts = ("Host", "No. Name             WWN", "--- ---------------- ----------------", f"  1 esx_0            {WWN}")
    lines = [
        line
        for number, name in ((0, "blue"), (1, "red"))
        for line in (*group[:3], group[3].format(number, name), "<Host List>", *hosts, "")
    ]
    assert text.host_groups(in_text(*lines, *hosts[:3], "  x esx_1")) == {"1/esx_0": "blue, red"}


def test_affinities_are_read_by_groups_and_port_by_port() -> None:
    by_group = (
        "Port Group           Host Group           LUN Group             LUN Overlap",
        "No. Name             No. Name             No.  Name             Volumes",
        "--- ---------------- --- ---------------- ---- ---------------- -----------",
        "  0 ports              0 cluster             8 first            No",
        "<Connection List>",
        "  Port             Host",
        "                   No. Name",
        "  ---------------- --- ----------------",
        "  CM#0 CA#0 Port#0   6 esx_0",
        "",
    )
    by_port = (
        "CM#0 CA#1 Port#1 (Host Affinity Mode Enable)",
        "Host                 LUN Group             LUN Overlap Mask",
        "No. Name             No.  Name             Volumes",
        "--- ---------------- ---- ---------------- ----------- ----",
        "  7 esx_1               9 second           No          -",
    )
    found, gaps = read(text.affinities, in_text(*by_group, "Host Group", "---- ---", "   1 x"))
    assert found == [Affinity("6/esx_0", 8)]
    assert len(gaps) == 1
    found, gaps = read(text.affinities, in_text(*by_group[5:]))
    assert (found, len(gaps)) == ([], 1), "a connection of no group"
    ruler = "--- ---------------- ---- ---------------- ----------- ----"
    six = (*by_port[:3], ruler, by_port[4], by_port[4].replace("  7", "  x"), by_port[4].replace("   9 ", "   x "))
    found, gaps = read(text.affinities, in_text(*six))
    assert (found, len(gaps)) == ([Affinity("7/esx_1", 9)], 2)


RULER_7 = "--- ------ --- ------- ---- ------ --"


@pytest.mark.parametrize(
    ("head", "ruler", "line"),
    [
        pytest.param("Port Group", RULER_7, "  0 ports    0 cluster    x first  No", id="a LUN group without a number"),
        pytest.param("Port Group", RULER_7[:-3], "  0 ports    0 cluster    8 first", id="a column less"),
        pytest.param("Hosts", RULER_7, "  0 ports    0 cluster    8 first  No", id="another table with as many columns"),
        pytest.param("Port Host", "---- --- -----", "CM#0   x esx_0", id="a host without a number"),
        pytest.param("Port Host", "---- --- ----- --", "CM#0   6 esx_0 No", id="a column more"),
        pytest.param("Ports", "---- --- -----", "CM#0   6 esx_0", id="another table of three columns"),
        pytest.param("Hosts", "--- ---- ---- ---- --- ----", "  7 esx     9 two  No  -", id="another table of six columns"),
    ],
)
def test_a_line_that_is_not_quite_an_affinity_is_a_gap_and_none(head: str, ruler: str, line: str) -> None:
    group = ("Port Group", RULER_7, "  0 ports    0 cluster    8 first  No", "")
    found, gaps = read(text.affinities, in_text(*group, head, ruler, line))
    assert (found, len(gaps)) == ([], 1)


def test_a_field_that_sticks_out_of_its_column_is_found_by_the_gaps() -> None:
    spans = [(0, 4), (5, 9), (10, 14)]  # of the ruler ---- ---- ----
    for line, cells in (
        ("   1 one   AIX", ("1", "one", "AIX")),
        ("   1 longer   2", ("1", "longer", "2")),
        ("   1 a b  AIX5longer", ("1", "a b", "AIX5longer")),
        ("   1 one   AIX and more", ("1", "one", "AIX and more")),
        ("1 longername AIX", ("1", "longername", "AIX")),
    ):
        assert text._cells(line, spans) == cells, line


def test_only_ports_whose_affinity_is_off_are_open_and_their_volumes_counted() -> None:
    ruler = "---- ---- ----------------"
    luns = ("LUN  Volume", "     No.  Name", ruler, "   0    0 one", "   1    1 two", "")
    lines = ("CM#0 CA#0 Port#0 (Host Affinity Mode Disable)", *luns, "CM#0 CA#0 Port#1 (Host Affinity Mode Enable)", *luns)
    assert text.open_ports(in_text(*lines)) == {"CM#0 CA#0 Port#0": 2}
    assert text.open_ports(in_text(*lines[:3])) == {}


def test_the_luns_of_a_group_in_text_are_numbers_under_a_ruler() -> None:
    ruler = "---- ------ ----------------"
    found, gaps = read(text.lun_group, in_text("LUN", ruler, "   0      7 one", "   x      7 bad", "   1      y bad", "   2      8 last"))
    assert found == [Lun(0, 7), Lun(2, 8)]
    assert len(gaps) == 2
    assert read(text.lun_group, in_text("LUN", "---- ------", "   0      7")) == ([Lun(0, 7)], [])
    assert len(read(text.lun_group, in_text("LUN", "----", "   0"))[1]) == 1


# Pools over a session


@dataclass
class Session:
    """A session that answers each command with an answer, or raises."""

    answers: Mapping[str, Answer | Exception]
    by_machine: bool = False

    def read(self, command: str) -> Answer:
        answer = self.answers.get(command) or NoSuchCommandError(f"{command} is not known", why="", do="", in_words=True)
        if isinstance(answer, Exception):
            raise answer
        return answer


def pools_of(session: Session) -> tuple[list[tuple[Any, Any]], list[Gap]]:
    """Ids and sizes of the pools that are read, and the gaps."""
    items = list(pools.read_pools(cast("EternusArray", session), "dx"))
    gaps = [item for item in items if isinstance(item, Gap)]
    [batch] = [item for item in items if not isinstance(item, Gap)]
    assert (batch.table, {gap.endpoint for gap in gaps} - {"dx"}) == ("array_pool", set())
    columns = batch.columns
    assert set(columns.get("endpoint", ())) <= {"dx"}
    return list(zip(columns.get("pool_id", ()), columns.get("size_bytes", ()), strict=True)), gaps


RAID_GROUPS = in_text(*RAID_HEAD, RAID_RULER, "   0 blue RAID5 CM#0 Available 1024 512")
THIN = in_text(POOLS_HEAD, "0,gold,Online,RAID5,1024,9")


def test_pools_of_both_kinds_are_read_and_what_an_array_has_not_is_no_gap() -> None:
    both = {"show raid-groups": RAID_GROUPS, "show thin-pro-pools -csv": THIN}
    assert pools_of(Session(both)) == ([("0/blue", 1024 * MB), ("0/gold", 1024 * MB)], [])
    assert pools_of(Session({"show raid-groups": RAID_GROUPS})) == ([("0/blue", 1024 * MB)], [])
    not_on = EndpointError("E0331 Flexible tier mode is not valid.", why="", do="")
    assert pools_of(Session({**both, "show flexible-tier-pools": not_on}))[1] == []


def test_pools_of_the_machines_form_are_read_as_far_as_its_form_is_known() -> None:
    machines = {
        "show raid-groups": by_machine("00,blue"),
        "show thin-pro-pools": Answer("x", ("00FF", "0001", "02\tgold\t00\t00\t00\t00\t1"), by_machine=True),
        "show flexible-tier-pools": by_machine("00,tiers", "01,tiers"),
    }
    found, gaps = pools_of(Session(machines, by_machine=True))
    assert found == [("2/gold", 512)]
    assert [gap.what.partition(":")[0] for gap in gaps] == ["show raid-groups", "show flexible-tier-pools"]
    assert gaps[1].why.startswith("2 lines")
    machines["show flexible-tier-pools"] = by_machine()
    assert len(pools_of(Session(machines, by_machine=True))[1]) == 1, "there are none"


def test_a_question_about_pools_that_fails_costs_only_itself() -> None:
    refused = EndpointError("no permission", why="", do="")
    text_pools = in_text("Flexible Tier Pool", "----", "   0 tiers")
    answers: dict[str, Answer | Exception] = {
        "show raid-groups": refused,
        "show thin-pro-pools -csv": THIN,
        "show flexible-tier-pools": text_pools,
    }
    found, gaps = pools_of(Session(answers))
    assert (found, [gap.why.partition(" whose")[0] for gap in gaps]) == ([("0/gold", 1024 * MB)], ["no permission", "1 lines"])
    found, gaps = pools_of(
        Session({**answers, "show flexible-tier-pools": refused, "show thin-pro-pools -csv": in_text(POOLS_HEAD, "0,x")})
    )
    assert (found, len(gaps)) == ([], 3)
    for silent in (EndpointUnreachableError("silent", why="", do=""), CredentialsError("refused", why="", do="")):
        with pytest.raises(type(silent)):
            pools_of(Session({"show raid-groups": silent}))


def test_a_pool_that_comes_twice_is_one_and_a_gap() -> None:
    twice = in_text(POOLS_HEAD, "0,gold,Online,RAID5,1024,9", "0,gold,Online,RAID5,1024,9")
    found, gaps = pools_of(Session({"show raid-groups": RAID_GROUPS, "show thin-pro-pools -csv": twice}))
    assert (len(found), len(gaps)) == (2, 1)


# Rows


def test_a_pool_a_host_and_an_initiator_become_rows() -> None:
    assert rows.pool_row(Pool(1, "blue", "RAID5", "CM#1", 5)) == {
        "pool_id": "1/blue",
        "name": "blue",
        "node_id": "CM#1",
        "raid_type": "RAID5",
        "size_bytes": 5,
    }
    host = Host(1, "esx_0", WWN.lower(), "fc", "VMware")
    assert rows.host_row(host, "cluster") == {"array_host_id": "1/esx_0", "name": "esx_0", "host_group": "cluster", "host_type": "VMware"}
    assert rows.initiator_row(host) == {"array_host_id": "1/esx_0", "initiator": WWN.lower(), "kind": "fc"}
    array = {"family": "eternus-dx", "name": "dx", "array_id": "46", "version": "V11L30-0000"}
    assert rows.array_row(Identity("dx", "ET203ACU", "46", "V11L30-0000"), by_machine=True) == {
        **array,
        "model": "ET203ACU",
        "generation": "S3",
        "reports_alerts": False,
    }
    assert rows.array_row(Identity("dx", "", "46", "V11L30-0000"), by_machine=False) == {
        **array,
        "model": None,
        "generation": None,
        "reports_alerts": True,
    }


def test_a_volume_becomes_a_row_with_the_name_that_hosts_see() -> None:
    parse_errors = ParseErrors("show volumes")
    row = rows.volume_row(Volume(7, "one", "Available", "2/gold", 5, UID), parse_errors)
    assert row == {
        "volume_id": "7",
        "name": "one",
        "kind": "lun",
        "serial": UID.lower(),
        "device": f"naa.{UID.lower()}",
        "is_virtual": False,
        "status": "Available",
        "size_bytes": 5,
        "pool_id": "2/gold",
    }
    assert (rows.volume_row(Volume(7, "one", "Available", None, None, None), parse_errors)["device"], parse_errors.any) == (None, False)
    bad = rows.volume_row(Volume(7, "one", "Available", None, None, UID[1:]), parse_errors)
    assert (bad["serial"], bad["device"], parse_errors.any) == (None, None, True)


def category(number: int, reported: tuple[str, ...] = (), **limits: Limit | None) -> Category:
    named = {"total": MODES[0], "reads": MODES[1], "writes": MODES[2]}
    return Category(number, {mode: limits.get(name, Limit(None, None)) for name, mode in named.items()}, reported)


def test_a_category_becomes_a_row_for_each_way_of_limiting() -> None:
    table = category(3, ("03", "000003e8"), total=Limit(1000, 50), reads=None)
    assert rows.policy_row(table, MODES[0], 4) == {
        "policy_id": "volume-qos/3",
        "name": "category 3",
        "kind": "category",
        "max_iops": 1000,
        "max_bytes_per_second": 50 * MB,
        "is_shared": False,
        "is_read": True,
        "raw": json.dumps({"0": "03", "1": "000003e8"}),
        "volumes": 4,
    }
    reads, writes = rows.policy_row(table, MODES[1], None), rows.policy_row(category(3), MODES[2], 0)
    assert (reads["name"], reads["is_read"], reads["max_iops"], reads["max_bytes_per_second"]) == ("category 3, reads", False, None, None)
    part = rows.policy_row(TABLE[4], MODES[0], 1)
    assert (part["is_read"], part["max_iops"], part["max_bytes_per_second"]) == (False, None, 2 * MB)
    assert (writes["name"], writes["is_read"], writes["max_bytes_per_second"], writes["raw"]) == ("category 3, writes", True, None, None)


TABLE = {
    0: category(0),
    1: category(1, total=Limit(100, 2)),
    2: category(2, reads=Limit(5, None), writes=Limit(5, None)),
    3: category(3, total=None),
    4: category(4, total=Limit(None, 2, is_whole=False), reads=Limit(5, None, is_whole=False)),
}
FREE = {**rows.NO_QOS, "qos_levels_read": False}  # of ports, hosts and LUNs nothing is read
ONE = {
    **FREE,
    "qos_policy_id": "volume-qos/1",
    "qos_policy": "category 1",
    "qos_max_iops": 100,
    "qos_max_bytes_per_second": 2 * MB,
    "qos_shared": False,
}


@pytest.mark.parametrize(
    ("assigned", "row"),
    [
        pytest.param((0, 0, 0), FREE, id="unlimited"),
        pytest.param((1, 0, 0), ONE, id="limited in all"),
        pytest.param((1, 2, 0), {**ONE, "qos_reads_policy_id": "volume-qos-read/2", "qos_read": False}, id="and in its reads"),
        pytest.param((1, 0, 2), {**ONE, "qos_writes_policy_id": "volume-qos-write/2", "qos_read": False}, id="and in its writes"),
        pytest.param(
            (4, 0, 0),
            {**ONE, "qos_policy_id": "volume-qos/4", "qos_policy": "category 4", "qos_max_iops": None, "qos_read": False},
            id="limited, and by how many operations was not understood",
        ),
        pytest.param((1, None, 0), {**ONE, "qos_read": False}, id="reads not understood"),
        pytest.param((1, 0, None), {**ONE, "qos_read": False}, id="writes not understood"),
        pytest.param((None, 0, 0), {**FREE, "qos_read": False}, id="all not understood"),
        pytest.param((0, 9, 0), {**FREE, "qos_reads_policy_id": "volume-qos-read/9", "qos_read": False}, id="a category that is not there"),
        pytest.param(
            (3, 0, 0),
            {**FREE, "qos_policy_id": "volume-qos/3", "qos_policy": "category 3", "qos_shared": False, "qos_read": False},
            id="a limit that was not understood",
        ),
    ],
)
def test_a_volume_has_the_limits_of_its_categories(assigned: tuple[int | None, ...], row: dict[str, Any]) -> None:
    assert rows.qos_row(dict(zip(MODES, assigned, strict=True)), TABLE) == row
