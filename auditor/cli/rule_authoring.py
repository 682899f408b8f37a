"""`auditor rules` for authors: new, schema, mutate, conflicts and pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auditor.cli import options
from auditor.cli.paths import folder_to_write
from auditor.cli.query import saved_place
from auditor.errors import ConfigurationError, RuleError
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.engine.rules.params import Override
    from auditor.engine.rules.rule import RuleSet

_RULE_ID = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)+")


def new(
    rule: Annotated[str, typer.Argument(metavar="TOPIC/ID", help="For example queue/host-limit.")],
    over: Annotated[
        str | None,
        typer.Option(
            "--over",
            metavar="VIEW",
            help="The view that it judges; see `auditor rules schema`. [default: device, or what is answered]",
            show_default=False,
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="What is true where all is well.")] = None,
    holds: Annotated[str | None, typer.Option("--holds", metavar="SQL", help="The condition, over one row of the view.")] = None,
    by_hand: Annotated[str | None, typer.Option("--by-hand", metavar="TEXT", help="What a person does about a failure.")] = None,
    passes: Annotated[str | None, typer.Option("--passes", metavar="ROW", help="A row that passes. [default: one is found]")] = None,
    fails: Annotated[str | None, typer.Option("--fails", metavar="ROW", help="A row that fails. [default: one is found]")] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Ask nothing; write every part that a rule may have, to be filled in.")
    ] = False,
    directory: Annotated[
        Path, typer.Option("--dir", metavar="DIR", callback=folder_to_write, help="The directory of rules the file goes into.")
    ] = Path("rules"),
) -> int:
    """Write a new rule. On a terminal it asks three questions, finds a row that passes and one that fails, and tests the rule at once.

    With --title, --holds and --by-hand it asks nothing. Without them and without a terminal it writes a template to fill in.

    Example: auditor rules new mine/one-extent

    Example: auditor rules new mine/one-extent --over datastore --title "It has one extent" --holds "extents = 1" --by-hand "Move it"

    Example: auditor rules new queue/host-limit --over host_module --template
    """
    if not _RULE_ID.fullmatch(rule):
        raise ConfigurationError(
            f'"{rule}" is not TOPIC/ID in lower case, digits and dashes',
            why="no file was written.",
            do="for example: auditor rules new queue/host-limit",
        )
    path = directory / f"{rule}.yaml"
    given = {"--title": title, "--holds": holds, "--by-hand": by_hand}
    asks = not template and not all(given.values()) and sys.stdin.isatty() and sys.stderr.isatty()
    if not asks and not any(given.values()):
        _write_template(rule, _view(over or "device"), path)
        return 0
    if template or (not asks and not all(given.values())):
        lacking = ", ".join(name for name, value in given.items() if not value)
        raise ConfigurationError(
            "--template writes what is to be filled in" if template else f"a short rule needs {lacking} too",
            why="no file was written.",
            do="leave --template out." if template else "give all three, or none of them on a terminal, which asks.",
        )
    return _write_short(rule, path, _asked(over, title, holds, by_hand), (_row("--passes", passes), _row("--fails", fails)))


def _asked(over: str | None, title: str | None, holds: str | None, by_hand: str | None) -> tuple[str, str, str, str]:
    """View, title, condition and what to do; what is not given is asked on the terminal."""
    if title is None:
        shown = "" if over else ' The view first, as in "datastore: A VMFS datastore lies on one device"'
        title = _answer(f"What is judged, in a sentence that is true where all is well?{shown}")
        view, colon, sentence = title.partition(": ")
        if over is None and colon and re.fullmatch(r"[a-z_]+", view):
            over, title = view, sentence.strip()
    view = _view(over or "device")
    holds = holds or _answer(f"Which condition holds then? SQL over one row of {view}, such as extents <= 1")
    return view, title, holds, by_hand or _answer("What does a person do where it does not?")


def _answer(question: str) -> str:
    """What is typed, on one line.

    Raises:
        ConfigurationError: nothing is.
    """
    print(f"{question}\n> ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip()
    if not answer:
        raise ConfigurationError(
            "there is no answer", why="no file was written.", do="answer all three questions, or give them as options."
        )
    return answer


def _row(option: str, text: str | None) -> dict[str, Any] | None:
    """A row that an option gives as YAML."""
    from auditor.yaml.reading import parse_yaml

    if text is None:
        return None
    try:
        row, _ = parse_yaml(f"row: {text}".encode())
        if isinstance(row["row"], dict) and row["row"]:
            return row["row"]
    except (ValueError, KeyError):
        pass
    raise ConfigurationError(
        f"{option} is no row: {text}", why="no file was written.", do=f"write columns with values: {option} '{{extents: 1}}'."
    )


def _write_template(rule: str, view: str, path: Path) -> None:
    from auditor.authoring.scaffold import draft
    from auditor.authoring.schema_docs import about_view, described

    _write(path, draft(rule, view, about_view(view), described(view)))
    print(f"{path}: fill it in, then `auditor rules test {path}`")


def _write_short(
    rule: str, path: Path, answers: tuple[str, str, str, str], rows: tuple[dict[str, Any] | None, dict[str, Any] | None]
) -> int:
    """Write a short rule and judge its examples; its exit code is that of `auditor rules test`."""
    from auditor.authoring.examples import check_examples
    from auditor.authoring.short_rules import Answers, short_rule
    from auditor.endpoints.settings import remediator_names
    from auditor.engine.rules.loading import load_rules
    from auditor.facts.catalog import all_view_columns

    view, title, holds, by_hand = answers
    views, remediators = all_view_columns(), remediator_names()
    _write(path, short_rule(Answers(rule, view, title, holds, by_hand), views, remediators, *rows))
    folder = path.parents[rule.count("/")]
    results = check_examples(load_rules([folder], views, remediators).only([rule]))
    wrong = [result for result in results if not result.ok]
    for result in wrong:
        print(f"{result.rule}: example '{result.example}' must be {result.wanted}: {result.detail}")
    print(f"{path}: {len(results) - len(wrong)} passed, {len(wrong)} failed")
    print(f"Judge by it: auditor audit --fleet fleet.yaml --rules {quoted(str(folder))} --only {rule}", file=sys.stderr)
    return 3 if wrong else 0


def _write(path: Path, text: str) -> None:
    """Write a new file; its folder is made.

    Raises:
        ConfigurationError: it is there already, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as failure:
        raise ConfigurationError(
            f"cannot write {path}: {failure.strerror or failure}", why="no file was written.", do="name another rule or directory."
        ) from failure


