"""Compares two kept runs, finding by finding: what is new, fixed, changed, came back, or was not read.

A finding is its rule, its endpoint (by what that says of itself, so it may have another name now), its resource's kind and id. What
stands in one run only is new or gone where the other run read what the rule's rows rest on, and is not known otherwise. Runs of different
scopes are compared as far as both have a verdict.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError
from auditor.history.comparison.listing import changed_findings
from auditor.history.comparison.own_fixes import fixed_by, own_writes, with_own_fixes
from auditor.history.comparison.statements import BOTH_RUNS, CLEAR, IN_ONE_RUN, TABLES, candidates_sql, changes_sql, ordered_sql
from auditor.history.comparison.tables import endpoint_keys, list_endpoints, list_rules, mark_came_back
from auditor.history.folders import SPILL_FOLDER
from auditor.history.kept_run import head_of, kept_of, list_runs
from auditor.history.plan_file import BASIS_WORDS
from auditor.model import Severity
from auditor.model.comparison import ChangeKind, Comparison
from auditor.model.identity import is_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from auditor.engine.verdicts import Evaluation
    from auditor.history.kept_run import KeptAlong, KeptRun
    from auditor.model import Report
    from auditor.model.comparison import ChangedFinding

_IDS_NAMED = 5


def previous_run(state: Path, run: KeptRun) -> KeptRun | None:
    """The newest finished run before `run` that has the same scope and verdicts to compare with; None where there is none.

    Where an endpoint was added to the fleet, or taken out, no run has its scope yet. Then it is the newest one that was narrowed alike,
    of a fleet file of the same name and with an endpoint of this fleet.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    key = None if run.scope is None else run.scope.key
    kept_before = (kept for kept in list_runs(state) if kept.id < run.id and kept.finished is not None and kept.scope is not None)
    earlier = [kept for kept in kept_before if kept.along.is_demo == run.along.is_demo]
    same = (kept for kept in earlier if kept.scope is not None and kept.scope.key == key and kept.findings is not None)
    grown = (kept for kept in earlier if _is_same_fleet_grown(kept, run) and kept.findings is not None)
    return next(same, None) or next(grown, None)


def _is_same_fleet_grown(earlier: KeptRun, later: KeptRun) -> bool:
    """Whether two runs were about one fleet that has other endpoints now, narrowed alike."""
    if not _has_same_options(earlier, later) or earlier.scope is None or later.scope is None:
        return False
    is_one = earlier.scope.fleet_name == later.scope.fleet_name and None not in (earlier.scope.fleet, later.scope.fleet)
    known = [one.identity for one in later.listed if one.identity]
    return is_one and any(is_same(one.identity, other) for one in earlier.listed if one.identity for other in known)


def _is_placed(run: KeptRun) -> bool:
    """Whether an option limited a run to some hosts or clusters: resources that leave these count as gone."""
    return run.scope is not None and any(option.startswith(("--host ", "--cluster ")) for option in run.scope.options)


def _has_same_options(earlier: KeptRun, later: KeptRun) -> bool:
    """Whether two runs were narrowed alike; of older auditors that is not known."""
    return earlier.scope is not None and later.scope is not None and earlier.scope.options == later.scope.options


def run_before(state: Path, run: KeptRun) -> KeptRun:
    """The run that `run` is compared with by itself, as `previous_run` has it.

    Raises:
        ConfigurationError: there is none.
        SnapshotError: a run's file is there and cannot be read.
    """
    earlier = previous_run(state, run)
    if earlier is None:
        raise ConfigurationError(
            f"no run before {run.id} has the same scope",
            why="there is nothing to compare it with by itself: another fleet, or other options, would show as changes.",
            do=f"name one of `auditor runs list`: auditor runs diff RUN {run.id}",
        )
    return earlier


def compared_with_earlier(
    state: Path, directory: Path, report: Report, along: KeptAlong, named: KeptRun | None
) -> tuple[Comparison | None, tuple[str, ...]]:
    """What changed in a run that is about to be kept, and what a reader has to know where that is not known.

    Args:
        state: the state directory.
        directory: the run's own, with its verdicts.
        report: what it reports.
        along: what is kept besides.
        named: the run to compare with; None: the newest one before of the same scope. Where there is none, there is no comparison.
    """
    run = kept_of(directory, head_of(report, along))
    earlier: KeptRun | None = named
    try:
        earlier = earlier or previous_run(state, run)
        return (None if earlier is None else compare_runs(earlier, run)), ()
    except (ConfigurationError, SnapshotError) as error:
        return None, (f"What is new since an earlier run is not known: {error.what}.",)


