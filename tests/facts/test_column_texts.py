"""Every column of every judged view is described: what it is, its unit, what NULL says."""

from importlib import resources
from pathlib import Path

import pytest

from auditor.authoring.lineage import plain_fact
from auditor.authoring.schema_docs import about_view, described
from auditor.facts.catalog import catalog, view_columns
from auditor.facts.column_texts import common_texts, own_texts


@pytest.mark.parametrize("view", view_columns())
def test_every_column_of_the_view_has_a_text(view: str) -> None:
    silent = [column.name for column in described(view) if not column.what]
    assert silent == [], f"describe them in auditor/facts/views/{catalog().views[view].domain}/{view}.yaml"
    assert about_view(view).endswith((".", ")"))


def test_no_text_is_about_a_column_that_is_not_there() -> None:
    everywhere = {column for columns in view_columns().values() for column in columns}
    assert {*common_texts()} <= everywhere
    assert [f"{view}.{column}" for view, columns in view_columns().items() for column in own_texts(view) if column not in columns] == []


def test_every_text_file_stands_beside_its_view() -> None:
    beside = {f"{view.domain}/{name}.yaml" for name, view in catalog().views.items() if not name.startswith("step_")}
    folder = Path(str(resources.files("auditor.facts"))) / "views"
    assert {str(file.relative_to(folder)) for file in folder.rglob("*.yaml")} == {*beside, "common.yaml"}


def test_a_column_that_hands_a_fact_on_has_the_text_of_the_fact() -> None:
    reported = {column.name: column for column in described("device")}
    assert reported["vendor"].sources == ("device.vendor",)
    assert reported["vendor"].is_plain
    assert "inquiry vendor" in reported["vendor"].what


def test_a_computed_column_names_the_facts_it_is_made_of() -> None:
    reported = {column.name: column for column in described("device")}
    assert not reported["driver"].is_plain
    assert "hba.driver" in reported["driver"].sources
    assert not [fact for fact in reported["driver"].sources if fact.startswith(("reading.", "device."))]


@pytest.mark.long
@pytest.mark.parametrize(
    ("view", "column", "fact"),
    [
        pytest.param("host", "host", ("host", "name"), id="under another name"),
        pytest.param("protocol_endpoint", "dsnro", ("device_scheduling", "dsnro"), id="through a view and a CTE"),
        pytest.param("adapter", "endpoint", ("hba", "endpoint"), id="joined by USING"),
        pytest.param("device", "vendor", ("device", "vendor"), id="kept by a number of its own"),
        pytest.param("device", "driver", None, id="looked up by a number that is computed"),
        pytest.param("device", "resource_id", None, id="put together"),
        pytest.param("datastore", "both_throttle", None, id="computed"),
    ],
)
def test_a_column_is_followed_to_the_fact_it_hands_on(view: str, column: str, fact: tuple[str, str] | None) -> None:
    assert plain_fact(view, column) == fact


def test_example_values_are_of_their_columns_type() -> None:
    kinds = {"BIGINT": int, "INTEGER": int, "DOUBLE": float, "BOOLEAN": bool, "VARCHAR": str}
    for view in view_columns():
        for column in described(view):
            assert column.example is None or type(column.example) is kinds[column.type], (view, column.name)