def schema(
    view: Annotated[str | None, typer.Argument(metavar="VIEW", help="A view. [default: list them]", show_default=False)] = None,
) -> int:
    """What rules and queries may ask: each view's columns, their types and units, where they are read, and a value from the lab.

    Example: auditor rules schema protocol_endpoint
    """
    from auditor.authoring.schema_docs import about_view, described
    from auditor.facts.catalog import all_view_columns
    from auditor.report.terminal.schema_text import write_view, write_views

    if view is None:
        write_views(((name, len(columns), about_view(name)) for name, columns in all_view_columns().items()), sys.stdout)
    else:
        write_view(_view(view), about_view(view), described(view), sys.stdout)
    return 0


def mutate(
    chosen: Annotated[list[str] | None, typer.Argument(metavar="RULE", help="Rules. [default: all]")] = None,
    rules: options.Rules = None,
    tag: options.Tags = None,
    least: Annotated[
        float, typer.Option("--least", metavar="PERCENT", min=0, max=100, help="Exit with code 3 if a rule scores less.")
    ] = 90,
    every: Annotated[bool, typer.Option("--every", help="Also list the missed mistakes of rules that score more.")] = False,
) -> int:
    """Make mistakes in rules, one at a time, and see whether an example notices: operators, bounds, columns, conditions, their order.

    Example: auditor rules mutate vvol/pe-dsnro-headroom --every
    """
    from auditor.authoring.mutation import score_rules
    from auditor.pipeline.policy import load_rule_set
    from auditor.report.terminal.scores import write_scores

    loaded = load_rule_set(rules or [], chosen or []).tagged(tag or [])
    scores = list(score_rules(loaded))
    write_scores(scores, loaded, least, sys.stdout, show_all=every)
    low = [score.rule for score in scores if score.percent < least]
    if low:
        raise RuleError(
            f"below {least:g} %: {', '.join(low)}",
            why="these examples pass with a mistake in the rule, so nobody would notice one that is there.",
            do=f"add rows as shown above to the examples, then `auditor rules mutate {low[0]}`.",
        )
    return 0


