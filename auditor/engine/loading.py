"""Rule directories to a rule set, or one error that names every mistake in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from auditor.engine.expressions import ExpressionChecker
from auditor.engine.rule import Rule, RuleSet, Views
from auditor.engine.rule_file import RuleReader
from auditor.errors import RuleError
from auditor.shapes import listed
from auditor.yaml import load_yaml

WHY = "nothing was judged: a rule set that loads in part reports a clean fleet in part."


def load_rules(directories: Sequence[Path], views: Views, remediators: Collection[str]) -> RuleSet:
    """Read every *.yaml below each directory.

    Args:
        directories: where to look; an id may exist in one of them only.
        views: view -> column -> DuckDB type, what rules may range over.
        remediators: the names a fix may use.

    Raises:
        RuleError: a directory cannot be read or holds no rule, or a file has a mistake; every mistake is named with file and line.
    """
    checker = ExpressionChecker(views)
    readers: dict[Path, tuple[str, RuleReader]] = {}
    mistakes: dict[Path, list[tuple[int, str]]] = {}  # every file, in the order in which they are reported
    first: dict[str, Path] = {}
    for directory in directories:
        for path in _files(directory):
            rule_id = path_id(directory, path)
            if rule_id in first:
                mistakes.setdefault(path, []).append((1, f'a second rule is called "{rule_id}"; the first is {first[rule_id]}'))
                continue
            first[rule_id] = path
            mistakes[path] = []
            try:
                document = load_yaml(path, RuleError, why=WHY)
            except RuleError as failure:
                place, _, what = failure.what.removeprefix(f"{path}:").partition(": ")
                mistakes[path].append((int(place) if place.isdigit() else 1, what or failure.what))
                continue
            readers[path] = rule_id, RuleReader(document, checker, views, remediators)
    checker.check_ahead(one for _, reader in readers.values() for one in reader.expressions())
    rules: dict[str, Rule] = {}
    for path, (rule_id, reader) in readers.items():
        rule = reader.rule(rule_id)
        mistakes[path] += reader.mistakes
        if rule is not None:
            rules[rule_id] = rule
    by_place = [(path, line, what) for path, ones in mistakes.items() for line, what in ones]
    if by_place:
        raise _mistakes_error(by_place, directories)
    return RuleSet(dict(sorted(rules.items())), views)


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
    path, line, _ = mistakes[0]
    rule_id = next((path_id(directory, path) for directory in directories if path.is_relative_to(directory)), path.stem)
    correct = f"correct line {line}" if len(mistakes) == 1 else f"correct these {len(mistakes)} lines"
    return RuleError(listed(mistakes), why=WHY, do=f"{correct}, then run `auditor rules test {rule_id}`.")
