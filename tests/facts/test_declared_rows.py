"""Which of the values that settings.yaml declares counts for a host or volume, and what stands beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.fleet.loading import Fleet
from auditor.fleet.settings_file import load_settings
from auditor.model import Endpoint, EndpointKind, Secret
from auditor.pipeline.unmatched import seen_in, unmatched_settings

from .fleets import Facts, array, hosts, snapshot, view


def declared(**more: Any) -> dict[str, Any]:
    return {"kind": "option", "thing": "", "setting": "Disk.QFullSampleSize", "value": "32", "rank": 0, "place": "s:1", **more}


def options(given: Facts, *entries: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """By host: the value found, and the one declared."""
    given["declared_setting"] = list(entries)
    return {row["host"]: (row["value"], row["wanted"]) for row in view("declared_option", given)}


def a_fleet() -> Facts:
    given = hosts(2)
    given["host_option"] = [{"host_id": "host-1", "key": "Disk.QFullSampleSize", "value": "0", "value_type": "long"}]
    return given


@pytest.mark.parametrize(
    ("selectors", "fitting"),
    [
        pytest.param({}, ["esx-1", "esx-2"], id="none: every host"),
        pytest.param({"of_endpoint": "vc"}, ["esx-1", "esx-2"], id="its vCenter"),
        pytest.param({"of_endpoint": "vc-*"}, [], id="another vCenter"),
        pytest.param({"of_cluster": "g*"}, ["esx-1", "esx-2"], id="a glob over clusters"),
        pytest.param({"of_host": "esx-2"}, ["esx-2"], id="a host"),
        pytest.param({"of_host": "esx"}, [], id="the beginning of a name is no name"),
        pytest.param({"of_cluster": "gold", "of_host": "esx-[!1]"}, ["esx-2"], id="all that is given has to fit"),
    ],
)
def test_an_entry_is_for_the_hosts_that_all_its_selectors_fit(selectors: dict[str, str], fitting: list[str]) -> None:
    assert sorted(options(a_fleet(), declared(**selectors))) == fitting


def test_a_host_without_a_cluster_is_of_no_cluster() -> None:
    given = a_fleet()
    given["host"][0]["cluster"] = None
    assert list(options(given, declared(of_cluster="*"))) == ["esx-2"]


def test_the_narrowest_entry_counts_whatever_its_place_in_the_file() -> None:
    entries = (declared(of_host="esx-1", rank=4, value="8"), declared(rank=0), declared(of_cluster="gold", rank=2, value="16"))
    assert options(a_fleet(), *entries) == {"esx-1": ("0", "8"), "esx-2": (None, "16")}


def test_two_values_of_one_rank_are_no_value() -> None:
    given = a_fleet()
    entries = (declared(of_host="esx-1", rank=4), declared(of_host="esx*1", rank=4, value="64", place="s:2"), declared(rank=0, value="1"))
    assert options(given, *entries) == {"esx-2": (None, "1")}
    rows = {row["host"]: (row["wanted_values"], row["declared_values"], row["declared_at"]) for row in view("declared_value", given)}
    assert rows == {"esx-1": (2, "32, 64", "s:1, s:2"), "esx-2": (1, "1", "s:1")}


def test_one_value_that_two_entries_declare_is_one() -> None:
    assert options(a_fleet(), declared(rank=2, of_cluster="gold"), declared(rank=2, of_cluster="g*"))["esx-1"] == ("0", "32")


@pytest.mark.parametrize(("kind", "wanted"), [("long", 32), ("string", None), ("boolean", None)])
def test_only_an_option_that_holds_numbers_is_set_to_a_number(kind: str, wanted: int | None) -> None:
    given = a_fleet() | {"declared_setting": [declared()]}
    given["host_option"][0]["value_type"] = kind
    assert [row["wanted_number"] for row in view("declared_option", given) if row["host"] == "esx-1"] == [wanted]


def parameter(given: Facts, **more: Any) -> dict[str, Any]:
    given["declared_setting"] = [declared(kind="parameter", thing="iscsi_vmk", setting="iscsivmk_LunQDepth", value="128", of_host="esx-1")]
    given["host_module"] = [{"host_id": "host-1", "module": "iscsi_vmk", "option_string": "iscsivmk_HostQDepth=2", **more}]
    [row] = view("declared_parameter", given)
    return row


def test_a_declared_parameter_says_nothing_of_its_neighbours() -> None:
    row = parameter(hosts(1))
    assert (row["value"], row["wanted"], row["value_number"], row["is_offered"]) == ("not set", "128", None, None)


def test_a_parameter_is_offered_where_the_module_lists_it() -> None:
    given = hosts(1)
    given["host_module_parameter"] = [{"host_id": "host-1", "module": "iscsi_vmk", "name": "iscsivmk_HostQDepth"}]
    assert parameter(given)["is_offered"] is False
    given["host_module_parameter"].append({"host_id": "host-1", "module": "iscsi_vmk", "name": "iscsivmk_LunQDepth"})
    assert parameter(given)["is_offered"] is True


def test_a_string_that_was_not_read_is_not_unset() -> None:
    assert parameter(hosts(1), option_string=None)["value"] is None


RULE = {"satp": "VMW_SATP_ALUA", "vendor": "A", "model": "", "options": "", "claim_options": ""}
ADDED = {**RULE, "host_id": "host-1", "rule_group": "user", "device": "", "driver": "", "transport": "", "description": ""}


def claim_rule(*listed: dict[str, Any], read: bool = True) -> tuple[Any, Any]:
    given = hosts(1)
    given["declared_setting"] = [declared(kind="claim_rule", thing=json.dumps(RULE), setting="why", value="VMW_PSP_RR iops=1")]
    given["satp_rule"] = list(listed)
    given["reading"] = [one | {"complete": read or one["topic"] != "multipathing"} for one in given["reading"]]
    [row] = view("declared_claim_rule", given)
    return row["value"], row["description"]


def test_a_claim_rule_is_the_one_that_somebody_added_for_the_same_words() -> None:
    mine = {**ADDED, "default_psp": "VMW_PSP_RR", "psp_options": "iops=10"}
    assert claim_rule(mine) == ("VMW_PSP_RR iops=10", "why")
    words = {"rule_group": "system", "device": "naa.1", "driver": "lpfc", "transport": "fc", "satp": "VMW_SATP_DEFAULT_AA", "vendor": "X"}
    others = [mine | {name: word} for name, word in {**words, "model": "Y", "options": "reset", "claim_options": "tpgs_on"}.items()]
    assert claim_rule(*others) == ("absent", "why"), "each differs in one word, and is another rule"
    assert claim_rule(mine, mine) == (None, "why"), "which of the two counts nobody knows"
    assert claim_rule(read=False) == (None, "why"), "not read is not absent"


def test_a_ceiling_is_for_the_volumes_that_a_name_fits() -> None:
    given = hosts(1)
    entries = [
        declared(kind="volume_limit", thing="db-*", setting="max_iops", value="900"),
        declared(kind="volume_limit", thing="db-2", setting="max_iops", value="500", rank=2),
        declared(kind="volume_limit", thing="*", setting="max_iops", value="1", of_endpoint="other", rank=1),
    ]
    given["declared_setting"] = entries
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "DB-1", "qos_max_iops": 100}, {"name": "db-2"}, {"name": "web", "qos_read": False})
    array(given, "of", EndpointKind.FLASHARRAY, {"name": "db-3", "qos_read": False})
    rows = {row["resource_name"]: (row["value"], row["own_max_iops"], row["wanted_iops"]) for row in view("declared_volume_limit", given)}
    assert rows == {"DB-1": ("100", 100, 900), "db-2": ("no limit", None, 500), "db-3": (None, None, 900)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hosts: [{cluster: silver, options: {A.B: 1, A.C: 2}}]", 'cluster "silver"'),
        ("hosts: [{host: esx, options: {A.B: 1}}]", 'host "esx"'),
        ("hosts: [{endpoint: vc, cluster: GOLD, host: 'esx-*', options: {A.B: 1}}]", None),
        ("hosts: [{options: {A.B: 1}}]", None),
        ("volumes: [{volume: 'db-*', max_iops: 1}]", None),
        ("volumes: [{volume: web, max_iops: 1}]", 'volume "web"'),
        ("volumes: [{volume: DB-1, endpoint: other, max_iops: 1}]", 'endpoint "other", volume "db-1"'),
    ],
)
def test_an_entry_that_is_for_nothing_is_told(tmp_path: Path, text: str, words: str | None) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    given = hosts(2)
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "db-1"})
    seen = snapshot(given, fa=EndpointKind.FLASHARRAY)
    listed = tuple(
        Endpoint(name, kind, "a", 1, "", Secret("none", ()))
        for name, kind in (("vc", EndpointKind.VCENTER), ("fa", EndpointKind.FLASHARRAY))
    )
    fleet = Fleet(tmp_path / "fleet.yaml", listed, settings=load_settings(path))
    told = list(unmatched_settings(fleet, seen, seen_in(fleet, seen)))
    wanted = f"settings.yaml:1: settings are declared for {words}, and nothing in the fleet is called so, so nothing is held to them."
    assert told == ([] if words is None else [wanted])
