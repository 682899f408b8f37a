"""Which rules a baseline brings, and what is read for them."""

import io
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.facts.baseline import KINDS, VIEWS
from auditor.facts.schema import Batch
from auditor.facts.snapshot import SnapshotBuilder
from auditor.history.baseline import comparable_rules, load_about, set_baseline
from auditor.history.runs import KeptRun
from auditor.model import Gap
from auditor.policy import load_rule_set, needs_for
from auditor.report.baseline import write_baseline
from tests.facts.fleets import WHEN, endpoints

RULES = load_rule_set()
DRIFT = {rule.id for rule in RULES if rule.over in VIEWS}


def judged(held: Collection[str], asked: Collection[str] = ()) -> set[str]:
    return set(comparable_rules(RULES, held, named=asked).rules)


def test_rules_of_drift_are_those_over_the_views_of_a_baseline() -> None:
    assert {rule.id for rule in RULES if "drift" in rule.tags} == DRIFT
    assert {RULES[rule].over for rule in DRIFT} == {kind.view for kind in KINDS.values()} <= VIEWS


def test_a_rule_over_a_view_of_an_earlier_version_is_judged_where_its_settings_are_held() -> None:
    [rule] = RULES.only(["baseline/queue-depth"])
    older = replace(RULES, rules=dict(RULES.rules) | {rule.id: replace(rule, over="baseline_queue_depth")})
    assert rule.id in comparable_rules(older, ("queue_depth",)).rules
    assert rule.id not in comparable_rules(older, ("option",)).rules


def test_without_a_baseline_no_rule_of_drift_is_judged_and_nothing_is_read_for_one() -> None:
    assert judged(()) == set(RULES.rules) - DRIFT
    assert needs_for(comparable_rules(RULES, ())) == needs_for(RULES.only(set(RULES.rules) - DRIFT))
    assert "events" not in needs_for(comparable_rules(RULES, ())).topics


def test_with_one_only_the_kinds_it_holds_are_judged() -> None:
    assert judged(("option", "sioc")) & DRIFT == {"baseline/option", "baseline/option-reboot", "baseline/sioc", "baseline/sioc-threshold"}
    assert judged(KINDS) == set(RULES.rules)


@pytest.mark.parametrize(
    ("held", "asked", "told"),
    [
        pytest.param((), ("drift",), "no baseline is set", id="a tag"),
        pytest.param((), ("drift", "multipath"), "no baseline is set", id="a tag among others"),
        pytest.param((), ("baseline/option",), "no baseline is set", id="a rule"),
        pytest.param((), ("baseline/option", "iscsi/mtu"), "no baseline is set", id="a rule among others"),
        pytest.param(("option",), ("baseline/sioc",), "holds nothing that baseline/", id="a kind that it does not hold"),
    ],
)
def test_asking_for_drift_with_nothing_to_compare_with_is_a_mistake(held: Collection[str], asked: Collection[str], told: str) -> None:
    rules = RULES.tagged(asked) if "drift" in asked else RULES.only(asked)
    with pytest.raises(ConfigurationError, match=told):
        comparable_rules(rules, held, named=asked)


def test_rules_of_drift_alone_need_a_baseline_however_they_were_chosen() -> None:
    with pytest.raises(ConfigurationError, match="no baseline is set"):
        comparable_rules(RULES.only(DRIFT), ())


def test_asking_for_all_rules_is_not_asking_for_drift() -> None:
    assert judged((), asked=("all",)) == set(RULES.rules) - DRIFT


@pytest.mark.parametrize(
    ("host", "endpoint", "told", "do"),
    [
        pytest.param("esx-1", "vc-west", 'no host of vc-west called "esx-1", but one of vc-east', "--endpoint vc-east", id="elsewhere"),
        pytest.param("esx-l", None, 'no host called "esx-l"; did you mean "esx-1"?', "name a host as vCenter does.", id="misspelt"),
    ],
)
def test_a_host_that_is_not_there_is_told_with_the_one_that_is(tmp_path: Path, host: str, endpoint: str | None, told: str, do: str) -> None:
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": ["vc-east", "vc-east"], "host_id": ["host-1", "host-2"], "name": ["esx-1", None]}))
    builder.finish(endpoints(), started=WHEN, finished=WHEN).save(tmp_path / "run" / "snapshot")
    run = KeptRun("run", tmp_path / "run", WHEN, WHEN, 2, 1, 0, 0, 0, 0, 0, 1.0)
    with pytest.raises(ConfigurationError) as refused:
        set_baseline(tmp_path, run, WHEN, host, endpoint)
    assert told in refused.value.what
    assert refused.value.do == do
    assert not (tmp_path / "baseline.parquet").exists()


def test_a_baseline_says_how_much_its_run_could_not_read(tmp_path: Path) -> None:
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": ["vc-east"], "host_id": ["host-1"], "name": ["esx-1"], "cluster": ["gold"]}))
    option = {"endpoint": "vc-east", "host_id": "host-1", "key": "Disk.QFullSampleSize", "value": "32", "value_type": "long"}
    builder.add(Batch("host_option", {name: [value] for name, value in option.items()}))
    for endpoint in ("vc-east", "vc-west"):
        builder.add(Gap(endpoint, "host esx-9", "vCenter is not connected to it"))
    builder.finish(endpoints(), started=WHEN, finished=WHEN).save(tmp_path / "run" / "snapshot")
    run = KeptRun("run", tmp_path / "run", WHEN, WHEN, 1, 1, 0, 0, 0, 0, 2, 1.0)
    for host, gaps in ((None, "2 things"), ("esx-1", "1 thing")):
        said = io.StringIO()
        set_baseline(tmp_path, run, WHEN, host)
        about = load_about(tmp_path)
        assert about is not None
        write_baseline(about, said)
        assert f"In that run {gaps} could not be read (auditor runs show run)" in said.getvalue()