def conflicts(
    fleet: Annotated[Path | None, typer.Option("--fleet", metavar="PATH", help="With the params of this fleet.yaml.")] = None,
    run: options.Run = None,
    snapshot: options.Snapshots = None,
    rules: options.Rules = None,
    tag: options.Tags = None,
    state_dir: options.StateDir = None,
) -> int:
    """List rules that want different values of one setting, each pair with a row that shows it; ends with exit code 3 where there are any.

    With --run or --from: list the settings of that fleet for which they want different values now, by a fix or by hand.

    Example: auditor rules conflicts --fleet fleet.yaml
    """
    from auditor.engine.probing.conflicts import conflict_text, place_text
    from auditor.engine.probing.conflicts import conflicts as conflicts_of
    from auditor.engine.rules.params import param_values
    from auditor.fleet.loading import load_fleet
    from auditor.pipeline.policy import load_rule_set, param_overrides, with_fleet_severities
    from auditor.text.numbers import count_of

    loaded, known = load_rule_set(rules or []).tagged(tag or []), load_fleet(fleet) if fleet is not None else None
    with_fleet_severities(known, loaded)  # what an audit with this fleet.yaml would refuse is refused here
    overrides = param_overrides(known, loaded)
    if run is not None or snapshot:
        return _conflicts_over(saved_place(None if run == "latest" else run, snapshot, state_dir)[0], loaded, overrides)
    pairs = list(conflicts_of(loaded, param_values(overrides, loaded)))
    for conflict in pairs:
        print(f"{place_text(conflict.place)}: {conflict_text(conflict)}")
    print(f"{count_of(len(loaded), 'rule')}, {count_of(len(pairs), 'conflict')}")
    return 3 if pairs else 0


def _conflicts_over(place: Path, rules: RuleSet, overrides: Sequence[Override]) -> int:
    import tempfile

    from auditor.engine.probing.conflicts import conflicts_over_facts
    from auditor.facts.snapshots.snapshot import load_snapshot
    from auditor.report.fix_outcomes import contradiction_notices
    from auditor.report.wording import neutral
    from auditor.text.numbers import count_of

    with tempfile.TemporaryDirectory(prefix="auditor-conflicts-") as scratch:
        clashes = conflicts_over_facts(load_snapshot(place), rules, overrides, Path(scratch))
    for notice in contradiction_notices(clashes):
        print(neutral(notice))
    print(f"{count_of(len(rules), 'rule')}, {count_of(len(clashes), 'conflict')} in {place}")
    return 3 if clashes else 0


def pages(
    directory: Annotated[Path, typer.Option("--dir", metavar="DIR", callback=folder_to_write, help="Where they go.")] = Path("docs/rules"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; end with exit code 3 when a page is not up to date.")] = False,
    rules: options.Rules = None,
) -> int:
    """Write the pages of docs/rules: one for each rule, and an index.

    Example: auditor rules pages --dir docs/rules --check
    """
    from auditor.pipeline.policy import load_rule_set
    from auditor.report.html.rule_pages import rule_pages, stale_pages, write_pages

    made = rule_pages(load_rule_set(rules or []))
    if not check:
        changed = write_pages(made, directory)
        print(f"{directory}: {len(made)} pages, {len(changed)} of them changed")
        return 0
    stale = stale_pages(made, directory)
    if stale:
        raise RuleError(
            f"not up to date in {directory}: {', '.join(stale[:5])}{f' and {len(stale) - 5} more' if len(stale) > 5 else ''}",
            why="readers would act on what the rules no longer say.",
            do="run `make rule-pages`, and commit what it writes.",
        )
    print(f"{directory}: {len(made)} pages, all up to date")
    return 0


def _view(name: str) -> str:
    from auditor.facts.catalog import all_view_columns
    from auditor.yaml.reading import did_you_mean

    if name not in all_view_columns():
        raise ConfigurationError(
            f'there is no view "{name}"{did_you_mean(name, all_view_columns())}',
            why="nothing was shown or written.",
            do="auditor rules schema",
        )
    return name
