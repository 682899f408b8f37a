"""Answers that an ETERNUS gave, and lines that none gives, become rows and gaps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import qos, rows
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.answers import Answer, understood
from auditor.endpoints.eternus.records import Affinity, Host, Lun, Pool, Volume
from auditor.model import Endpoint, EndpointKind, Secret
from tests.endpoints.eternus.eternus_collecting import MB
from tests.endpoints.eternus.eternus_peer import captured

# Recorded answers


def answer_of(record: str, command: str) -> Answer:
    nobody = Endpoint("dx", EndpointKind.ETERNUS, "127.0.0.1", 22, "", Secret("env", ("NONE",)))
    return understood(nobody, command, captured(f"eternus-cli-{record}"), is_read=True)


def test_the_recorded_machine_answers_become_rows() -> None:
    parse_errors = ParseErrors("captures")
    identity = machine.identity(answer_of("cinder/show_enclosure_status_5", "show enclosure-status"), parse_errors)
    assert identity is not None
    assert (identity.name, identity.model, identity.serial_number, identity.firmware) == (
        "ETDX200S3_1",
        "ET203ACU",
        "4601417434",
        "V10L87-9000",
    )
    assert rows.array_row(identity, by_machine=True)["generation"] == "S3"
    table = qos.table(answer_of("cinder/show_qos_bandwidth_limit_8", "show qos-bandwidth-limit"), parse_errors.add)
    assert len(table) == 16
    assert table[0].limits["volume-qos"] == qos.Limit(None, None)
    assert table[10].limits["volume-qos-write"] == qos.Limit(10, 10)
    assert list(qos.table(answer_of("cinder/show_qos_bandwidth_limit_14", "show qos-bandwidth-limit"), parse_errors.add)) == [0]
    after = qos.assignments(answer_of("cinder/show_volume_qos_13", "show volume-qos"), parse_errors.add)
    assert {number: tuple(each.values()) for number, each in after.items()} == {0: (1, 0, 0)}
    before = qos.assignments(answer_of("cinder/show_volume_qos_6", "show volume-qos"), parse_errors.add)
    assert {number: tuple(each.values()) for number, each in before.items()} == {0: (15, 0, 0), 1: (13, 0, 0)}
    assert not parse_errors.any


@pytest.mark.parametrize(("record", "numbers"), [("show_volumes_12", (0, 1)), ("show_volumes_4", (0,))])
def test_the_recorded_volumes_have_the_device_name_that_the_rule_says(record: str, numbers: tuple[int, ...]) -> None:
    parse_errors = ParseErrors("captures")
    found = [rows.volume_row(one, parse_errors) for one in machine.volumes(answer_of(f"cinder/{record}", "show volumes"), parse_errors)]
    assert [row["volume_id"] for row in found] == [str(number) for number in numbers]
    assert found[0]["device"] == "naa.600000e00d2a0000002a011500140000", "lower case; these tests' volume numbers are not the UID's"
    assert found[0]["size_bytes"] == 1 << 30
    assert found[0]["pool_id"] == "0/abcd1234_TPP"
    assert "is 1376, and there are" in next(parse_errors.gaps("dx")).why, "the record announces more volumes than it holds"


def test_the_recorded_text_becomes_rows() -> None:
    parse_errors = ParseErrors("captures")
    identity = text.identity(answer_of("delfin/STORAGE_MODEL_DATA", "show enclosure-status"), parse_errors)
    assert identity is not None
    assert (identity.name, identity.model, identity.serial_number, identity.firmware) == (
        "dx100-test",
        "ET103ACU",
        "4601620378",
        "V10L50-9003",
    )
    volumes = list(text.volumes(answer_of("delfin/VOLUMES", "show volumes -mode uid"), parse_errors))
    assert volumes[3] == Volume(3, "LUN03", "Available", "0/Pool0", 20480 * MB, "600000E00D29000000291B6B00030000")
    assert len(volumes) == 5
    assert all(one.uid is not None and int(one.uid[24:28], 16) == one.number for one in volumes), "docs/domain/arrays.md#device-names"
    early = list(text.volumes(answer_of("delfin/VOLUME_DATAS", "show raid-groups"), parse_errors))
    assert early[3] == Volume(3, "OVM_Repo2", "Broken", "0/JJ", 204800 * MB, None)
    assert list(text.raid_groups(answer_of("delfin/POOL_OLD_DATAS", "show raid-groups"), parse_errors)) == [
        Pool(0, "JJ", "RAID0", "CM#0", 1676288 * MB)
    ]
    assert not parse_errors.any


def test_the_recorded_hosts_become_rows() -> None:
    parse_errors = ParseErrors("captures")
    fc = list(text.fc_hosts(answer_of("delfin/FC_HOSTS_INFO", "show host-wwn-names"), parse_errors))
    assert len(fc) == 7
    assert fc[6] == Host(7, "h_g_1_0", "12ac13ab15af21ae", "fc", "AIX")
    iscsi = list(text.iscsi_hosts(answer_of("delfin/ISCSI_HOST_INFO", "show host-iscsi-names"), parse_errors))
    assert [(one.number, one.name, one.initiator) for one in iscsi] == [
        (0, "iscsi_host_0", "iqn.2006-08.com.huawei:21004447dcca426::0"),
        (1, "iscsi_host-1_0", "iqn.2006-08.com.huawei:21004447dcca426::1"),
        (2, "iscsi_1_0", "iqn.2007-08.com.huawei:21004447dcca426::7"),
    ]
    assert [one.response for one in iscsi] == ["AIX", "AIX", "Default"]
    sas = list(text.fc_hosts(answer_of("delfin/SAS_HOST_INFO", "show host-sas-addresses"), parse_errors, "sas"))
    assert sas[0] == Host(6, "sas_g_0_0", "12ab13ac14ad15af", "sas", "AIX VxVM")
    groups = text.host_groups(answer_of("delfin/HOST_GROUPS_INFO", "show host-groups -all"))
    assert groups == {f"{n}/dbs0{n // 2 + 1}_{n % 2}": f"dbs0{n // 2 + 1}" for n in range(6)}
    affinities = list(text.affinities(answer_of("delfin/MASKING_VIEWS_INFO", "show host-affinity"), parse_errors))
    assert len(affinities) == 15
    assert set(affinities) >= {
        Affinity("6/Dorado5000V6_0", 7),
        Affinity("4/Dorado5500v6_0", 9),
        Affinity("20/AIX206_0", 8),
        Affinity("2/RH197_0", 5),
    }
    assert text.open_ports(answer_of("delfin/GET_MAPPING", "show mapping")) == {"CM#0 CA#1 Port#1": 2, "CM#1 CA#1 Port#1": 1}
    assert list(text.lun_group(answer_of("delfin/VOLUME_DETAILS_INFO", "show lun-groups -lg-number 0"), parse_errors)) == [
        Lun(n, n) for n in range(3)
    ]
    assert not parse_errors.any


words = st.text(alphabet="0123456789abcdefABCDEFxz \t-#", max_size=40)


@pytest.mark.long
@settings(max_examples=60, derandomize=True, database=None)
@given(st.lists(words, max_size=6), st.booleans())
def test_whatever_lines_come_nothing_breaks_and_nothing_is_lost_silently(lines: list[str], by_machine: bool) -> None:
    answer = Answer("show x", tuple(lines), by_machine)
    ruled = Answer("show x", ("No. Name Size", "--- ---- ------ ---", *lines), by_machine=False)
    for read in (machine.volumes, machine.fc_hosts, machine.iscsi_hosts):
        parse_errors = ParseErrors("x")
        found = list(read(Answer("show x", tuple(lines), by_machine=True), parse_errors))
        ended = any(line.lower().startswith("ffff") for line in lines)  # the number of no volume
        assert parse_errors.any or ended or len(found) == len(lines) - 1, "each record is a row or a complaint"
    list(machine.thin_pools(Answer("show x", tuple(lines), by_machine=True), ParseErrors("x")))
    list(machine.lun_group(Answer("show x", tuple(lines), by_machine=True), ParseErrors("x")))
    for read_text in (text.volumes, text.raid_groups, text.thin_pools, text.fc_hosts, text.iscsi_hosts, text.affinities, text.lun_group):
        list(read_text(ruled, ParseErrors("x")))
        list(read_text(answer, ParseErrors("x")))
    qos.table(answer, ParseErrors("x").add)
    qos.assignments(answer, ParseErrors("x").add)
    text.open_ports(ruled)
    text.host_groups(ruled)
