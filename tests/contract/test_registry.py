"""One registry says all that others need to know of a kind of endpoint."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path

import duckdb
import pytest

import auditor.endpoints
from auditor.endpoints.settings import remediator_for, remediator_names, setting_of
from auditor.endpoints.vcenter.collect.changes import EVENTS, TASKS
from auditor.errors import ConfigurationError
from auditor.facts.families import FAMILIES
from auditor.facts.needs import SOURCES
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType, endpoint_type, package_types
from auditor.model.settings import Setting
from tests.contract.examples import EXAMPLES
from tests.waiting import completed

KINDS = [pytest.param(one, id=one.kind.value) for one in package_types()]
SETTINGS = [pytest.param(one, name, id=name) for one in package_types() for name in one.settings]


def test_every_folder_of_an_endpoint_kind_is_listed_and_no_other() -> None:
    folder = Path(auditor.endpoints.__file__).parent
    folders = {path.parent.name for path in folder.glob("*/__init__.py")} - {"common"}
    listed = {kind.value.replace("-", "_") for kind in EndpointKind}
    assert folders - listed == set(), "folders of auditor/endpoints that model.EndpointKind does not list"
    assert listed - folders == set(), "kinds of model.EndpointKind without a folder in auditor/endpoints"


def test_there_is_an_example_of_every_kind_of_array() -> None:
    missing = [one.kind.value for one in package_types() if one.is_array and one.kind not in EXAMPLES]
    assert missing == [], "kinds without an entry in tests/contract/examples.py"


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_names_is_there(kind: EndpointType) -> None:
    assert endpoint_type(kind.kind) is kind
    assert callable(kind.load(kind.opener))
    assert callable(kind.load(kind.collector))


@pytest.mark.parametrize("kind", KINDS)
def test_every_topic_of_a_kind_fills_a_table_and_is_named_once(kind: EndpointType) -> None:
    assert sorted(set(kind.topics)) == sorted(kind.topics)
    assert set(kind.topics) - {source.topic for source in SOURCES.values()} == set(), "topics of no table of auditor/facts"


@pytest.mark.parametrize("kind", [one for one in package_types() if one.is_array])
def test_the_family_of_an_array_kind_is_among_those_that_auditor_knows(kind: EndpointType) -> None:
    assert kind.family in FAMILIES


@pytest.mark.parametrize(("kind", "name"), SETTINGS)
def test_every_setting_is_a_remediator_of_its_kind_that_reads_and_writes(kind: EndpointType, name: str) -> None:
    remediator = remediator_for(name)
    assert kind.takes(name, remediator.kind)
    assert callable(remediator.read)
    assert callable(remediator.write)
    public = {attribute for attribute in dir(remediator) if not attribute.startswith("_")}
    assert public - {"inherit"} == {"kind", "read", "write"}, "a remediator holds no policy"


@pytest.mark.parametrize(("kind", "name"), SETTINGS)
def test_a_setting_of_an_array_begins_with_the_name_of_its_kind(kind: EndpointType, name: str) -> None:
    assert not kind.is_array or name.startswith(f"{kind.kind.value.replace('-', '_')}.")


@pytest.mark.parametrize(("kind", "name"), SETTINGS)
def test_a_setting_has_one_unit_or_units_by_target_and_says_of_vcenter_alone_what_it_asks_for(kind: EndpointType, name: str) -> None:
    setting = kind.settings[name]
    assert setting_of(name) is setting
    assert not (setting.unit and setting.units)
    assert all(unit and glob for glob, unit in setting.units.items())
    assert kind.is_array or setting.needed is not None, "say in TYPE which privileges a write takes"
    assert not kind.is_array or (setting.needed, setting.shown_by) == (None, ()), "an array has roles, and vCenter's log does not know it"


def test_every_parameter_that_sets_the_depth_of_a_queue_is_counted_in_commands() -> None:
    known = duckdb.connect().execute(
        resources.files("auditor.facts").joinpath("views/host/step_depth_parameter.sql").read_text(encoding="utf-8")
    )
    parameters = {parameter for _, parameter, _ in known.fetchall() if parameter is not None}
    setting = endpoint_type(EndpointKind.VCENTER).settings["host.module_option"]
    assert parameters, "the view lists some"
    assert sorted(name for name in parameters if setting.unit_of({"parameter": name}) != "commands") == []


def test_what_shows_who_changed_a_setting_is_what_is_read_of_the_log_and_all_of_it_is_used() -> None:
    named = {what for one in package_types() for setting in one.settings.values() for what in setting.shown_by}
    assert named == {what.lower() for what in (*TASKS, *EVENTS)}


def test_no_two_kinds_have_a_setting_of_one_name_but_one_that_shares_those_of_another() -> None:
    own = sorted(name for one in package_types() if one.settings_of is None for name in one.settings)
    assert own == list(remediator_names()) == sorted(set(own))
    for one in package_types():
        if one.settings_of is not None:
            of = endpoint_type(one.settings_of)
            assert one.settings.items() <= of.settings.items()
            assert one.steps.items() <= of.steps.items()


def test_a_kind_takes_the_settings_that_it_shares_and_no_others_of_that_kind() -> None:
    host, vcenter = endpoint_type(EndpointKind.ESXI), endpoint_type(EndpointKind.VCENTER)
    assert host.takes("host.option", EndpointKind.VCENTER)
    assert host.takes("host.boot", EndpointKind.VCENTER)
    assert not host.takes("datastore.sioc", EndpointKind.VCENTER)
    assert not host.takes("element.qos_policy", EndpointKind.ELEMENT)
    assert not vcenter.takes("host.option", EndpointKind.ESXI)


def test_an_unknown_name_is_told_with_those_that_exist() -> None:
    with pytest.raises(ConfigurationError) as caught:
        remediator_for("device.dsnr")
    assert "'device.dsnr'" in caught.value.what
    assert "device.dsnro" in caught.value.do


@pytest.mark.parametrize(
    ("keys", "unit"),
    [
        pytest.param({"option": "Net.Heap"}, "MB", id="an option"),
        pytest.param({"option": "NET.HEAP"}, "MB", id="in capitals"),
        pytest.param({"option": "Net.HeapSize"}, "", id="another option"),
        pytest.param({"module": "m", "parameter": "drv_LunQDepth"}, "commands", id="the end of a parameter"),
        pytest.param({"field": "drv_LunQDepth"}, "commands", id="a field"),
        pytest.param({"device": "Net.Heap"}, "", id="no name of a setting"),
    ],
)
def test_the_unit_of_a_setting_goes_by_what_its_target_names(keys: dict[str, str], unit: str) -> None:
    assert Setting("m:C", units={"Net.Heap": "MB", "*lunqdepth": "commands"}).unit_of(keys) == unit
    assert Setting("m:C", unit="IOPS").unit_of(keys) == "IOPS"


def test_the_registry_loads_no_client() -> None:
    program = (
        "import sys, auditor.endpoints.settings as r, auditor.facts.schema, auditor.fleet.loading;"
        "[r.setting_of(name).unit_of({}) for name in r.remediator_names()];"
        "print([m for m in ('pyVmomi', 'httpx', 'solidfire', 'asyncssh') if m in sys.modules])"
    )
    assert completed([sys.executable, "-c", program], check=True).stdout == "[]\n"
