"""`auditor rules`: list, show, test, write and understand the lessons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import completions, options, rule_authoring
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from auditor.engine.rules.rule import RuleSet

app = typer.Typer(help="The lessons a fleet is judged by: list, show, test, write.", no_args_is_help=True)
app.command("new")(rule_authoring.new)
app.command("schema")(rule_authoring.schema)
app.command("mutate")(rule_authoring.mutate)
app.command("conflicts")(rule_authoring.conflicts)
app.command("pages")(rule_authoring.pages)


@app.command("list")
def list_rules(rules: options.Rules = None, tag: options.Tags = None, as_json: options.Json = False) -> int:
    """List every rule with its severity; one on each line where another program reads the output.

    Example: auditor rules list --tag iscsi

    Example: auditor rules list --json
    """
    from auditor.pipeline.policy import load_rule_set
    from auditor.report.terminal.rule_list import write_rule_list, write_rule_list_json

    write = write_rule_list_json if as_json else write_rule_list
    write(load_rule_set(rules or []).tagged(tag or []), sys.stdout)
    return 0


@app.command("show")
def show_rule(
    rule: Annotated[str, typer.Argument(metavar="RULE", autocompletion=completions.rule_ids, help="For example vvol/pe-dsnro-headroom.")],
    rules: options.Rules = None,
    fleet: Annotated[
        Path | None, typer.Option("--fleet", metavar="PATH", help="Say as well what this fleet.yaml makes of it: severity, params.")
    ] = None,
) -> int:
    """Show one rule: its lesson, what it holds, its parameters, its fix, its risk, when to waive it, and its sources.

    Example: auditor rules show vvol/pe-dsnro-headroom

    Example: auditor rules show vvol/pe-dsnro-headroom --fleet fleet.yaml
    """
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_rule_set, param_overrides, with_fleet_severities
    from auditor.report.terminal.rule_text import write_rule

    chosen = load_rule_set(rules or [], [rule])
    loaded = load_fleet(fleet) if fleet is not None else None
    severity, overrides = with_fleet_severities(loaded, chosen)[0][rule].severity, param_overrides(loaded, chosen)
    own = None if loaded is None or severity is chosen[rule].severity else (severity, loaded.path.name)
    write_rule(chosen[rule], sys.stdout, own, overrides)
    return 0


@app.command("test")
def check_rules(
    chosen: Annotated[
        list[str] | None,
        typer.Argument(metavar="RULE|FILE", autocompletion=completions.rule_ids, help="Rules or rule files. [default: all]"),
    ] = None,
    rules: options.Rules = None,
    tag: options.Tags = None,
    watch: Annotated[bool, typer.Option("--watch", help="Test again whenever a rule file changes, until interrupted.")] = False,
) -> int:
    """Run the examples of rules: each must get its verdict, and each failing one must pass once its fix is made.

    Example: auditor rules test vvol/pe-dsnro-headroom

    Example: auditor rules test --watch rules/vvol/pe-dsnro-headroom.yaml
    """
    names, directories = chosen or [], rules or []
    if watch:
        from auditor.cli.run_on_change import run_on_change

        run_on_change(lambda: _test(names, directories, tag or []), lambda: _rule_folders(names, directories))
    return _test(names, directories, tag or [])


def _test(names: list[str], directories: list[Path], tags: list[str]) -> int:
    from auditor.authoring.examples import check_examples
    from auditor.authoring.scaffold import refuse_blanks

    refuse_blanks(_rule_folders(names, directories))
    whole, chosen = _chosen(names, directories)
    results = check_examples(chosen.tagged(tags), whole)
    wrong = [result for result in results if not result.ok]
    for result in wrong:
        print(f"{result.rule}: example '{result.example}' must be {result.wanted}: {result.detail}")
    print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
    return 3 if wrong else 0


def _files(names: list[str]) -> list[Path]:
    files = [Path(name) for name in names if name.endswith((".yaml", ".yml"))]
    for file in files:
        if not file.is_file():
            raise ConfigurationError(f"{file} is not a file", why="no rule was tested.", do="check the path.")
    return files


def _rule_folders(names: list[str], directories: list[Path]) -> list[Path]:
    """Every directory that rules are read from."""
    return [_shipped(), *_besides(_files(names), directories)]


def _besides(files: list[Path], directories: list[Path]) -> list[Path]:
    # A rule's id is its path below its directory: TOPIC/NAME.yaml.
    return [*directories, *sorted({file.resolve().parent.parent for file in files} - {_shipped()})]


def _chosen(names: list[str], directories: list[Path]) -> tuple[RuleSet, RuleSet]:
    """All rules there are, and those that are named; all of them when none is."""
    from auditor.pipeline.policy import load_rule_set

    files = _files(names)
    ids = [name for name in names if not name.endswith((".yaml", ".yml"))]
    ids += [f"{file.resolve().parent.name}/{file.stem}" for file in files]
    whole = load_rule_set(_besides(files, directories))
    return whole, whole.only(ids) if ids else whole


def _shipped() -> Path:
    from auditor.pipeline.policy import shipped_rules

    return shipped_rules().resolve()
