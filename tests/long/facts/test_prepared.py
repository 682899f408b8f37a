"""What other tests ask of a view is what a new database gives, whatever was asked before."""

import pytest

from auditor.facts.views import create_views
from tests.facts.fleets import Facts, Rows, builder, view
from tests.facts.judged_fleet import facts, without_topic


def raised(given: Facts) -> None:
    given["device"][0]["queue_depth"] = 64


def without_scheduling(given: Facts) -> None:
    without_topic(given, "device_scheduling")


def without_arrays(given: Facts) -> None:
    for table in [table for table in given if table.startswith("array")]:
        del given[table]


def in_a_new_database(name: str, given: Facts) -> Rows:
    connection = builder(given).so_far()
    create_views(connection, views={name})
    answer = connection.execute(f'SELECT * FROM "{name}" ORDER BY endpoint, resource_id')
    columns = [column[0] for column in answer.description or []]
    return [dict(zip(columns, row, strict=True)) for row in answer.fetchall()]


@pytest.mark.parametrize("name", ["shared_device", "protocol_endpoint"])
def test_a_view_is_as_in_a_new_database_after_any_change_of_the_facts(name: str) -> None:
    seen_before: list[Rows] = []
    for change in (None, raised, without_scheduling, without_arrays, None):
        given = facts()
        if change is not None:
            change(given)
        seen_before.append(view(name, given))
        assert seen_before[-1] == in_a_new_database(name, given)
    assert seen_before[0] == seen_before[-1] != seen_before[3]
