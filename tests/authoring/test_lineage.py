"""What a column rests on leaves out the sides of a union that cannot have its rows."""

import pytest

from auditor.authoring.lineage import rests_on
from auditor.facts.catalog import view_columns


@pytest.mark.long
@pytest.mark.parametrize(
    ("view", "table", "others"),
    [
        pytest.param("baseline_dsnro", "device_scheduling", {"host_option", "device_policy", "array_volume"}, id="a setting of devices"),
        pytest.param("baseline_qos_policy", "array_qos_policy", {"device", "array_volume", "datastore"}, id="a setting of arrays"),
        pytest.param("baseline_parameter", "host_module", {"host_option", "device", "iscsi_target"}, id="a setting of hosts"),
    ],
)
def test_a_view_of_drift_rests_on_the_facts_of_its_own_kind_of_setting(view: str, table: str, others: set[str]) -> None:
    tables = {of for of, _ in rests_on([(view, list(view_columns()[view]))]).columns}
    assert table in tables
    assert not others & tables


@pytest.mark.long
def test_a_column_kept_by_a_number_rests_on_its_own_facts_alone() -> None:
    tables = {column: {of for of, _ in rests_on([("device", [column])]).columns} for column in ("vendor", "dsnro", "driver")}
    assert tables["vendor"] == {"device", "host", "reading"}
    assert tables["dsnro"] == {"device", "device_scheduling", "host", "reading"}
    assert tables["driver"] == {"device", "hba", "path", "host", "reading"}
