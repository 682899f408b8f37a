"""A field that ONTAP left unfilled, and a value that its reference does not list, are unknown: never none, good or bad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import enumerations
from tests.endpoints.ontap.ontap_cluster import collected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.endpoints.ontap.ontap_cluster import Served

KEYS = ("uuid", "name", "svm", "class", "location")


def stripped(name: str) -> Any:
    """An alteration that leaves only the keys of one record."""

    def alter(answer: dict[str, Any]) -> dict[str, Any]:
        listed = [{key: each[key] for key in KEYS if key in each} if each.get("name") == name else each for each in answer["records"]]
        return answer | {"records": listed}

    return alter


@pytest.mark.long
def test_the_qos_of_a_lun_that_was_not_filled_is_not_known(served: Served) -> None:
    server, endpoint, clock = served
    before = {row["name"]: row["qos_read"] for row in collected(endpoint, clock).tables["array_volume"]}
    name = next(name for name, is_read in before.items() if is_read and name.startswith("/vol/"))
    server.alterations["GET storage/luns"] = stripped(name)
    found = collected(endpoint, clock)
    assert {row["name"]: row["qos_read"] for row in found.tables["array_volume"]} == before | {name: False}
    assert "volumes" in found.incomplete()


def test_a_flexvol_that_was_not_filled_may_be_exported_and_under_a_policy(served: Served) -> None:
    server, endpoint, clock = served
    server.alterations["GET storage/volumes"] = stripped("nfs1")
    found = collected(endpoint, clock)
    assert any("whether it is exported is not known" in gap.why for gap in found.gaps)
    assert "volumes" in found.incomplete()


@pytest.mark.parametrize(
    "known",
    [
        enumerations.MEDIA,
        enumerations.TRANSFER_STATES,
        enumerations.EFFICIENCY_STATES,
        enumerations.OPERATION_STATES,
        enumerations.MOVE_STATES,
        enumerations.JOB_STATES,
        enumerations.LUN_KINDS,
    ],
    ids=["media", "transfers", "efficiency", "operations", "moves", "jobs", "LUNs"],
)
def test_a_value_that_is_not_listed_is_unknown_and_a_gap(known: Mapping[str, str | None]) -> None:
    for value in known:
        errors = ParseErrors("GET")
        assert Record({"state": value}, "it", errors).listed("state", known) == value
        assert not errors.any
    errors = ParseErrors("GET")
    assert Record({"state": "of a later release"}, "it", errors).listed("state", known) is None
    assert [gap.why for gap in errors.gaps("na")] == ["is 'of a later release', which is not known"]
    assert Record({}, "it", errors).listed("state", known) is None
    assert not errors.any


def test_a_transfer_in_an_unlisted_state_is_unknown(served: Served) -> None:
    server, endpoint, clock = served

    def alter(answer: dict[str, Any]) -> dict[str, Any]:
        for each in answer["records"]:
            each["transfer"] = {**each.get("transfer", {}), "state": "resting"}
        return answer

    server.alterations["GET snapmirror/relationships"] = alter
    found = collected(endpoint, clock)
    assert {row["transfer_state"] for row in found.tables["array_replication"]} == {None}
    assert found.incomplete() == {"replication", "background_jobs"}


@pytest.mark.parametrize(
    ("known", "listed"),
    [
        (enumerations.MEDIA, "capacity performance archive solid_state array virtual data_center capacity_flash"),
        (enumerations.TRANSFER_STATES, "aborted failed hard_aborted queued success transferring"),
        (enumerations.EFFICIENCY_STATES, "disabled enabled mixed custom"),
        (enumerations.OPERATION_STATES, "idle initializing active undoing pending downgrading disabled"),
        (enumerations.MOVE_STATES, "aborted cutover cutover_wait cutover_pending failed paused queued replicating success"),
        (enumerations.JOB_STATES, "queued running paused success failure"),
        ({**enumerations.LUN_KINDS, "protocol_endpoint": ""}, "regular protocol_endpoint vvol"),
    ],
    ids=["media", "transfers", "efficiency", "operations", "moves", "jobs", "LUNs"],
)
def test_every_value_of_the_vendors_list_is_known(known: Mapping[str, str | None], listed: str) -> None:
    """Source: netapp-ontap 9.6 to 9.19.1, "Valid choices" of the models that enumerations.py names."""
    assert set(known) == set(listed.split())


@pytest.mark.long
def test_a_listed_value_of_which_nothing_is_concluded_makes_no_gap(served: Served) -> None:
    server, endpoint, clock = served

    def pools(answer: dict[str, Any]) -> dict[str, Any]:
        for each in answer["records"]:
            each["block_storage"].get("primary", {})["disk_class"] = "data_center"
        return answer

    def volumes(answer: dict[str, Any]) -> dict[str, Any]:
        for each in answer["records"]:
            if "state" in each.get("efficiency", {}):
                each["efficiency"]["state"] = "custom"
        return answer

    before = collected(endpoint, clock)
    server.alterations["GET storage/aggregates"] = pools
    server.alterations["GET storage/volumes"] = volumes
    found = collected(endpoint, clock)
    assert {row["media"] for row in found.tables["array_pool"]} == {None}
    assert "custom" in {row["state"] for row in found.tables["array_efficiency"]}
    assert found.incomplete() == before.incomplete()
    assert [gap.why for gap in found.gaps] == [gap.why for gap in before.gaps]
