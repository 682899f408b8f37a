"""Two runs are compared finding by finding, and what was not read is neither new nor fixed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.errors import ConfigurationError, SnapshotError
from auditor.history.comparison.comparing import compare_runs, previous_run
from auditor.history.kept_run import KeptRun, Unread
from auditor.model import Verdict
from auditor.model.comparison import ChangeKind
from tests.history.kept_runs import DEVICE_RULE, HOST_RULE, KINDS, SCOPE, Row, endpoint, kept, run_id, write_verdicts

FAIL, PASS, UNKNOWN, WAIVED, NOT = "fail", "pass", "unknown", "waived", "not_applicable"
Kind = ChangeKind


def changes(earlier: KeptRun, later: KeptRun) -> dict[str, tuple[ChangeKind, str]]:
    """By resource id: what became of it, and why."""
    comparison = compare_runs(earlier, later)
    found = {one.finding.resource.id: (one.kind, one.why) for one in comparison.listed()}
    assert Counter(kind for kind, _ in found.values()) == dict(comparison.counts)
    return found


BECAME = {
    (PASS, FAIL): (Kind.NEW, "it passed then"),
    (NOT, FAIL): (Kind.NEW, "the rule did not apply to it then"),
    (WAIVED, FAIL): (Kind.NEW, "it was waived then"),
    (None, FAIL): (Kind.NEW, "it was not there then"),
    (UNKNOWN, FAIL): (Kind.NEWLY_JUDGED, "it was unknown then"),  # nobody knows whether it is new
    (FAIL, PASS): (Kind.FIXED, ""),
    (FAIL, None): (Kind.GONE, "it is not there any more"),
    (FAIL, NOT): (Kind.GONE, "the rule does not apply to it any more"),
    (FAIL, WAIVED): (Kind.NEWLY_WAIVED, ""),  # neither new nor fixed
    (FAIL, UNKNOWN): (Kind.NEWLY_UNKNOWN, "it failed then"),
    (PASS, UNKNOWN): (Kind.NEWLY_UNKNOWN, "it passed then"),
    (NOT, UNKNOWN): (Kind.NEWLY_UNKNOWN, "the rule did not apply to it then"),
    (WAIVED, UNKNOWN): (Kind.NEWLY_UNKNOWN, "it was waived then"),
}
"""Every pair of verdicts, none being None, that is a change; all others are none."""


def test_what_became_of_each_pair_of_verdicts(tmp_path: Path) -> None:
    verdicts = (FAIL, PASS, UNKNOWN, WAIVED, NOT, None)
    pairs = {f"{was} {now}": (was, now) for was in verdicts for now in verdicts}
    runs = [
        kept(tmp_path, day, [Row(name, verdict) for name, pair in pairs.items() if (verdict := pair[day]) is not None]) for day in (0, 1)
    ]
    assert changes(*runs) == {name: BECAME[pair] for name, pair in pairs.items() if pair in BECAME}


def test_a_failure_with_another_observed_value_has_changed_and_both_values_are_there(tmp_path: Path) -> None:
    runs = [kept(tmp_path, day, [Row("d", FAIL, observed=value), Row("e", FAIL)]) for day, value in enumerate((32, 16))]
    (one,) = compare_runs(*runs).listed()
    assert (one.kind, one.before and one.before.observed, one.after and one.after.observed) == (Kind.CHANGED, 32, 16)


def test_a_measured_value_that_is_another_is_no_change_and_a_setting_is(tmp_path: Path) -> None:
    measured, setting = "diag/davg", "queue/default-unless-justified"
    rules = {measured: "device_load", setting: "device_demand"}
    runs = [
        kept(
            tmp_path,
            day,
            [Row("d", FAIL, rule=measured, observed=30.5 + day), Row("e", FAIL, rule=setting, observed=64 + day)],
            rules=rules,
        )
        for day in (0, 1)
    ]
    assert changes(*runs) == {"e": (Kind.CHANGED, "")}


def test_what_would_be_unknown_without_its_waiver_is_unknown(tmp_path: Path) -> None:
    runs = kept(tmp_path, 0, [Row("d", WAIVED, waived_from=UNKNOWN)]), kept(tmp_path, 1, [Row("d", FAIL)])
    assert changes(*runs) == {"d": (Kind.NEWLY_JUDGED, "it was unknown then")}


def test_what_was_not_read_is_neither_gone_nor_new(tmp_path: Path) -> None:
    unread = (Unread("vc", "no-devices", ("devices",)), Unread("vc", "no-options", ("options",)), Unread("vc", None, ("tags",)))
    seen = kept(tmp_path, 0, [Row(host, FAIL, host=host) for host in ("no-devices", "no-options", "whole")])
    other = kept(tmp_path, 1, [], unread=unread)
    gone, new = (Kind.GONE, "it is not there any more"), (Kind.NEW, "it was not there then")
    not_read = (Kind.NO_LONGER_READ, "what the rule needs of it was not read")
    assert changes(seen, other) == {"no-devices": not_read, "no-options": gone, "whole": gone}
    assert changes(other, seen) == {"no-devices": (Kind.NEWLY_JUDGED, "it was not read then"), "no-options": new, "whole": new}


@pytest.mark.parametrize(
    ("endpoint_of_row", "earlier_unread", "kinds"),
    [
        pytest.param("vc", (), (Kind.NO_LONGER_READ, Kind.NEWLY_JUDGED), id="of the vCenter"),
        pytest.param("array", (), (Kind.NO_LONGER_READ, Kind.NEWLY_JUDGED), id="of an array"),
        pytest.param("vc", (Unread("vc", "esx-1", ("devices",)),), (Kind.GONE, Kind.NEW), id="the host was unread in both"),
    ],
)
def test_what_is_of_no_single_host_may_have_gone_with_a_host_that_was_not_read(
    tmp_path: Path, endpoint_of_row: str, earlier_unread: tuple[Unread, ...], kinds: tuple[ChangeKind, ChangeKind]
) -> None:
    rules, both = {DEVICE_RULE: "shared_device"}, [endpoint(), endpoint("array", "element")]
    seen = [Row("d", FAIL, endpoint=endpoint_of_row, host=None)]
    earlier = kept(tmp_path, 0, seen, endpoints=both, rules=rules, unread=earlier_unread)
    later = kept(tmp_path, 1, [], endpoints=both, rules=rules, unread=(Unread("vc", "esx-1", ("devices",)),))
    assert (changes(earlier, later)["d"][0], changes(later, earlier)["d"][0]) == kinds


def test_where_the_hosts_of_a_vcenter_were_not_listed_nothing_of_it_is_gone(tmp_path: Path) -> None:
    runs = kept(tmp_path, 0, [Row("d", FAIL)]), kept(tmp_path, 1, [], unread=(Unread("vc", None, ("hosts",)),))
    assert changes(*runs)["d"][0] is Kind.NO_LONGER_READ


def test_an_endpoint_that_did_not_answer_has_nothing_gone(tmp_path: Path) -> None:
    runs = kept(tmp_path, 0, [Row("d", FAIL)]), kept(tmp_path, 1, [], endpoints=[endpoint(answered=False)])
    assert changes(*runs)["d"][0] is Kind.NO_LONGER_READ


def test_of_an_older_run_with_gaps_nothing_is_known_to_be_gone(tmp_path: Path) -> None:
    gaps = replace(endpoint(), complete=False)
    runs = kept(tmp_path, 0, [Row("d", FAIL)]), kept(tmp_path, 1, [], endpoints=[gaps], unread=None)
    assert changes(*runs)["d"][0] is Kind.NO_LONGER_READ


@pytest.mark.parametrize(
    ("before", "kind"), [pytest.param((), Kind.NO_LONGER_READ, id="newly away"), pytest.param(None, Kind.GONE, id="away in both")]
)
def test_an_array_that_is_newly_away_may_have_taken_rows_of_a_vcenter_with_it(
    tmp_path: Path, before: tuple[Unread, ...] | None, kind: ChangeKind
) -> None:
    rules = {DEVICE_RULE: "device_volume"}
    both = [endpoint(), endpoint("array", "element")]
    away = (Unread("array", None, ("volumes",)),)
    earlier = kept(tmp_path, 0, [Row("d", FAIL)], endpoints=both, rules=rules, unread=away if before is None else before)
    assert changes(earlier, kept(tmp_path, 1, [], endpoints=both, rules=rules, unread=away))["d"][0] is kind


def test_an_endpoint_with_another_name_is_the_same_one_and_another_one_under_the_name_is_not(tmp_path: Path) -> None:
    runs = [
        kept(tmp_path, day, [Row("d", FAIL, endpoint=name)], endpoints=[endpoint(name, identity=identity)])
        for day, (name, identity) in enumerate([("vc", "uuid-1"), ("vc-new", "UUID-1"), ("vc-new", "uuid-2"), ("vc-new", None)])
    ]
    assert changes(runs[0], runs[1]) == {}
    assert {one.kind for one in compare_runs(runs[1], runs[2]).listed()} == {Kind.NO_LONGER_READ, Kind.NEWLY_JUDGED}
    assert changes(runs[2], runs[3]) == {}, "where one run does not know who it was, the name counts"


def test_a_host_that_moved_to_another_cluster_has_no_change(tmp_path: Path) -> None:
    runs = [kept(tmp_path, day, [Row("d", FAIL, cluster=cluster)]) for day, cluster in enumerate(("gold", "silver"))]
    assert changes(*runs) == {}


def test_a_failure_of_a_rule_that_is_new_says_so_and_one_of_a_rule_that_went_is_gone(tmp_path: Path) -> None:
    rows = [Row("d", FAIL), Row("h", FAIL, rule=HOST_RULE)]
    both = kept(tmp_path, 1, rows)
    one = kept(tmp_path, 0, rows[:1], rules={DEVICE_RULE: "device"})
    assert changes(one, both) == {"h": (Kind.NEW, "the rule is new: it was not judged by it then")}
    assert changes(both, one) == {"h": (Kind.GONE, "it is not judged by this rule any more")}
    assert compare_runs(one, both).notes == ("1 rule was judged in the later run only: host/two.",)


def test_a_rule_that_ranges_over_another_view_now_is_another_rule(tmp_path: Path) -> None:
    runs = [kept(tmp_path, day, [Row("d", FAIL)], rules={DEVICE_RULE: view}) for day, view in enumerate(("device", "host_option"))]
    found = compare_runs(*runs)
    assert [(one.kind, one.why) for one in found.listed()] == [
        (Kind.NEW, "the rule goes by other rows now: what it said then is not the same question"),
        (Kind.GONE, "the rule goes by other rows now: what it says now is not the same question"),
    ]
    assert found.notes == ("1 rule goes by other rows in the later run, so all its failures are listed as new and gone: queue/one.",)


def test_runs_without_an_endpoint_in_common_are_not_said_to_be_the_same(tmp_path: Path) -> None:
    runs = [
        kept(tmp_path, day, [Row("d", FAIL)], endpoints=[endpoint(identity=f"uuid-{day}")], scope=replace(SCOPE, fleet=f"fleet-{day}"))
        for day in (0, 1)
    ]
    with pytest.raises(ConfigurationError, match="no endpoint in common"):
        compare_runs(*runs)


def test_other_scopes_are_compared_as_far_as_both_have_judged(tmp_path: Path) -> None:
    narrow = replace(SCOPE, options=("--only queue/one",))
    earlier = kept(tmp_path, 0, [Row("d", FAIL), Row("e", PASS), Row("f", FAIL)], rules={DEVICE_RULE: "device"}, scope=narrow)
    later = kept(tmp_path, 1, [Row("d", PASS), Row("e", FAIL), Row("g", FAIL), Row("h", FAIL, rule=HOST_RULE)])
    comparison = compare_runs(earlier, later)
    assert not comparison.same_scope
    assert {one.finding.resource.id: one.kind for one in comparison.listed()} == {"d": Kind.FIXED, "e": Kind.NEW}
    assert "--only queue/one" in comparison.notes[0]


def test_a_fleet_with_an_endpoint_more_is_compared_as_far_as_both_have_its_endpoints(tmp_path: Path) -> None:
    vcenter, array = endpoint(identity="uuid-1"), endpoint("array", "element", "uuid-2")
    rows = [Row("a", FAIL), Row("b", PASS)]
    before = kept(tmp_path, 0, rows, endpoints=[vcenter])
    grown = replace(SCOPE, fleet="other", endpoints=("vc", "array"))
    now = [Row("b", FAIL), Row("c", FAIL), Row("v", FAIL, endpoint="array", host=None)]
    after = kept(tmp_path, 1, now, endpoints=[vcenter, array], scope=grown)
    assert previous_run(tmp_path, after) == before
    assert {name: kind for name, (kind, _) in changes(before, after).items()} == {"a": Kind.GONE, "b": Kind.NEW, "c": Kind.NEW}
    comparison = compare_runs(before, after)
    assert not comparison.same_scope
    assert comparison.notes == ("The fleet has other endpoints: array only now. Compared are those of both.",)
    other = kept(tmp_path, 2, [], endpoints=[endpoint(identity="uuid-9")], scope=replace(SCOPE, fleet="third"))
    assert previous_run(tmp_path, other) is None, "another fleet, whose file has the same name"


def test_what_a_run_of_some_hosts_does_not_have_may_be_elsewhere(tmp_path: Path) -> None:
    gold = replace(SCOPE, options=("--cluster gold-*",))
    runs = [kept(tmp_path, day, [Row(name, FAIL)], scope=gold) for day, name in enumerate("ab")]
    assert changes(*runs) == {
        "a": (Kind.GONE, "it is not there any more, or is elsewhere"),
        "b": (Kind.NEW, "it was not there then, or was elsewhere"),
    }


def test_other_rules_waivers_or_params_are_noted(tmp_path: Path) -> None:
    runs = [kept(tmp_path, day, [], basis={"rules": rules, "params": "p", "waivers": ""}) for day, rules in enumerate("ab")]
    (note,) = compare_runs(*runs).notes
    assert note == "The runs were judged by different things: the rules, or the views they judge, are other ones."


def test_a_failure_comes_back_where_a_kept_run_had_it_and_one_since_had_it_passing(tmp_path: Path) -> None:
    lives = {
        "passed in the run before": (PASS, PASS, FAIL, PASS, FAIL),
        "passed before that": (FAIL, PASS, None, NOT, FAIL),
        "never failed": (PASS, PASS, PASS, PASS, FAIL),
        "never passed": (FAIL, FAIL, FAIL, None, FAIL),
        "failed twice": (FAIL, PASS, FAIL, PASS, FAIL),
        "passed first, then was not there": (PASS, FAIL, None, None, FAIL),
    }
    runs = [
        kept(tmp_path, day, [Row(name, verdict) for name, life in lives.items() if (verdict := life[day]) is not None]) for day in range(5)
    ]
    assert changes(*runs[-2:]) == {
        "passed in the run before": (Kind.CAME_BACK, f"it failed in run {run_id(2)} and passed since"),
        "passed before that": (Kind.CAME_BACK, f"it failed in run {run_id(0)} and passed since"),
        "never failed": (Kind.NEW, "it passed then"),
        "never passed": (Kind.NEW, "it was not there then"),
        "failed twice": (Kind.CAME_BACK, f"it failed in run {run_id(2)} and passed since"),
        "passed first, then was not there": (Kind.NEW, "it was not there then"),
    }


def test_a_damaged_run_before_hides_nothing_of_the_others(tmp_path: Path) -> None:
    runs = [kept(tmp_path, day, [Row("d", verdict)]) for day, verdict in enumerate((FAIL, FAIL, PASS, FAIL))]
    (runs[1].directory / "findings.parquet").write_bytes(b"torn")
    assert changes(*runs[2:])["d"] == (Kind.CAME_BACK, f"it failed in run {run_id(0)} and passed since")
    with pytest.raises(SnapshotError, match="does not hold the verdicts"):
        compare_runs(runs[1], runs[3])


def test_a_run_of_the_first_format_is_compared(tmp_path: Path) -> None:
    earlier, later = kept(tmp_path, 0, []), kept(tmp_path, 1, [Row("d", FAIL)])
    lacking = ("waiver", "waived_from", "impact", "impact_rank", "retunes", "touches", "waits", "message")
    write_verdicts(earlier.directory / "findings.parquet", [Row("d", PASS)], KINDS, version=1, without=lacking)
    assert changes(earlier, later) == {"d": (Kind.NEW, "it passed then")}


def test_a_run_without_verdicts_is_refused(tmp_path: Path) -> None:
    earlier, later = kept(tmp_path, 0, []), kept(tmp_path, 1, [])
    (earlier.directory / "findings.parquet").unlink()
    with pytest.raises(ConfigurationError, match="has no verdicts that can be compared"):
        compare_runs(earlier, later)


def test_the_run_before_is_the_newest_of_the_same_scope(tmp_path: Path) -> None:
    narrow = replace(SCOPE, options=("--tag vvol",))
    runs = [kept(tmp_path, day, [], scope=scope) for day, scope in enumerate((SCOPE, SCOPE, narrow, None, SCOPE, SCOPE))]
    assert previous_run(tmp_path, runs[4]) == runs[1]
    assert previous_run(tmp_path, runs[2]) is None
    (runs[1].directory / "run.json").unlink()  # unfinished
    assert previous_run(tmp_path, runs[4]) == runs[0]


_VERDICTS = st.sampled_from((FAIL, PASS, UNKNOWN, WAIVED, NOT, None))
_RUN = st.dictionaries(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), st.tuples(_VERDICTS, st.integers(0, 1)), max_size=26)
_GONE_ALSO = {Kind.FIXED, Kind.GONE, Kind.NEWLY_WAIVED}


def _oracle(was: tuple[str | None, int], now: tuple[str | None, int]) -> ChangeKind | None:
    """What became of one finding, in plain Python."""
    if now[0] == FAIL:
        if was[0] == FAIL:
            return Kind.CHANGED if was[1] != now[1] else None
        return Kind.NEWLY_JUDGED if was[0] == UNKNOWN else Kind.NEW
    if now[0] == UNKNOWN and was[0] not in (UNKNOWN, None):
        return Kind.NEWLY_UNKNOWN
    return {PASS: Kind.FIXED, WAIVED: Kind.NEWLY_WAIVED, NOT: Kind.GONE, None: Kind.GONE}.get(now[0]) if was[0] == FAIL else None


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=_RUN, after=_RUN)
def test_counts_are_those_of_plain_python_and_mirror_each_other(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, tuple[str | None, int]], after: dict[str, tuple[str | None, int]]
) -> None:
    state = tmp_path_factory.mktemp("state")
    runs = [
        kept(state, day, [Row(name, verdict, observed=value) for name, (verdict, value) in verdicts.items() if verdict is not None])
        for day, verdicts in enumerate((before, after))
    ]
    there = compare_runs(*runs)
    absent = (None, 0)
    kinds = [_oracle(before.get(name, absent), after.get(name, absent)) for name in before.keys() | after.keys()]
    assert there.counts == Counter(kind for kind in kinds if kind is not None)
    back = compare_runs(runs[1], runs[0])
    new = {finding.resource.id for kind, finding in there.changes() if kind is Kind.NEW}
    assert new == {finding.resource.id for kind, finding in back.changes() if kind in _GONE_ALSO}
    was_failing = sum(
        one.before is not None and one.before.verdict is Verdict.FAIL for one in there.listed() if one.kind is Kind.NEWLY_UNKNOWN
    )
    more = there.worse + there.counts.get(Kind.NEWLY_JUDGED, 0)
    less = sum(there.counts.get(kind, 0) for kind in (*_GONE_ALSO, Kind.NO_LONGER_READ)) + was_failing
    assert runs[1].fail == runs[0].fail + more - less


def test_a_run_compared_with_itself_has_no_change(tmp_path: Path) -> None:
    run = kept(tmp_path, 0, [Row(verdict, verdict) for verdict in (FAIL, PASS, UNKNOWN, WAIVED, NOT)])
    assert compare_runs(run, run).counts == {}