def compare_runs(earlier: KeptRun, later: KeptRun) -> Comparison:
    """What changed in `later`. Its listing reads the verdicts of both runs, which have to be kept for as long.

    Raises:
        ConfigurationError: a run has no verdicts as columns: it is unfinished, or older than these; or the runs have no endpoint in common.
        SnapshotError: the verdicts of one cannot be read.
    """
    import duckdb

    from auditor.engine.verdicts import open_evaluation
    from auditor.sql.names import quoted
    from auditor.sql.statements import execute, limit_memory, run

    files = _findings(earlier), _findings(later)
    connection = duckdb.connect()
    try:
        # Both are private to this account, as the runs are.
        limit_memory(connection, later.directory / SPILL_FOLDER)
        before, after = open_evaluation(connection, files[0]), open_evaluation(connection, files[1])
        same, alike = has_same_scope(earlier, later, before.rules.keys(), after.rules.keys()), _has_same_options(earlier, later)
        run(connection, TABLES)
        keys = endpoint_keys(earlier.listed, later.listed)
        if not same and not set(keys[0].values()) & set(keys[1].values()):
            raise _strangers(earlier, later)
        list_endpoints(connection, earlier, later, keys)
        list_rules(connection, before, after, every=same or alike)
        run(connection, candidates_sql(before.store, after.store))
        execute(connection, BOTH_RUNS, {"same_scope": same, "same_options": alike})
        only_after, only_before = connection.execute(IN_ONE_RUN).fetchall()[0]
        execute(connection, changes_sql(only_after=only_after, only_before=only_before))
        run(connection, CLEAR)
        mark_came_back(connection, earlier, later)
        run(connection, ordered_sql(*(", ".join(quoted(word) for word in words) for words in (ChangeKind, Severity))))
        counts = dict(connection.execute("SELECT kind, count(*) FROM ordered GROUP BY ALL").fetchall())
    except duckdb.Error as failure:
        raise SnapshotError(
            f"runs {earlier.id} and {later.id} cannot be compared: {str(failure).splitlines()[0]}",
            why="what changed between them is not known.",
            do="see that the disk of the state directory has room; if a run is damaged, compare with another one.",
        ) from failure
    counts = {kind: counts[kind] for kind in ChangeKind if kind in counts}
    writes = own_writes(earlier, later) if ChangeKind.FIXED in counts else None

    def listed(numbers: range) -> Iterator[ChangedFinding]:
        changes = changed_findings(before, after, numbers, is_placed=_is_placed(later))
        return changes if writes is None else with_own_fixes(changes, writes)

    doubt = (writes.doubt,) if writes is not None and writes.doubt else ()
    return Comparison(
        before=earlier.id,
        before_started=earlier.started,
        counts=counts,
        same_scope=same,
        listed=partial(listed, range(1, sum(counts.values()) + 1)),
        notes=(*_notes(earlier, later, before, after, same_scope=same), *doubt),
        fixed_by=fixed_by(listed(_numbers(ChangeKind.FIXED, counts))) if writes is not None and writes.newest else {},
    )


def _numbers(kind: ChangeKind, counts: Mapping[ChangeKind, int]) -> range:
    """The numbers of the changes of one kind: from 1 through all kinds in their order."""
    first = 1 + sum(counts.get(one, 0) for one in list(ChangeKind)[: list(ChangeKind).index(kind)])
    return range(first, first + counts.get(kind, 0))


def has_same_scope(earlier: KeptRun, later: KeptRun, rules: Iterable[str], other_rules: Iterable[str]) -> bool:
    """Whether two runs were about the same fleet, narrowed alike.

    Of runs of older auditors that is not known: there the same endpoints and rules are the same scope.
    """
    if earlier.scope is not None and later.scope is not None:
        return earlier.scope.key == later.scope.key
    keys = endpoint_keys(earlier.listed, later.listed)
    return set(keys[0].values()) == set(keys[1].values()) and set(rules) == set(other_rules)


def _findings(run: KeptRun) -> Path:
    if run.findings is None:
        raise ConfigurationError(
            f"run {run.id} has no verdicts that can be compared",
            why="it never finished, or an auditor kept it that did not write them as columns.",
            do="`auditor runs list` names the runs; take a newer one.",
        )
    return run.findings


def _strangers(earlier: KeptRun, later: KeptRun) -> ConfigurationError:
    return ConfigurationError(
        f"runs {earlier.id} and {later.id} have no endpoint in common",
        why="they are about different fleets, so nothing in one is new, fixed or the same in the other.",
        do="`auditor runs list` names the runs; take one of the same fleet.",
    )


def _named(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _IDS_NAMED
    return ", ".join(names[:_IDS_NAMED]) + (f" and {more} more" if more > 0 else "")


def _notes(earlier: KeptRun, later: KeptRun, before: Evaluation, after: Evaluation, *, same_scope: bool) -> Iterator[str]:
    """What a reader of the comparison has to know of the two runs."""
    then, now = before.rules.keys(), after.rules.keys()
    alike = _has_same_options(earlier, later)
    if not same_scope and alike:
        keys = endpoint_keys(earlier.listed, later.listed)
        for names, others, when in ((keys[0], keys[1], "then"), (keys[1], keys[0], "now")):
            if only := sorted(name for name, key in names.items() if key not in others.values()):
                yield f"The fleet has other endpoints: {_named(only)} only {when}. Compared are those of both."
    elif not same_scope:
        scopes = "; now: ".join("a run of an older auditor" if run.scope is None else run.scope.sentence() for run in (earlier, later))
        yield f"The runs had different scopes. Compared is what both have judged. Then: {scopes}."
    if same_scope or alike:
        for rules, what in ((then - now, "earlier"), (now - then, "later")):
            if rules:
                number = "1 rule was" if len(rules) == 1 else f"{len(rules)} rules were"
                yield f"{number} judged in the {what} run only: {_named(sorted(rules))}."
        if other := sorted(rule for rule in then & now if before.rules[rule].kind != after.rules[rule].kind):
            number, its = ("1 rule goes", "its") if len(other) == 1 else (f"{len(other)} rules go", "their")
            yield f"{number} by other rows in the later run, so all {its} failures are listed as new and gone: {_named(other)}."
    digests = earlier.along.basis, later.along.basis
    # The digest of the rules is that of those that were judged: it says something of them where these are the same.
    known = [name for name in BASIS_WORDS if name in digests[0] and name in digests[1] and (name != "rules" or then == now)]
    differ = [BASIS_WORDS[name] for name in known if digests[0][name] != digests[1][name]]
    if differ:
        yield f"The runs were judged by different things: {'; '.join(differ)}."
