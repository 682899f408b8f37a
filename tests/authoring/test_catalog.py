"""facts/catalog.json says of the views what their SQL says."""

import pytest

from auditor.authoring.catalog import digest_of_views
from auditor.facts.catalog import FILE, catalog, needs_of_columns, view_columns, views_of, with_dependencies

REMAKE = f"auditor/facts/{FILE} is older than the views or the fact tables: run `make catalog` and commit the file"


def test_the_catalogue_was_made_of_the_views_as_they_are() -> None:
    assert catalog().made_of == digest_of_views(), REMAKE  # tests/long/authoring/test_catalog.py makes it anew


def test_a_column_or_view_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        needs_of_columns([("host", ["no_such_column"])])
    with pytest.raises(KeyError):
        with_dependencies(["no_such_view"])


@pytest.mark.parametrize(
    ("table", "views"),
    [
        ("vm", {"virtual_disk", "vvol_disk", "disk_stream", "restarted_machine"}),
        ("datastore", {"datastore", "datastore_load", "datastore_throttle", "vvol_datastore", "baseline_datastore"}),
        ("array_qos_policy", {"qos_policy", "qos_policy_use", "baseline_qos_policy"}),
    ],
)
def test_a_view_is_of_the_table_whose_facts_name_its_rows(table: str, views: set[str]) -> None:
    assert views_of(table) == views


@pytest.mark.parametrize("view", view_columns())
def test_a_view_comes_after_all_that_it_rests_on(view: str) -> None:
    order = with_dependencies([view])
    assert order[-1] == view
    for place, name in enumerate(order):
        assert set(catalog().views[name].rests_on) <= set(order[:place])
