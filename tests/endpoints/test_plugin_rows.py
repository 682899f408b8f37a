"""A plugin's collector fills its own tables for its own endpoint, with values that the columns hold; all else is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from auditor.endpoints.plugin_rows import own_items
from auditor.errors import EndpointError
from auditor.facts.schema import Batch
from auditor.model import Endpoint, EndpointKind, Gap, Secret
from auditor.model.endpoint_kinds import EndpointType, Family

ACME = EndpointKind("acme")
KIND = EndpointType(ACME, "", "", ("array", "volumes", "volume_load"), family=Family("acme", "Acme", (), (), ()), plugin="auditor-acme 1.2")
ENDPOINT = Endpoint(name="a1", kind=ACME, address="192.0.2.1", port=443, username="u", password=Secret("none", ()))
SECRET = "pw-that-nobody-may-see"


def batch(table: str, **columns: Any) -> Batch:
    return Batch(table, {"endpoint": ["a1"], **columns})


def test_its_own_rows_and_gaps_go_through_as_they_are() -> None:
    reading = batch("reading", scope=[""], topic=["volumes"], complete=[True], read_at=[datetime.now(UTC)])
    items = [
        batch("array", name=["a"], family=["acme"]),
        batch("array_volume", volume_id=["1"], size_bytes=[5], is_virtual=[None], name=("\u00fc",)),
        Batch("array_volume", {"endpoint": []}),
        batch("array_volume", size_bytes=[2**63 - 1]),
        batch("array_volume_load", utilization=[0], actual_iops=[-1]),
        Gap("a1", "volumes", "were not read"),
        reading,
    ]
    assert list(own_items(items, ENDPOINT, KIND)) == items


@pytest.mark.parametrize(
    ("item", "wrong"),
    [
        pytest.param(Batch("array_volume", {"endpoint": ["sf"], "volume_id": ["x"]}), "of another endpoint", id="rows of another"),
        pytest.param(Batch("array_volume", {"volume_id": ["x"]}), "of another endpoint", id="rows of nobody"),
        pytest.param(batch("host", host_id=["h"]), "the table 'host', which is of none of its topics", id="a host"),
        pytest.param(Batch("declared", {"devices": ["naa.*"]}), "the table 'declared'", id="what fleet.yaml declares"),
        pytest.param(batch("array_alert", alert_id=["1"]), "the table 'array_alert'", id="a topic that it does not report"),
        pytest.param(batch("nonsense"), "the table 'nonsense'", id="no table"),
        pytest.param(batch("array_volume", size_bytes=[SECRET]), "'size_bytes' of the table array_volume", id="text for a number"),
        pytest.param(batch("array_volume", size_bytes=[2**63]), "what is no BIGINT", id="a number that is too large"),
        pytest.param(batch("array_volume_load", utilization=[0.5, float("nan")]), "what is no DOUBLE", id="what is no number"),
        pytest.param(batch("array_volume_load", utilization=[float("-inf")]), "what is no DOUBLE", id="without end"),
        pytest.param(batch("array_volume_load", utilization=[10**400]), "what is no DOUBLE", id="a whole number that is too large"),
        pytest.param(batch("reading", read_at=[datetime(2026, 11, 1)]), "what is no TIMESTAMP", id="a time without its zone"),  # noqa: DTZ001
        pytest.param(batch("array_volume", size_bytes=[True]), "what is no BIGINT", id="a truth for a number"),
        pytest.param(batch("array_volume", is_virtual=[1]), "what is no BOOLEAN", id="a number for a truth"),
        pytest.param(batch("array_volume", name=["\ud800"]), "what is no VARCHAR", id="half a character"),
        pytest.param(batch("array_volume", name=SECRET), "what is no VARCHAR", id="no list"),
        pytest.param(batch("array_volume", names=["x"]), "'names' of the table array_volume that is unknown", id="no column"),
        pytest.param(batch("array_volume", name=["x", "y"]), "differ in length", id="ragged"),
        pytest.param(batch("reading", scope=[""], topic=["alerts"]), "a topic that is none of its own", id="another topic"),
        pytest.param(batch("reading", scope=["h"], topic=["volumes"]), "a topic that is none of its own", id="of a host"),
        pytest.param(batch("reading", read_at=["now"]), "what is no TIMESTAMP", id="text for a time"),
        pytest.param(batch("array", family=["solidfire"]), "an array of another family", id="a family of ours"),
        pytest.param(Gap("sf", "all of it", "made up"), "a gap of another endpoint", id="a gap of another"),
        pytest.param(Gap("a1", "all of it", None), "without text", id="a gap without a reason"),  # type: ignore[arg-type]
        pytest.param(None, "a NoneType, which is neither", id="nothing"),
    ],
)
def test_what_is_of_others_or_of_another_form_is_refused_without_its_values(item: Any, wrong: str) -> None:
    with pytest.raises(EndpointError) as caught:
        list(own_items([item], ENDPOINT, KIND))
    assert caught.value.what.startswith("endpoint a1: auditor-acme 1.2 gave ")
    assert wrong in caught.value.what
    assert SECRET not in str(caught.value)
