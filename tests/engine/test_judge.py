"""From facts to verdicts and plan in one call; the views are put in, since tests/facts are about these."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from auditor.engine import judge as judging
from auditor.engine.chosen_places import Chosen
from auditor.engine.evaluate import load_evaluation
from auditor.engine.fixes.planning import plan
from auditor.engine.judge import Judgement
from auditor.engine.rules.rule import RuleSet
from auditor.engine.taken_verdicts import TakenVerdicts
from auditor.engine.verdicts import Evaluation
from auditor.engine.waivers.file import Waiver, Waivers
from auditor.errors import RuleError
from auditor.facts.schema import create_tables
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointReading, FixClass, Gap, Plan, Target, Verdict
from tests.engine.bench import HEADROOM, SOUND, Override, fleet, pe, rule_text, rules_from

pytestmark = pytest.mark.long

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
END = datetime(2027, 4, 1, tzinfo=UTC)
FIX = "{remediator: device.dsnro, target: {host_id: host_id, device: option}, column: value, class: online, set: '64'}"

DEVICES = """
INSERT INTO fact.device (endpoint, host_id, device) VALUES ('vc-east', 'host-1', 'naa.6f47acc200000001');
INSERT INTO fact.array_protocol_endpoint (endpoint, device) VALUES ('sf-1', 'naa.6f47acc200000001');
INSERT INTO fact.reading (endpoint, scope, topic, complete) VALUES ('vc-east', '', 'devices', true);
"""
"""What the arrays of a plan's hosts are found by, and that all of it was read."""


def judge(
    patch: pytest.MonkeyPatch,
    folder: Path,
    rules: RuleSet,
    *overrides: Override,
    waivers: Waivers | None = None,
    chosen: Chosen | None = None,
    expendable: Collection[str] = (),
    own: Collection[str] = (),
    taken: TakenVerdicts | None = None,
    views: Collection[str] | None = None,
    readings: tuple[EndpointReading, ...] = (),
    **rows: Any,
) -> Judgement:
    """Judge views that hold these rows; `views` are those that are to be made, None: all that rules are over."""
    tables = {view: fleet(several, view) for view, several in rows.items()}
    made: list[tuple[Path, set[str]]] = []

    def create_views(connection: duckdb.DuckDBPyConnection, spill: Path, views: Collection[str]) -> None:
        made.append((spill, set(views)))
        for view, table in ((view, table) for view, table in tables.items() if view in views):
            frame = table.execute(f'SELECT * FROM "{view}"').fetchall()
            connection.execute(f'CREATE TABLE "{view}" ({", ".join(f"{name} {kind}" for name, kind in rules.views[view].items())})')
            for row in frame:
                connection.execute(f'INSERT INTO "{view}" VALUES ({", ".join("?" * len(row))})', row)

    patch.setattr(judging, "create_views", create_views)
    connection = duckdb.connect()
    create_tables(connection)
    connection.execute(DEVICES)
    found = judging.judge(
        Snapshot(connection, readings, (), AT, AT),
        rules,
        overrides,
        waivers,
        findings=folder / "findings.parquet",
        spill=folder / "spill",
        own=own,
        chosen=chosen,
        taken=taken,
        expendable=expendable,
    )
    assert made == [(folder / "spill", {rule.over for rule in rules} if views is None else set(views))]
    return found


def verdicts(found: Judgement) -> dict[str, Verdict]:
    return {finding.resource.name[-1]: finding.verdict for finding in found.evaluation.findings()}


def test_verdicts_are_saved_and_failures_become_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(tmp_path / "rules", SOUND)
    found = judge(monkeypatch, tmp_path, rules, protocol_endpoint=[pe(1), pe(2, dsnro=256), pe(3, dsnro=None)])
    expected = {"1": Verdict.FAIL, "2": Verdict.PASS, "3": Verdict.UNKNOWN}
    assert verdicts(found) == expected
    saved = load_evaluation(tmp_path / "findings.parquet")
    assert {finding.resource.name[-1]: finding.verdict for finding in saved.findings()} == expected
    assert [(change.target, change.after, change.fix_class) for change in found.plan.changes] == [
        (Target("vc-east", (("device", "naa.6f47acc200000001"), ("host_id", "host-1"))), 256, FixClass.ONLINE_CAUTION)
    ]
    assert found.plan.arrays == {("vc-east", "host-1"): ("sf-1",)}
    assert [(change.reach is not None, change.number) for change in found.plan.changes] == [(True, 1)]
    assert found.plan.unusual == (), "a shipped rule, by its own params"
    assert found.notices == ()


