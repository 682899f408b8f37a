"""Loads rule directories into a rule set; one error names every mistake in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_bytes
from auditor.engine.rules.rule import Rule, RuleSet, Views
from auditor.errors import RuleError
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.engine.rules.checked import CheckedRule

WHY = "nothing was judged: a rule set that loads in part reports a clean fleet in part."


def load_rules(
    directories: Sequence[Path], views: Views, remediators: Collection[str], checked: Mapping[str, CheckedRule] | None = None
) -> RuleSet:
    """Read every *.yaml below each directory.

    Args:
        directories: where to look; an id may exist in one of them only.
        views: view -> column -> DuckDB type, what rules may range over.
        remediators: the names a fix may use.
        checked: rules that were found sound before, by id; a file that is as it was then is not read again.

    Raises:
        RuleError: a directory cannot be read or holds no rule, or a file has a mistake; every mistake is named with file and line.
    """
    mistakes: dict[Path, list[tuple[int, str]]] = {}  # every file, in the order in which they are reported
    paths: dict[str, Path] = {}
    for directory in directories:
        for path in _files(directory):
            rule_id = path_id(directory, path)
            mistakes[path] = []
            if rule_id in paths:
                mistakes[path].append((1, f'a second rule is called "{rule_id}"; the first is {paths[rule_id]}'))
            else:
                paths[rule_id] = path
    rules = {}
    for rule_id, path in paths.items():
        before = (checked or {}).get(rule_id)
        if before is not None and _is_as_checked(path, before, views, remediators):
            rules[rule_id] = replace(before.rule, path=path)
    rules |= _read({rule_id: path for rule_id, path in paths.items() if rule_id not in rules}, views, remediators, mistakes)
    for rule_id, what in cycle_mistakes(rules, remediators) if not any(mistakes.values()) else ():
        mistakes[paths[rule_id]].append((1, what))
    by_place = [(path, line, what) for path, ones in mistakes.items() for line, what in ones]
    if by_place:
        raise _mistakes_error(by_place, directories)
    return RuleSet(dict(sorted(rules.items())), views)


def _is_as_checked(path: Path, before: CheckedRule, views: Views, remediators: Collection[str]) -> bool:
    from auditor.engine.rules.checked import rule_digest

    fix, columns = before.rule.fix, views.get(before.rule.over)
    if columns is None or (fix is not None and fix.remediator not in remediators):
        return False
    try:
        return rule_digest(read_bytes(path), columns) == before.digest
    except OSError:
        return False  # the code that reads it says why it cannot be read


def _read(
    paths: Mapping[str, Path], views: Views, remediators: Collection[str], mistakes: Mapping[Path, list[tuple[int, str]]]
) -> dict[str, Rule]:
    """The rules of these files, by id; what is wrong with a file is added to its `mistakes`, and its rule is left out."""
    if not paths:
        return {}
    from auditor.engine.rules.expressions import ExpressionChecker
    from auditor.engine.rules.file_reading.reader import RuleReader
    from auditor.yaml.reading import load_yaml

    checker = ExpressionChecker(views)
    readers: dict[str, RuleReader] = {}
    for rule_id, path in paths.items():
        try:
            readers[rule_id] = RuleReader(load_yaml(path, RuleError, why=WHY), checker, views, remediators)
        except RuleError as failure:
            place, _, what = failure.what.removeprefix(f"{path}:").partition(": ")
            mistakes[path].append((int(place) if place.isdigit() else 1, what or failure.what))
    checker.check_ahead(one for reader in readers.values() for one in reader.expressions())
    rules = {rule_id: reader.rule(rule_id) for rule_id, reader in readers.items()}
    for rule_id, reader in readers.items():
        mistakes[paths[rule_id]] += reader.mistakes
    return {rule_id: rule for rule_id, rule in rules.items() if rule is not None}


def _files(directory: Path) -> list[Path]:
    if not directory.is_dir():
        raise RuleError(f"{directory} is not a directory of rules", why=WHY, do="name the directory that holds TOPIC/NAME.yaml.")
    files = sorted(path for path in directory.rglob("*") if path.is_file() and path.suffix in (".yaml", ".yml"))
    if not files:
        raise RuleError(
            f"{directory} holds no rule",
            why="a fleet judged by no rule has no failures.",
            do="look for TOPIC/NAME.yaml there.",
        )
    for path in files:
        if path.suffix == ".yml":
            raise RuleError(f"{path}:1: a rule file must end in .yaml", why=WHY, do=f"mv {path} {path.with_suffix('.yaml')}")
    return files


def path_id(directory: Path, path: Path) -> str:
    """The id a rule file must have: its path below `directory` without .yaml."""
    return path.relative_to(directory).with_suffix("").as_posix()


def _mistakes_error(mistakes: Sequence[tuple[Path, int, str]], directories: Sequence[Path]) -> RuleError:
    from auditor.yaml.shapes import listed

    path, line, _ = mistakes[0]
    rule_id = next((path_id(directory, path) for directory in directories if path.is_relative_to(directory)), path.stem)
    correct = f"correct line {line}" if len(mistakes) == 1 else f"correct these {len(mistakes)} lines"
    return RuleError(listed(mistakes), why=WHY, do=f"{correct}, then run `auditor rules test {rule_id}`.")


def cycle_mistakes(rules: Mapping[str, Rule], remediators: Collection[str]) -> list[tuple[str, str]]:
    """(rule id, sentence) of each `fix.after` that names no rule, and of each circle of rules that wait for each other."""
    by_remediator: dict[str, list[str]] = defaultdict(list)
    for rule in rules.values():
        if rule.fix is not None:
            by_remediator[rule.fix.remediator].append(rule.id)
    mistakes, edges = [], dict[str, list[str]]()
    for rule in rules.values():
        for after in rule.fix.after if rule.fix is not None else ():
            if after.change not in rules and after.change not in remediators:
                mistakes.append((rule.id, f'fix.after: there is no rule "{after.change}"{did_you_mean(after.change, rules)}'))
            first = [after.change] if after.change in rules else by_remediator.get(after.change, [])
            edges.setdefault(rule.id, []).extend(first)
    seen = set[str]()
    for start in edges:
        circle = _circle(start, edges) if start not in seen else []
        if circle:
            seen |= set(circle)
            mistakes.append((start, f"fix.after: these fixes wait for each other: {' -> '.join([*circle, start])}"))
    return mistakes


def _circle(start: str, edges: Mapping[str, Iterable[str]]) -> list[str]:
    """The rules from `start` on to the one that waits for it again; empty where there is no way back."""
    trail, tried = [start], set[str]()
    ways = [iter(edges.get(start, ()))]
    while ways:
        step = next(ways[-1], None)
        if step is None:
            ways.pop()
            trail.pop()
        elif step == start:
            return trail
        elif step not in tried:
            tried.add(step)
            trail.append(step)
            ways.append(iter(edges.get(step, ())))
    return []
