"""The law of verdicts that are taken over: a run that rests on an earlier one finds what it would find if it judged every rule.

Facts (of gaps and of the baseline among them), rules, params and waivers change at random between the two. The fleet is the lab's.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.fixes.rule_groups import RuleGroup, rule_groups
from auditor.engine.judge import Impacts, Judgement, judge
from auditor.engine.rules.params import param_values
from auditor.engine.rules.rule import Rule, RuleSet
from auditor.engine.taken_verdicts import TakenVerdicts
from auditor.engine.waivers.file import Waiver, Waivers
from auditor.engine.waivers.unknown_causes import unknown_by_accepted_gaps
from auditor.facts.baseline import hand_on, take
from auditor.facts.schema import TABLES
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.history import reused_verdicts
from auditor.history.folders import AFTER_FOLDER, FINDINGS_FILE, JUDGED_FILE, SNAPSHOT_FOLDER, SPILL_FOLDER
from auditor.history.reused_verdicts import keep_judged, unchanged_verdicts
from auditor.impact.finding import VIEWS, add_impacts_guarded
from tests.depth import depth
from tests.engine.bench import Override
from tests.engine.test_shipped_rules import shipped
from tests.mutation.bench import loaded
from tests.mutation.shares import digest, share
from tests.mutation.worlds import recorded

AT = datetime(2026, 11, 23, 12, tzinfo=UTC)
DAMAGES = (FINDINGS_FILE, JUDGED_FILE, f"{SNAPSHOT_FOLDER}/host.parquet", f"{SNAPSHOT_FOLDER}/snapshot.json")


@dataclass(frozen=True)
class World:
    """What a run judges, and by what."""

    rules: RuleSet
    overrides: tuple[Override, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    facts: tuple[str, ...] = ()  # statements that change the lab's facts


def saved(world: World, run: Path) -> Path:
    """A run that has its snapshot only."""
    original = load_snapshot(recorded())
    take(original, "20261101T000000Z-0000", None, "itself")
    connection = loaded(recorded())
    hand_on(original.connection, connection)
    for statement in world.facts:
        connection.execute(statement)
    replace(original, connection=connection).save(run / SNAPSHOT_FOLDER)
    return run


def judged(world: World, run: Path, taken: TakenVerdicts | None = None, file: str = FINDINGS_FILE) -> tuple[Judgement, Snapshot]:
    snapshot = load_snapshot(run / SNAPSHOT_FOLDER)
    models = {rule.id: rule.impact for rule in world.rules if rule.impact is not None}
    judgement = judge(
        snapshot,
        world.rules,
        world.overrides,
        Waivers(AT, entries=world.waivers),
        findings=run / file,
        spill=run / SPILL_FOLDER,
        own=[rule.id for rule in world.rules if rule.id.startswith("queue/")],
        impacts=Impacts(VIEWS, partial(add_impacts_guarded, models=models)),
        taken=taken,
    )
    return judgement, snapshot


def groups_of(world: World) -> tuple[RuleGroup, ...]:
    return rule_groups(world.rules, param_values(world.overrides, world.rules))


def kept(world: World, run: Path) -> Path:
    """A finished run."""
    judged(world, saved(world, run))
    keep_judged(run, groups_of(world))
    return run


def found(world: World, run: Path, taken: TakenVerdicts | None, file: str) -> dict[str, Any]:
    """All that an audit has from judging, in the order that reports have it."""
    judgement, snapshot = judged(world, run, taken, file)
    evaluation = judgement.evaluation
    rows = f"SELECT * FROM read_parquet('{run / file}') ORDER BY ALL"
    return {
        "saved": list(map(repr, duckdb.execute(rows).fetchall())),
        "findings": list(map(repr, evaluation.findings())),
        "plan": judgement.plan,
        "notices": judgement.notices,
        "accepted": unknown_by_accepted_gaps(
            evaluation, snapshot, tuple(replace(gap, accepted={"owner": "team"}) for gap in snapshot.gaps)
        ),
    }


def assert_law(earlier: Path, now: World, run: Path, full: dict[str, Any] | None = None) -> frozenset[str]:
    """The rules that were taken over, after a look at what came of it; `full`: what is found by judging every rule, where it is known."""
    taken = unchanged_verdicts(earlier, saved(now, run), groups_of(now))
    full = full or found(now, run, None, "full.parquet")
    mixed = found(now, run, taken, FINDINGS_FILE)
    for part in full:
        assert mixed[part] == full[part], part
    return taken.rules if taken is not None else frozenset()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the lab as it is."""
    return kept(World(shipped()), tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def as_it_is(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is found in the lab as it is."""
    run = saved(World(shipped()), tmp_path_factory.mktemp("as-it-is"))
    return found(World(shipped()), run, None, "full.parquet")


# What happens between two runs.


def facts_change(chance: random.Random) -> str:
    """One cell of a table is forgotten or becomes its neighbour's, a row disappears or comes twice, or a topic was not read whole."""
    table = chance.choice([name for name in TABLES if name not in {"gap", "reading"}])
    column = chance.choice(TABLES[table].names)
    row = f'rowid = (SELECT rowid FROM fact."{table}" ORDER BY {digest(table, chance.randrange(1000))} LIMIT 1)'
    other = f'(SELECT any_value(o."{column}") FROM fact."{table}" AS o WHERE o."{column}" IS DISTINCT FROM t."{column}")'
    return chance.choice(
        [
            f'UPDATE fact."{table}" AS t SET "{column}" = NULL WHERE {row}',
            f'UPDATE fact."{table}" AS t SET "{column}" = {other} WHERE {row}',
            f'UPDATE fact."{table}" AS t SET "{column}" = {other}',
            f'DELETE FROM fact."{table}" WHERE {row}',
            f'INSERT INTO fact."{table}" SELECT * FROM fact."{table}" WHERE {row}',
            "DELETE FROM fact.baseline",
            f"UPDATE fact.reading SET complete = NOT complete WHERE {share('reading', chance.randrange(97), 97)}",
        ]
    )


def edited(rule: Rule) -> Rule:
    """The rule with the opposite verdict."""
    return replace(rule, holds=replace(rule.holds, text=f"NOT ({rule.holds.text}\n)"))


def rules_change(world: World, chance: random.Random) -> World:
    """A rule is edited, another gets a severity of the fleet's own, and one is left out."""
    some = chance.sample(list(world.rules), 3)
    rules = dict(world.rules.rules)
    rules[some[0].id] = edited(some[0])
    rules[some[1].id] = replace(some[1], severity=chance.choice([one.severity for one in world.rules if one.severity != some[1].severity]))
    del rules[some[2].id]
    return replace(world, rules=replace(world.rules, rules=rules))


def params_change(world: World, chance: random.Random) -> World:
    name, param, value = chance.choice(
        [("vvol/pe-dsnro-headroom", "headroom", 2), ("vvol/pe-dsnro-headroom", "headroom", 9), ("vvol/pe-dsnro-headroom", "ceiling", 64)]
    )
    return replace(world, overrides=(Override(name, param, value),)) if name in world.rules.rules else world


def waivers_change(world: World, chance: random.Random) -> World:
    """Waivers in force, of other verdicts too, and one that expired."""
    ends = (datetime(2027, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    topics = chance.sample(sorted({rule.id.partition("/")[0] for rule in world.rules}), 4)
    entries = tuple(
        Waiver(
            "waivers.yaml:1", f"{topic}/*", {"resource": ("*",)}, "team", "known", "T-1", chance.choice(ends), chance.choice([True, False])
        )
        for topic in topics
    )
    return replace(world, waivers=entries)


def changed(world: World, seed: int) -> World:
    chance = random.Random(seed)
    changes: Sequence[Callable[[World], World]] = [
        lambda one: replace(one, facts=(*one.facts, *(facts_change(chance) for _ in range(chance.randrange(1, 4))))),
        lambda one: rules_change(one, chance),
        lambda one: params_change(one, chance),
        lambda one: waivers_change(one, chance),
    ]
    for change in chance.sample(changes, chance.randrange(1, 4)):
        world = change(world)
    return world


def test_everything_is_taken_over_where_nothing_changed(first: Path, tmp_path: Path, as_it_is: dict[str, Any]) -> None:
    assert assert_law(first, World(shipped()), tmp_path / "now", as_it_is) == shipped().rules.keys()


@pytest.mark.parametrize("seed", range(depth(2, 12)))
def test_whatever_changes_the_verdicts_are_those_of_a_full_audit(first: Path, tmp_path: Path, seed: int) -> None:
    taken = assert_law(first, changed(World(shipped()), seed), tmp_path / "now")
    assert len(taken) < len(shipped())


@pytest.mark.parametrize("seed", range(100, 100 + depth(1, 4)))
def test_a_run_that_took_verdicts_over_may_be_taken_over_from(first: Path, tmp_path: Path, seed: int, as_it_is: dict[str, Any]) -> None:
    second = changed(World(shipped()), seed)
    run = saved(second, tmp_path / "second")
    judged(second, run, unchanged_verdicts(first, run, groups_of(second)))
    keep_judged(run, groups_of(second))
    assert assert_law(run, second, tmp_path / "third") == second.rules.rules.keys()
    assert_law(run, World(shipped()), tmp_path / "fourth", as_it_is)


@pytest.mark.parametrize("damage", DAMAGES)
def test_of_a_damaged_run_nothing_is_taken_over(first: Path, tmp_path: Path, damage: str) -> None:
    earlier = copied(first, tmp_path)
    content = bytearray((earlier / damage).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (earlier / damage).write_bytes(content)
    # A table is read where it is another than before; a snapshot of the same file is as it was.
    now = saved(World(shipped(), facts=("UPDATE fact.host SET cluster = NULL",)), tmp_path / "now")
    assert unchanged_verdicts(earlier, now, groups_of(World(shipped()))) is None


@pytest.mark.parametrize("missing", DAMAGES)
def test_of_an_older_run_nothing_is_taken_over(first: Path, tmp_path: Path, missing: str) -> None:
    earlier = copied(first, tmp_path)
    (earlier / missing).unlink()
    now = saved(World(shipped(), facts=("UPDATE fact.host SET cluster = NULL",)), tmp_path / "now")
    assert unchanged_verdicts(earlier, now, groups_of(World(shipped()))) is None


def test_of_a_run_that_fixed_nothing_is_taken_over(first: Path, tmp_path: Path) -> None:
    earlier = copied(first, tmp_path)
    (earlier / AFTER_FOLDER).mkdir()
    assert unchanged_verdicts(earlier, saved(World(shipped()), tmp_path / "now"), groups_of(World(shipped()))) is None


def test_of_a_run_of_other_code_nothing_is_taken_over(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = saved(World(shipped()), tmp_path / "now")
    assert unchanged_verdicts(first, now, groups_of(World(shipped()))) is not None
    monkeypatch.setattr(reused_verdicts, "code_digest", lambda: "sha256:other")
    assert unchanged_verdicts(first, now, groups_of(World(shipped()))) is None


def copied(run: Path, folder: Path) -> Path:
    return Path(shutil.copytree(run, folder / "earlier"))
