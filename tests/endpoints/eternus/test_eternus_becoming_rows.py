"""Pools, hosts, volumes and categories as they were read become rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import pools, rows
from auditor.endpoints.eternus.answers import Answer, NoSuchCommandError
from auditor.endpoints.eternus.qos import MODES, Category, Limit
from auditor.endpoints.eternus.records import Host, Identity, Pool, Volume
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap
from tests.endpoints.eternus.eternus_answers import MB, POOLS_HEAD, RAID_HEAD, RAID_RULER, UID, WWN, by_machine, in_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.eternus.client import EternusArray


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