def test_a_rule_of_a_plugin_that_cannot_be_computed_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(tmp_path / "rules", SOUND, rule_text("acme/odd", holds="family::INTEGER > 1"))
    endpoints = [pe(1), pe(2, dsnro=256)]
    with pytest.raises(RuleError, match="acme/odd fails while judging"):
        judge(monkeypatch, tmp_path, rules, protocol_endpoint=endpoints)
    found = judge(monkeypatch, tmp_path, rules, expendable=["acme/odd"], protocol_endpoint=endpoints)
    assert [rule.id for rule in found.rules] == [HEADROOM], "a report must not call it judged"
    assert verdicts(found) == {"1": Verdict.FAIL, "2": Verdict.PASS}
    [notice] = found.notices
    assert "acme/odd fails while judging" in notice
    assert notice.endswith("the rule is not judged; all others are.")
    assert len(found.plan.changes) == 1
    with pytest.raises(RuleError, match="acme/odd"):
        judge(monkeypatch, tmp_path, rules.only(["acme/odd"]), expendable=["acme/odd"], protocol_endpoint=endpoints)


@pytest.mark.parametrize(
    ("own", "overrides", "views", "unusual"),
    [
        pytest.param([], [], {"option"}, [], id="a shipped rule"),
        pytest.param([HEADROOM], [], {"option", "protocol_endpoint"}, [HEADROOM], id="a rule of the fleet's own"),
        pytest.param([], [Override(HEADROOM, "headroom", 3)], {"option", "protocol_endpoint"}, [], id="a value that its fix does not name"),
    ],
)
def test_a_view_whose_verdicts_are_taken_over_is_made_only_to_compare_a_change_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: list[str], overrides: list[Override], views: set[str], unusual: list[str]
) -> None:
    rules = rules_from(tmp_path / "rules", SOUND, rule_text("local/option", over="option", holds="value = 'x'"))
    rows: dict[str, Any] = {"protocol_endpoint": [pe(1), pe(2)], "option": []}
    for folder in ("earlier", "run"):
        (tmp_path / folder).mkdir()
    judge(monkeypatch, tmp_path / "earlier", rules, *overrides, **rows)
    earlier = (tmp_path / "earlier" / "findings.parquet").rename(tmp_path / "run" / "earlier.parquet")
    taken = TakenVerdicts(earlier, frozenset({HEADROOM}))
    rows["protocol_endpoint"] = [pe(1), pe(3)]  # judged anew, another one would fail
    found = judge(monkeypatch, tmp_path / "run", rules, *overrides, own=own, taken=taken, views=views, **rows)
    assert verdicts(found) == {"1": Verdict.FAIL, "2": Verdict.FAIL}
    assert [one.rule for one in found.plan.unusual] == unusual


def test_a_view_of_a_plugin_that_cannot_be_computed_is_a_gap_of_its_endpoints_and_its_rules_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = SimpleNamespace(plugin="auditor-acme", kind="acme")
    monkeypatch.setattr(judging, "plugin_views", lambda: SimpleNamespace(views={"option": about, "other": about}))
    monkeypatch.setattr(judging, "create_plugin_views", lambda *_: {"option": "it divides by zero", "other": "it is slow"})
    rules = rules_from(tmp_path / "rules", SOUND, *(rule_text(f"acme/{name}", over="option", holds="value = 'x'") for name in ("a", "b")))
    kinds = {"acme-1": "acme", "vc-east": "vcenter"}
    readings = tuple(EndpointReading(name, kind, name, None, "verified", AT, AT, complete=True) for name, kind in kinds.items())
    found = judge(monkeypatch, tmp_path, rules, readings=readings, protocol_endpoint=[pe(1)], option=[])
    assert [rule.id for rule in found.rules] == [HEADROOM]
    assert verdicts(found) == {"1": Verdict.FAIL}
    why = {"option": "it divides by zero", "other": "it is slow"}
    assert found.gaps == tuple(Gap("acme-1", f"the view {view} of auditor-acme", reason) for view, reason in why.items())
    assert found.notices == tuple(
        f"the view {view} of auditor-acme cannot be computed: {why[view]}: its rules are not judged ({left_out}); all others are."
        for view, left_out in (("option", "acme/a, acme/b"), ("other", "none"))
    )
    with pytest.raises(RuleError, match="the view option of auditor-acme"):
        judge(monkeypatch, tmp_path, rules.only(["acme/a"]), protocol_endpoint=[], option=[])


