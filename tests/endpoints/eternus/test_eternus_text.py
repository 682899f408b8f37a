"""Answers for people: tables in text become what the machine's form gives."""

from __future__ import annotations

import pytest

from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.records import Affinity, Host, Lun, Pool, Volume
from tests.endpoints.eternus.eternus_answers import IQN, MB, POOLS_HEAD, RAID_HEAD, RAID_RULER, UID, WWN, in_text, read


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


# Source: Fujitsu's Design Guide: "Wide Striping creates a WSV that can be concatenated across 2 to 64 RAID groups"; "LUN Concatenation".
@pytest.mark.parametrize(("kind", "joined", "pool"), [("Open", "-", "2/gold"), ("WSV", "-", None), ("Open", "2", None)])
def test_a_volume_on_several_raid_groups_is_on_none_of_them(kind: str, joined: str, pool: str | None) -> None:
    early = in_text("No.  Name", f"   0 one           Available  {kind}  {joined}            2 gold  2048 16")
    found, gaps = read(text.volumes, early)
    assert (found, gaps) == ([Volume(0, "one", "Available", pool, 2048 * MB, None)], [])
    if joined == "-":  # later forms have no such column
        line = f"    0 one     Available {kind:5}    2 gold      - -              2048 {UID} Default"
        found, gaps = read(text.volumes, in_text("Volume", UID_RULER, line))
        assert (found, gaps) == ([Volume(0, "one", "Available", pool, 2048 * MB, UID)], [])


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
