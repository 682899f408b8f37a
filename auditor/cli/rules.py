"""`auditor rules`: list, show and test the lessons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.engine.rule import RuleSet

app = typer.Typer(help="The lessons a fleet is judged by: list, show, test.", no_args_is_help=True)


@app.command("list")
def list_rules(rules: options.Rules = None) -> int:
    """Every rule, with its severity.

    Example: auditor rules list
    """
    from auditor.auditing import load_rule_set

    loaded = load_rule_set(rules or [])
    width = max(len(rule.id) for rule in loaded)
    for rule in loaded:
        print(f"{rule.id:<{width}}  {rule.severity:<8}  {rule.title}")
    return 0


@app.command("show")
def show_rule(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="For example vvol/pe-dsnro-headroom.")], rules: options.Rules = None
) -> int:
    """One rule: the lesson, what it holds, its parameters, its fix and its sources.

    Example: auditor rules show vvol/pe-dsnro-headroom
    """
    from auditor.auditing import load_rule_set
    from auditor.reporting.rule_text import write_rule

    write_rule(load_rule_set(rules or [], [rule])[rule], sys.stdout)
    return 0


@app.command("test")
def check_rules(
    chosen: Annotated[list[str] | None, typer.Argument(metavar="[RULE|FILE]...", help="Rules or rule files. [default: all]")] = None,
    rules: options.Rules = None,
) -> int:
    """Run the examples of rules: each must get its verdict, and each failing one must pass once its fix is made.

    Example: auditor rules test vvol/pe-dsnro-headroom
    """
    from auditor.engine.examples import check_examples

    loaded = _chosen(chosen or [], rules or [])
    results = check_examples(loaded)
    wrong = [result for result in results if not result.ok]
    for result in wrong:
        print(f"{result.rule}: example '{result.example}' must be {result.wanted}: {result.detail}")
    print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
    return 3 if wrong else 0


def _chosen(names: list[str], directories: list[Path]) -> RuleSet:
    from auditor.auditing import load_rule_set

    files = [Path(name) for name in names if name.endswith((".yaml", ".yml"))]
    for file in files:
        if not file.is_file():
            raise ConfigurationError(f"{file} is not a file", why="no rule was tested.", do="check the path.")
    # A rule's id is its path below its directory: TOPIC/NAME.yaml.
    shipped_or_given = [*directories, *sorted({file.resolve().parent.parent for file in files} - _shipped())]
    ids = [name for name in names if not name.endswith((".yaml", ".yml"))]
    ids += [f"{file.resolve().parent.name}/{file.stem}" for file in files]
    return load_rule_set(shipped_or_given, ids)


def _shipped() -> set[Path]:
    from auditor.auditing import shipped_rules

    return {shipped_rules().resolve()}
