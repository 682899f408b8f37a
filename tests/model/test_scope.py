"""A scope says what an audit was about, and two audits have one key only where they can be compared with each other."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.history.folders import RUN_FILE
from auditor.history.known_identities import endpoint_identities
from auditor.history.runs import begin_run, keep_run, load_run, report_of_run
from auditor.model import Endpoint, EndpointKind, Secret
from auditor.model.scope import Scope, fleet_identity, option_texts
from tests.report import samples

SCOPE = Scope("fleet-a", "fleet.yaml", ("vc-a", "vc-b"), 18, 12, 116, ("--endpoint vc-*", "--tag vvol"))
RUN = "20261121T010000Z-0000"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param(replace(SCOPE, rules=11, rules_of=117), True, id="another number of rules, after an upgrade"),
        pytest.param(replace(SCOPE, fleet_name="moved.yaml"), True, id="the file renamed"),
        pytest.param(replace(SCOPE, options=("--tag vvol",)), False, id="narrowed otherwise"),
        pytest.param(replace(SCOPE, fleet="fleet-b"), False, id="another fleet"),
        pytest.param(replace(SCOPE, fleet=None), False, id="a saved snapshot"),
    ],
)
def test_only_audits_of_one_fleet_that_were_narrowed_alike_have_one_key(other: Scope, same: bool) -> None:
    assert (other.key == SCOPE.key) is same


def test_saved_snapshots_of_two_folders_have_two_keys() -> None:
    snapshot = replace(SCOPE, fleet=None, fleet_name="monday")
    assert snapshot.key != replace(snapshot, fleet_name="tuesday").key


def test_a_scope_says_how_much_was_looked_at_and_by_which_options() -> None:
    assert SCOPE.sentence() == "12 of 116 rules, 2 of 18 endpoints: --endpoint vc-* --tag vvol"
    assert replace(SCOPE, options=()).sentence() == "12 of 116 rules, 2 of 18 endpoints"


@pytest.mark.parametrize(("options", "narrow"), [((), False), (("--tag all",), False), (("--tag all", "--host a"), True)])
def test_more_rules_than_usual_are_no_narrowing(options: tuple[str, ...], narrow: bool) -> None:
    assert replace(SCOPE, options=options).is_narrow is narrow


def test_options_stand_as_one_would_type_them_in_one_order() -> None:
    given = {"--tag": ["vvol", "qos", "vvol"], "--cluster": ["prod-*", "My cluster", "$(x)"], "--host": []}
    assert option_texts(given) == ("--cluster '$(x)'", "--cluster 'My cluster'", "--cluster prod-*", "--tag qos", "--tag vvol")


def test_a_kept_run_has_its_scope_again_and_one_of_an_older_auditor_has_none(tmp_path: Path) -> None:
    directory = begin_run(tmp_path, RUN)
    keep_run(directory, replace(samples.clean(), scope=SCOPE))
    kept = load_run(tmp_path, RUN)
    assert kept.scope == SCOPE
    assert report_of_run(kept).scope == SCOPE
    head = json.loads((directory / RUN_FILE).read_text())
    assert head["scope"].pop("key") == SCOPE.key
    del head["scope"]
    (directory / RUN_FILE).write_text(json.dumps(head))
    assert load_run(tmp_path, RUN).scope is None
    report = (directory / "report.json").read_text()
    (directory / "report.json").write_text(report.replace('"scope": {', '"of_a_later_version": {'))
    assert report_of_run(load_run(tmp_path, RUN)).scope is None


def test_a_fleet_stays_the_same_while_an_endpoint_that_a_kept_run_knows_is_away(tmp_path: Path) -> None:
    vcenter, array = (
        Endpoint(name, kind, "example.net", 443, "audit", Secret("env", ("X",)))
        for name, kind in (("vc", EndpointKind.VCENTER), ("array", EndpointKind.ELEMENT))
    )
    both = endpoint_identities([vcenter, array], {"vc": "uuid-1", "array": "serial-1"}, tmp_path)
    assert both == ("uuid-1", "serial-1")
    assert endpoint_identities([vcenter, array], {"vc": "uuid-1", "array": None}, tmp_path) == ("uuid-1", "element array")
    (tmp_path / "runs" / "20261121T000000Z-torn").mkdir(parents=True)
    for number, kind in enumerate(("element", "ontap")):  # the newest has another array of that name, of another kind
        reading = replace(samples.reading("array", kind), identity=f"serial-{number + 1}")
        keep_run(begin_run(tmp_path, f"2026112{number}T010000Z-0000"), replace(samples.clean(), run=samples.run(reading)))
    assert endpoint_identities([vcenter, array], {"vc": "uuid-1"}, tmp_path) == both
    assert fleet_identity(both) == fleet_identity(both[::-1]) != fleet_identity(["uuid-1", "element array"])
