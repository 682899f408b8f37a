"""Rows into batches and failures into gaps, with no vCenter."""

from datetime import UTC, datetime

import pytest

from auditor.endpoints.vcenter.collect.rows import Rows, columns, gap, gaps_of, pages, readings
from auditor.errors import EndpointUnreachableError
from auditor.model import Endpoint, EndpointKind, Gap, Secret, Tls

VCENTER = Endpoint("vc-east", EndpointKind.VCENTER, "vc.example.com", 443, "audit", Secret("env", ("P",)), Tls())


def test_a_row_has_every_column_of_its_table_and_null_where_none_is_given() -> None:
    rows = Rows("hba", endpoint="vc-east", host_id="host-1")
    assert list(rows.batch()) == []
    rows.add(hba="vmhba1", driver="nfnic")
    rows.add(hba="vmhba2", host_id="host-2")
    (batch,) = rows.batch()
    assert batch.table == "hba"
    assert batch.columns["hba"] == ["vmhba1", "vmhba2"]
    assert batch.columns["host_id"] == ["host-1", "host-2"]
    assert batch.columns["endpoint"] == ["vc-east", "vc-east"]
    assert batch.columns["driver"] == ["nfnic", None]
    assert batch.columns["model"] == [None, None]


def test_a_column_that_the_table_does_not_have_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="table hba has no columns"):
        Rows("hba").add(nonsense=1)


def test_whole_columns_get_the_fixed_values_in_every_row() -> None:
    (batch,) = columns("hba", {"endpoint": "vc-east"}, hba=["vmhba1", "vmhba2"], driver=[None, "nfnic"])
    assert (batch.table, batch.columns) == (
        "hba",
        {"endpoint": ["vc-east", "vc-east"], "hba": ["vmhba1", "vmhba2"], "driver": [None, "nfnic"]},
    )
    assert list(columns("hba", {"endpoint": "vc-east"}, hba=[], driver=[])) == []


def test_a_reading_says_of_each_topic_whether_it_is_complete_and_when_it_was_read() -> None:
    before = datetime.now(UTC)
    batch = readings(VCENTER, "host-1", {"hbas": True, "paths": False})
    read_at = batch.columns["read_at"]
    assert len(read_at) == 2
    assert all(before <= at <= datetime.now(UTC) for at in read_at)
    assert batch.table == "reading"
    assert {name: values for name, values in batch.columns.items() if name != "read_at"} == {
        "endpoint": ["vc-east"] * 2,
        "scope": ["host-1"] * 2,
        "topic": ["hbas", "paths"],
        "complete": [True, False],
    }


def test_a_gap_names_the_endpoint_once() -> None:
    assert gap(VCENTER, "the list of hosts", "not reported") == Gap("vc-east", "the list of hosts", "not reported")
    error = EndpointUnreachableError("endpoint vc-east: no answer", why="w", do="d")
    assert gap(VCENTER, "the list of hosts", error) == Gap("vc-east", "the list of hosts", "no answer")


def test_properties_that_are_missing_for_one_reason_are_one_gap() -> None:
    missing = {"name": "refused", "host": "not reported", "parent": "refused"}
    assert list(gaps_of(VCENTER, missing, "datastore fast")) == [
        Gap("vc-east", "name, parent of datastore fast", "refused"),
        Gap("vc-east", "host of datastore fast", "not reported"),
    ]


def test_pages_hold_every_item_once() -> None:
    assert list(pages([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
    assert list(pages([], 2)) == []
