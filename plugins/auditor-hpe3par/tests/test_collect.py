"""What is read of an HPE 3PAR: each fact of the double, and what is unknown where something is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from auditor_hpe3par.collect import collect_hpe3par
from double import EXAMPLE, HOST, KEY, fleet, host, rule, vlun, volume

from auditor.contract import PASSWORD, Collected
from auditor.endpoints.common.sessions import open_session
from auditor.errors import EndpointError
from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from pathlib import Path


def collected(folder: Path, *, totals: dict[str, int] | None = None, system: dict[str, Any] | None = None, **lists: Any) -> Collected:
    """What the collector gives of the example with these lists instead of its own; a list that is None cannot be asked for."""
    with EXAMPLE.served(folder, lists={**fleet(), **lists}) as (server, endpoint, _), open_session(endpoint) as session:
        server.array.totals = totals or {}
        server.array.system |= system or {}
        return Collected(collect_hpe3par(session, endpoint))


def qos(found: Collected, name: str) -> tuple[Any, ...]:
    """The ceilings of a volume: of its group, of a second rule, and whether they were read."""
    row = found.by("array_volume")[name]
    of_group = (row["qos_group"], row["qos_group_max_iops"], row["qos_group_max_bytes_per_second"])
    return (of_group, (row["qos_policy"], row["qos_max_iops"], row["qos_max_bytes_per_second"]), row["qos_read"])


NONE = (None, None, None)


def test_the_array_its_nodes_and_its_pools(tmp_path: Path) -> None:
    found = collected(tmp_path, system={"onlineNodes": [1]})
    [array] = found.tables["array"]
    assert (array["family"], array["name"], array["array_id"]) == ("3par", "3par-east", "CZ3123ABCD")
    assert (array["version"], array["model"]) == ("3.3.1.648", "HPE_3PAR 8400")
    assert found.column("array_node", "node_id", "state") == [("0", "down"), ("1", "up")]
    assert found.column("array_pool", "pool_id", "media", "raid_type", "size_bytes") == [
        ("ssd_r6", "ssd", "RAID 6", 4 * 2**40),
        ("nl_r6", "hdd", "RAID 6", None),
    ]
    assert found.gaps == []


def test_a_node_that_is_counted_and_not_named_leaves_the_nodes_open(tmp_path: Path) -> None:
    found = collected(tmp_path, system={"onlineNodes": [0], "clusterNodes": [0]})
    assert [gap.why for gap in found.gaps] == ["is 2, and clusterNodes names 1"]
    assert found.column("array_node", "node_id", "state") == [("0", "up")]


def test_a_volume_is_known_by_its_wwn_and_its_size_is_of_mib(tmp_path: Path) -> None:
    older = volume("old", 9, wwn="50002AC00029383D", state=2, sizeMiB=10)
    copy = volume("copy", 10, copyOf="gold-01", copyType=3, userCPG=None)
    rows = collected(tmp_path, volumes=[volume("gold-01", 1), older, copy]).by("array_volume")
    assert (rows["gold-01"]["device"], rows["gold-01"]["size_bytes"]) == ("naa.60002ac0000000000000000100012cc9", 2**40)
    assert (rows["gold-01"]["status"], rows["gold-01"]["pool_id"], rows["gold-01"]["copy_of"]) == ("normal", "ssd_r6", None)
    assert (rows["old"]["device"], rows["old"]["size_bytes"], rows["old"]["status"]) == ("naa.50002ac00029383d", 10 * 2**20, "degraded")
    assert (rows["copy"]["pool_id"], rows["copy"]["copy_of"]) == (None, "gold-01")


@pytest.mark.parametrize(
    ("change", "column"),
    [
        pytest.param({"wwn": "not one"}, "device", id="wwn"),
        pytest.param({"state": 7}, "status", id="state that no source has"),
        pytest.param({"sizeMiB": "much"}, "size_bytes", id="size"),
    ],
)
def test_what_is_not_understood_of_a_volume_is_unknown_and_a_gap(change: dict[str, Any], column: str, tmp_path: Path) -> None:
    found = collected(tmp_path, volumes=[volume("v", 1, **change)])
    assert found.by("array_volume")["v"][column] is None
    assert found.incomplete() == {"volumes"}


def test_the_rules_of_all_sets_of_a_volume_hold_for_it_and_are_shared(tmp_path: Path) -> None:
    found = collected(tmp_path)
    gold, slow = ("gold", 8000, 400_000_000), ("slow", 9000, 50_000_000)
    assert qos(found, "gold-01") == (gold, NONE, True)
    assert qos(found, "both") == (gold, slow, True)
    assert found.by("array_volume")["both"]["qos_shared"] is True
    assert {row["qos_levels_read"] for row in found.tables["array_volume"]} == {True}
    columns = ("policy_id", "kind", "max_iops", "max_bytes_per_second", "min_iops", "priority", "volumes", "is_shared", "is_read")
    assert found.column("array_qos_policy", *columns) == [
        ("vvset:gold", "volume_group", 8000, 400_000_000, 1000, "high", 3, True, True),
        ("vvset:slow", "volume_group", 9000, 50_000_000, 100, "low", 1, True, True),
        ("vvset:off", "volume_group", None, None, None, "normal", 1, True, True),
    ]


def test_a_rule_that_is_not_enabled_is_no_limit_and_a_volume_without_a_rule_has_none(tmp_path: Path) -> None:
    found = collected(tmp_path)
    assert qos(found, "idle-rule") == (NONE, NONE, True)
    assert qos(found, "free") == (NONE, NONE, True)


def test_the_lowest_ceilings_of_three_rules_are_the_two_that_are_kept(tmp_path: Path) -> None:
    sets = [{"name": name, "setmembers": ["v"]} for name in ("a", "b", "c")]
    rules = [
        rule("a", ioMaxLimit=500, bwMaxLimitKB=90),
        rule("b", ioMaxLimit=100, bwMaxLimitKB=80),
        rule("c", ioMaxLimit=300, bwMaxLimitKB=10),
    ]
    found = collected(tmp_path, volumes=[volume("v", 1)], volumesets=sets, qos=rules)
    assert qos(found, "v") == (("b", 100, 80_000), ("c", 300, 10_000), True)


def test_the_rule_for_all_others_holds_where_no_rule_of_a_set_does(tmp_path: Path) -> None:
    found = collected(tmp_path, qos=[rule("gold", ioMaxLimit=8000), rule("sys:all_others", 2, ioMaxLimit=700)])
    assert qos(found, "gold-01") == (("gold", 8000, None), NONE, True)
    assert qos(found, "free") == (("all_others", 700, None), NONE, True)
    assert found.by("array_volume")["free"]["qos_group_id"] == "sys:all_others"
    assert found.by("array_qos_policy", "policy_id")["sys:all_others"]["volumes"] is None


def test_a_rule_for_all_others_that_is_not_enabled_holds_for_none(tmp_path: Path) -> None:
    found = collected(tmp_path, qos=[rule("sys:all_others", 2, ioMaxLimit=700, enabled=False)])
    assert qos(found, "free") == (NONE, NONE, True)


def test_whether_all_others_holds_for_a_volume_whose_rule_is_not_enabled_is_unknown(tmp_path: Path) -> None:
    off = rule("off", ioMaxLimit=200, enabled=False)
    found = collected(tmp_path, qos=[off, rule("all_others", 2, ioMaxLimit=700)])
    assert qos(found, "idle-rule") == (NONE, NONE, False)
    assert qos(found, "free")[2] is True


def test_a_volume_in_a_domain_may_have_limits_that_are_not_listed(tmp_path: Path) -> None:
    found = collected(tmp_path, volumes=[volume("in", 1, domain="prod"), volume("out", 2)])
    assert found.column("array_volume", "name", "qos_read", "qos_levels_read") == [("in", True, False), ("out", True, True)]


@pytest.mark.parametrize(
    ("rules", "gold", "free"),
    [
        pytest.param([rule("gold", ioMaxLimit=0)], False, True, id="a ceiling of nothing"),
        pytest.param([rule("gold", ioMaxLimit="fast")], False, True, id="a ceiling that is none"),
        pytest.param([rule("gold", ioMaxLimit=9, bwMaxLimitKB="fast")], False, True, id="a ceiling of throughput that is none"),
        pytest.param([rule("gold", ioMaxLimit=9, enabled=None)], False, True, id="whether it is enabled is not reported"),
        pytest.param([rule("prod", 3, ioMaxLimit=9)], False, False, id="a target that no source has"),
        pytest.param([{"type": 1, "enabled": True, "ioMaxLimit": 9}], False, False, id="a rule without a name"),
        pytest.param(None, False, False, id="no rules can be asked for"),
    ],
)
def test_a_rule_that_is_not_understood_leaves_the_qos_of_its_volumes_unread(rules: Any, gold: bool, free: bool, tmp_path: Path) -> None:
    found = collected(tmp_path, qos=rules)
    assert (qos(found, "gold-01")[2], qos(found, "free")[2]) == (gold, free)
    assert found.incomplete() == {"qos_policies", "volumes"}
    assert not any(row["is_read"] for row in found.tables.get("array_qos_policy", ()))


@pytest.mark.parametrize(
    "sets",
    [
        pytest.param(None, id="they cannot be asked for"),
        pytest.param([{"name": "gold", "setmembers": "gold-01"}], id="members that are no list"),
        pytest.param([{"name": "gold", "setmembers": [1]}], id="members that are no names"),
        pytest.param([{"setmembers": ["gold-01"]}], id="a set without a name"),
    ],
)
def test_qos_is_not_read_where_it_is_not_known_which_volumes_are_in_a_set(sets: Any, tmp_path: Path) -> None:
    found = collected(tmp_path, volumesets=sets, vluns=[])
    assert {"qos_policies", "volumes"} <= found.incomplete()
    assert [row["qos_read"] for row in found.tables["array_volume"]] == [False] * 5


def test_a_set_without_members_has_none_and_its_rule_limits_nobody(tmp_path: Path) -> None:
    found = collected(tmp_path, volumesets=[{"name": "gold"}], qos=[rule("gold", ioMaxLimit=9)], vluns=[])
    assert (qos(found, "gold-01"), found.incomplete()) == ((NONE, NONE, True), set())
    assert found.column("array_qos_policy", "name", "max_iops", "volumes") == [("gold", 9, 0)]


def test_what_a_rule_that_is_not_enabled_says_is_in_force_nowhere(tmp_path: Path) -> None:
    off = rule("off", ioMinGoal=100, ioMaxLimit=200, bwMaxLimitKB=10, enabled=False)
    columns = ("min_iops", "max_iops", "max_bytes_per_second", "is_read")
    assert collected(tmp_path, qos=[off]).column("array_qos_policy", *columns) == [(None, None, None, True)]


@pytest.mark.parametrize(
    ("layout", "media"),
    [
        pytest.param({"diskPatterns": [{"diskType": 1}, {"diskType": 2}]}, "hdd", id="two kinds of disks that spin"),
        pytest.param({"diskPatterns": [{"diskType": 1}, {"diskType": 3}]}, "mixed", id="both"),
        pytest.param({"diskPatterns": [{"diskType": 3}, {"diskType": 9}]}, None, id="a kind that no source has"),
        pytest.param({"diskPatterns": [{"diskType": "3"}]}, None, id="a text"),
        pytest.param({"diskPatterns": []}, None, id="no kinds"),
        pytest.param({"diskPatterns": "odd"}, None, id="no list"),
        pytest.param("odd", None, id="no layout"),
    ],
)
def test_a_pool_is_of_the_disks_that_it_grows_on(layout: Any, media: str | None, tmp_path: Path) -> None:
    found = collected(tmp_path, cpgs=[{"id": 0, "name": "p", "SDGrowth": {"LDLayout": layout}}])
    assert found.column("array_pool", "media", "raid_type") == [(media, None)]


def test_a_target_that_no_source_has_is_nothing_to_fear_where_its_rule_is_off(tmp_path: Path) -> None:
    found = collected(tmp_path, qos=[rule("prod", 3, ioMaxLimit=9, enabled=False)])
    assert qos(found, "free") == (NONE, NONE, True)


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        pytest.param("volumes", {"volumes"}, id="volumes"),
        pytest.param("qos", {"qos_policies", "volumes"}, id="rules"),
        pytest.param("volumesets", {"qos_policies", "volumes", "connections"}, id="volume sets"),
        pytest.param("hosts", {"array_hosts"}, id="hosts"),
        pytest.param("hostsets", {"array_hosts", "connections"}, id="host sets"),
        pytest.param("vluns", {"connections"}, id="VLUNs"),
        pytest.param("cpgs", {"pools"}, id="pools"),
    ],
)
def test_a_list_that_counts_more_than_it_has_is_not_whole(name: str, lost: set[str], tmp_path: Path) -> None:
    found = collected(tmp_path, totals={name: 99})
    assert found.incomplete() == lost
    assert "total of the answer" in found.gap_text()
    if lost & {"qos_policies"}:
        assert not any(row["qos_read"] for row in found.tables["array_volume"])


def test_a_rule_of_a_set_that_is_not_listed_is_a_gap(tmp_path: Path) -> None:
    found = collected(tmp_path, qos=[rule("gone", ioMaxLimit=9)])
    assert found.incomplete() == {"qos_policies"}


def test_hosts_have_the_persona_by_the_numbers_of_wsapi_where_eleven_is_windows(tmp_path: Path) -> None:
    hosts = [host("esx", 1, 8, "10000090FA000001"), host("win", 2, 11, "10:00:00:90:FA:00:00:02")]
    found = collected(tmp_path, hosts=hosts)
    assert found.column("array_host", "name", "host_type") == [("esx", "VMware"), ("win", "WindowsServer")]
    assert found.column("array_initiator", "array_host_id", "initiator", "kind") == [
        ("esx", "10000090fa000001", "fc"),
        ("win", "10000090fa000002", "fc"),
    ]


def test_hosts_are_in_their_sets_and_initiators_without_a_host_are_none(tmp_path: Path) -> None:
    found = collected(tmp_path)
    assert found.column("array_host", "name", "host_group") == [("esx-1", "cluster-1"), ("esx-2", "cluster-1")]
    assert "10000090fa00000f" not in found.column("array_initiator", "initiator")
    assert found.complete["array_hosts"]


@pytest.mark.parametrize(
    ("paths", "initiator"),
    [
        pytest.param({"iSCSIPaths": [{"name": "iqn.1998-01.com.VMware:esx-3"}]}, ("iqn.1998-01.com.vmware:esx-3", "iscsi"), id="iSCSI"),
        pytest.param(
            {"NVMETCPPaths": [{"NQN": "nqn.2014-08.org.nvmexpress:esx-3"}]}, ("nqn.2014-08.org.nvmexpress:esx-3", "nvme"), id="NVMe"
        ),
    ],
)
def test_a_host_has_the_paths_of_its_own_kind_alone(paths: dict[str, Any], initiator: tuple[str, str], tmp_path: Path) -> None:
    found = collected(tmp_path, hosts=[{"id": 3, "name": "esx-3", "persona": 2, **paths}])
    assert found.column("array_initiator", "initiator", "kind") == [initiator]
    assert found.complete["array_hosts"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"persona": 42}, id="persona that no source has"),
        pytest.param({"persona": None}, id="no persona"),
        pytest.param({"FCPaths": None, "iSCSIPaths": None}, id="no list of paths"),
        pytest.param({"iSCSIPaths": "none"}, id="paths that are no list"),
        pytest.param({"FCPaths": [{"wwn": "0x1"}]}, id="a path that is no name"),
        pytest.param({"name": None}, id="an id and no name"),
    ],
)
def test_what_is_not_understood_of_a_host_is_a_gap(change: dict[str, Any], tmp_path: Path) -> None:
    found = collected(tmp_path, hosts=[{**host("esx-1", 1, 8, "10000090FA000001"), **change}])
    assert found.incomplete() == {"array_hosts"}


def test_volumes_and_hosts_of_sets_are_connected_and_a_lun_of_both_forms_counts_once(tmp_path: Path) -> None:
    found = collected(tmp_path)
    assert found.column("array_connection", "volume_id", "array_host_id", "lun") == [
        ("both", "esx-2", None),
        ("gold-01", "esx-1", 1),
        ("gold-02", "esx-1", 2),
        ("gold-02", "esx-2", 2),
    ]


def test_every_set_of_volumes_is_connected_and_a_host_may_be_in_two_sets(tmp_path: Path) -> None:
    sets = [{"name": name, "setmembers": ["esx-1"]} for name in ("b", "a")]
    found = collected(
        tmp_path, vluns=[vlun("set:slow", "esx-2", 10), vlun("set:off", "set:a", 3), vlun("free", "esx-1", None)], hostsets=sets
    )
    assert found.column("array_connection", "volume_id", "array_host_id", "lun") == [
        ("both", "esx-2", None),
        ("free", "esx-1", None),
        ("idle-rule", "esx-1", None),
    ]
    assert found.column("array_host", "name", "host_group") == [("esx-1", "a, b"), ("esx-2", None)]
    assert found.gaps == []


def test_the_number_of_a_volume_of_a_set_is_that_of_its_active_vlun(tmp_path: Path) -> None:
    vluns = [vlun("set:slow", "esx-2", 10), vlun("both", "esx-2", 12, active=True)]
    assert collected(tmp_path, vluns=vluns).column("array_connection", "volume_id", "lun") == [("both", 12)]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        pytest.param(vlun("gold-01", "", 1, type=2), "every host at its port", id="of a port"),
        pytest.param({"volumeName": "gold-01", "lun": 1, "active": False, "type": 2}, "every host at its port", id="of no host"),
        pytest.param(vlun("set:gone", "esx-1", 1, type=HOST), "not listed", id="of a set that is gone"),
    ],
)
def test_a_vlun_whose_hosts_or_volumes_are_not_known_is_a_gap(one: dict[str, Any], words: str, tmp_path: Path) -> None:
    found = collected(tmp_path, vluns=[one])
    assert (found.incomplete(), found.tables["array_connection"]) == ({"connections"}, [])
    assert words in found.gap_text()


def test_a_key_that_is_over_is_renewed_once_and_deleted_at_the_end(tmp_path: Path) -> None:
    with EXAMPLE.served(tmp_path) as (server, endpoint, _):
        with open_session(endpoint) as session:
            server.array.key = "2-fresh"
            del server.requests[:]
            assert session.identity(again=True) == "3par CZ3123ABCD"
            assert server.requests == ["GET system", "POST credentials", "GET system"]
            assert KEY not in repr(vars(session))
        assert server.requests[-1] == "DELETE credentials"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(({"code": 409, "desc": "too many sessions"}, 409), "too many sessions", id="no session left"),
        pytest.param(({"token": "1"}, 201), "holds no session key", id="another thing that answers"),
        pytest.param(({"key": ""}, 201), "holds no session key", id="an empty key"),
    ],
)
def test_a_login_that_gives_no_key_says_what_was_answered(answer: tuple[dict[str, Any], int], words: str, tmp_path: Path) -> None:
    with EXAMPLE.served(tmp_path) as (server, endpoint, _):
        server.array.login = answer
        with pytest.raises(EndpointError, match=words), open_session(endpoint):
            pass
        assert server.requests == ["POST credentials"]


def test_a_call_that_the_account_may_not_make_is_no_reason_to_log_in_again(tmp_path: Path) -> None:
    with EXAMPLE.served(tmp_path) as (server, endpoint, _), open_session(endpoint) as session:
        del server.requests[:]
        server.faults.active.append(Fault("status", "GET hosts", status=403))
        found = Collected(collect_hpe3par(session, endpoint))
    assert "POST credentials" not in server.requests
    assert found.incomplete() == {"array_hosts"}
    assert PASSWORD not in found.gap_text()
