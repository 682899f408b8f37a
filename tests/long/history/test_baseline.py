"""Which rules a baseline brings, and what is read for them."""

import io
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.facts.baseline import KINDS, VIEWS, counts
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.history.baseline import comparable_rules, copy_baseline, load_about, missing_notices, put_baseline, set_baseline
from auditor.history.kept_run import KeptRun
from auditor.model import EndpointKind, Gap
from auditor.pipeline.policy import load_rule_set, needs_for
from auditor.report.terminal.baseline import write_baseline
from tests.facts.fleets import WHEN, endpoints

RULES = load_rule_set()
DRIFT = {rule.id for rule in RULES if rule.over in VIEWS}
DECLARED = {rule.id for rule in RULES if rule.over.startswith("declared_")}


def judged(held: Collection[str], asked: Collection[str] = ()) -> set[str]:
    return set(comparable_rules(RULES, held, named=asked).rules)


def test_rules_of_drift_are_those_over_the_views_of_a_baseline() -> None:
    assert {rule.id for rule in RULES if "drift" in rule.tags} == DRIFT | DECLARED
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
    ("held", "asked", "text"),
    [
        pytest.param((), ("drift",), "no baseline is set", id="a tag"),
        pytest.param((), ("drift", "multipath"), "no baseline is set", id="a tag among others"),
        pytest.param((), ("baseline/option",), "no baseline is set", id="a rule"),
        pytest.param((), ("baseline/option", "iscsi/mtu"), "no baseline is set", id="a rule among others"),
        pytest.param(("option",), ("baseline/sioc",), "holds nothing that baseline/", id="a kind that it does not hold"),
    ],
)
def test_asking_for_drift_with_nothing_to_compare_with_is_a_mistake(held: Collection[str], asked: Collection[str], text: str) -> None:
    rules = RULES.tagged(asked) if "drift" in asked else RULES.only(asked)
    with pytest.raises(ConfigurationError, match=text):
        comparable_rules(rules, held, named=asked)


def test_rules_of_drift_alone_need_a_baseline_however_they_were_chosen() -> None:
    with pytest.raises(ConfigurationError, match="no baseline is set"):
        comparable_rules(RULES.only(DRIFT), ())


def test_asking_for_all_rules_is_not_asking_for_drift() -> None:
    assert judged((), asked=("all",)) == set(RULES.rules) - DRIFT


@pytest.mark.parametrize(
    ("host", "endpoint", "text", "do"),
    [
        pytest.param("esx-1", "vc-west", 'no host of vc-west called "esx-1", but one of vc-east', "--endpoint vc-east", id="elsewhere"),
        pytest.param("esx-l", None, 'no host called "esx-l"; did you mean "esx-1"?', "name a host as vCenter does.", id="misspelt"),
    ],
)
def test_a_host_that_is_not_there_is_told_with_the_one_that_is(tmp_path: Path, host: str, endpoint: str | None, text: str, do: str) -> None:
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": ["vc-east", "vc-east"], "host_id": ["host-1", "host-2"], "name": ["esx-1", None]}))
    builder.finish(endpoints(), started=WHEN, finished=WHEN).save(tmp_path / "run" / "snapshot")
    run = KeptRun("run", tmp_path / "run", WHEN, WHEN, 2, 1, 0, 0, 0, 0, 0, 1.0)
    with pytest.raises(ConfigurationError) as refused:
        set_baseline(tmp_path, run, WHEN, host, endpoint)
    assert text in refused.value.what
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


def read_at(identities: Mapping[str, str | None]) -> Snapshot:
    """Two vCenters that say who they are, with a host of one name each."""
    builder = SnapshotBuilder()
    for endpoint in identities:
        builder.add(Batch("host", {"endpoint": [endpoint], "host_id": ["host-1"], "name": ["esx-1"], "cluster": ["gold"]}))
        option = {"endpoint": endpoint, "host_id": "host-1", "key": "Disk.QFullSampleSize", "value": "32", "value_type": "long"}
        builder.add(Batch("host_option", {name: [value] for name, value in option.items()}))
    kinds = dict.fromkeys((name for name in identities if name != "vc"), EndpointKind.VCENTER)
    readings = tuple(replace(reading, identity=identities[reading.name]) for reading in endpoints(**kinds))
    return builder.finish(readings, started=WHEN, finished=WHEN)


def with_a_baseline(state: Path, identities: Mapping[str, str | None], host: str | None = None, reach: str = "cluster") -> None:
    read_at(identities).save(state / "run" / "snapshot")
    set_baseline(state, KeptRun("run", state / "run", WHEN, WHEN, 1, 1, 0, 0, 0, 0, 0, 1.0), WHEN, host, host and "vc", reach)


def compared(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Endpoint and host of every setting that something may be compared with."""
    settings = "SELECT of_endpoint, of_host FROM fact.baseline WHERE kind = 'option' ORDER BY ALL"
    return snapshot.connection.execute(settings).fetchall()


WAS = {"vc": "1111", "west": "2222"}


def test_a_baseline_is_compared_with_the_endpoint_it_was_taken_of_alone(tmp_path: Path) -> None:
    with_a_baseline(tmp_path, WAS)
    same = put_baseline(read_at(WAS), tmp_path)
    assert (compared(same), same.gaps) == ([("vc", "esx-1"), ("west", "esx-1")], ())
    other = put_baseline(read_at({**WAS, "vc": "9999"}), tmp_path)
    assert compared(other) == [("west", "esx-1")]
    (gap,) = other.gaps
    assert (gap.endpoint, "taken of 1111, and vc is 9999 now" in gap.why) == ("vc", True)
    assert missing_notices(other) == ()
    other.save(tmp_path / "saved")
    assert load_snapshot(tmp_path / "saved").gaps == (gap,)


def test_one_good_host_of_another_vcenter_is_an_example_for_nobody(tmp_path: Path) -> None:
    with_a_baseline(tmp_path, WAS, "esx-1", "all")
    other = put_baseline(read_at({**WAS, "vc": "9999"}), tmp_path)
    assert (compared(other), len(other.gaps)) == ([], 1)
    assert counts(other.connection) == {}


@pytest.mark.parametrize(
    ("then", "now"),
    [
        pytest.param({"vc": None}, {"vc": "9999"}, id="a baseline of an older auditor"),
        pytest.param({"vc": "1111"}, {"vc": None}, id="an endpoint that does not say who it is"),
    ],
)
def test_where_an_identity_is_not_known_the_name_counts(
    tmp_path: Path, then: Mapping[str, str | None], now: Mapping[str, str | None]
) -> None:
    with_a_baseline(tmp_path, then)
    held = put_baseline(read_at(now), tmp_path)
    assert (compared(held), held.gaps) == ([("vc", "esx-1")], ())


def test_after_a_fix_the_gap_of_the_baseline_is_still_there_and_once(tmp_path: Path) -> None:
    with_a_baseline(tmp_path, WAS)
    now = {**WAS, "vc": "9999"}
    before = put_baseline(read_at(now), tmp_path)
    after = copy_baseline(before, read_at(now))
    assert (compared(after), after.gaps) == ([("west", "esx-1")], before.gaps)
    kept = SnapshotBuilder()
    kept.add(before.gaps[0])
    took_over = copy_baseline(before, kept.finish(before.readings, started=WHEN, finished=WHEN))
    assert took_over.gaps == before.gaps