def test_a_fleets_own_values_are_judged_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(tmp_path / "rules", SOUND)
    found = judge(monkeypatch, tmp_path, rules, Override(HEADROOM, "headroom", 2), protocol_endpoint=[pe(1, dsnro=128), pe(2, dsnro=64)])
    assert verdicts(found) == {"1": Verdict.PASS, "2": Verdict.FAIL}


def test_the_values_of_a_cluster_hold_for_it_however_its_name_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(tmp_path / "rules", SOUND)
    monkeypatch.setattr(
        f"{__name__}.DEVICES",
        f"{DEVICES}INSERT INTO fact.host (endpoint, host_id, name, cluster) VALUES ('vc-east', 'host-1', 'esx-1', 'Prod/East');",
    )
    here, there = {**pe(1, dsnro=128), "cluster": "Prod/East"}, {**pe(2, dsnro=128), "cluster": "other"}
    own = Override(HEADROOM, "headroom", 2, endpoint="vc-east", cluster="prod%2fEAST")
    assert verdicts(judge(monkeypatch, tmp_path, rules, own, protocol_endpoint=[here, there])) == {"1": Verdict.PASS, "2": Verdict.FAIL}


def test_what_was_not_chosen_is_neither_judged_nor_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(tmp_path / "rules", SOUND)
    chosen = Chosen(endpoints=frozenset({"vc-east"}))
    found = judge(monkeypatch, tmp_path, rules, chosen=chosen, protocol_endpoint=[pe(1), {**pe(2), "endpoint": "vc-west"}])
    assert verdicts(found) == {"1": Verdict.FAIL}
    assert [change.target.endpoint for change in found.plan.changes] == ["vc-east"]


def test_what_is_waived_is_not_planned_and_a_waiver_of_nothing_is_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(tmp_path / "rules", SOUND)
    one, none = (
        Waiver(f"w.yaml:{line}", HEADROOM, {"resource": (name,)}, "storage", "why", "CHG-1", END, also_unknown=False, mistake="")
        for line, name in ((2, "*1"), (9, "*7"))
    )
    found = judge(monkeypatch, tmp_path, rules, waivers=Waivers(AT, entries=(one, none)), protocol_endpoint=[pe(1), pe(2)])
    assert verdicts(found) == {"1": Verdict.WAIVED, "2": Verdict.FAIL}
    assert [change.resource.name[-1] for change in found.plan.changes] == ["2"]
    [notice] = found.notices
    assert "w.yaml:9" in notice


@pytest.mark.parametrize("chosen", [None, Chosen(endpoints=frozenset({"vc-east"}))], ids=["all", "a part"])
def test_a_plan_is_made_by_the_rules_that_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: Chosen | None) -> None:
    rules = rules_from(tmp_path / "rules", SOUND)
    given = list[RuleSet | None]()

    def recorded(evaluation: Evaluation, by: RuleSet | None = None) -> Plan:
        given.append(by)
        return plan(evaluation, by)

    monkeypatch.setattr(judging, "plan", recorded)
    judge(monkeypatch, tmp_path, rules, chosen=chosen, protocol_endpoint=[pe(1)])
    assert given == [rules]


def test_a_fix_that_a_rule_over_another_view_would_fail_by_is_not_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drift = rule_text("local/drift", over="option", holds="value = at_boot", fix=FIX, tags="[drift]")
    rules = rules_from(tmp_path / "rules", SOUND, drift)
    row = {"endpoint": "vc-east", "resource_id": "r1", "resource_name": "r1", "host_id": "host-1", "option": pe(1)["device"]}
    given: dict[str, Any] = {"protocol_endpoint": [pe(1, dsnro=256)], "option": [{**row, "value": "256", "at_boot": "64"}]}
    found = judge(monkeypatch, tmp_path, rules, **given)
    assert found.plan.changes == ()
    [contradiction] = found.plan.contradictions
    assert {rule for rule, _ in contradiction.wants} == {"local/drift", HEADROOM}


def test_afterwards_nothing_else_is_read_and_only_the_file_of_verdicts_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    connections: list[duckdb.DuckDBPyConnection] = []

    def lift(connection: duckdb.DuckDBPyConnection) -> None:
        connections.append(connection)

    monkeypatch.setattr(judging, "lift_limit", lift)
    rules = rules_from(tmp_path / "rules", SOUND)
    found = judge(monkeypatch, tmp_path / "out", rules, protocol_endpoint=[pe(1)])
    [connection] = connections
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    attached = connection.execute("SELECT database_name FROM duckdb_databases() WHERE database_name LIKE 'verdicts%'").fetchall()
    assert attached == [(found.evaluation.store,)]  # what was worked out is in the file
