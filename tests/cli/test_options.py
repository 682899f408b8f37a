"""Options that commands share as a group."""

from typing import Annotated

import pytest
import typer

from auditor.cli.app import app
from auditor.cli.option_groups import ExitOptions, FixOptions, with_groups
from auditor.errors import ConfigurationError
from auditor.model import FixClass, Severity


def test_a_command_takes_the_options_of_a_group_as_one_value() -> None:
    seen: list[object] = []

    @with_groups
    def command(
        *,
        name: Annotated[str, typer.Option("--name")] = "nobody",
        exits: ExitOptions,
        fixing: FixOptions,
    ) -> int:
        """A command."""
        seen.extend((name, exits, fixing))
        return 7

    made = typer.Typer()
    made.command()(command)
    assert made(["--fail-on", "high", "--fix", "--allow", "reboot"], standalone_mode=False) == 7
    assert seen == ["nobody", ExitOptions(Severity.HIGH), FixOptions(fix=True, allow=[FixClass.REBOOT])]


def test_options_that_go_with_a_fix_are_its_limits() -> None:
    chosen = FixOptions(fix=True, yes=True, allow=[FixClass.REBOOT], max_changes="5%").limits()
    assert chosen is not None
    assert (chosen.allow, chosen.max_changes) == ((FixClass.REBOOT,), "5%")
    assert chosen.reboot
    kept = FixOptions(fix=True, no_reboot=True).limits()
    assert kept is not None
    assert not kept.reboot
    assert FixOptions().limits() is None
    assert FixOptions(fix=True, dry_run=True).limits() is None, "nothing will be written"
    with pytest.raises(ConfigurationError, match="go with --fix"):
        FixOptions(dry_run=True).limits()


NARROWING = {"--only", "--tag", "--exclude", "--severity", "--endpoint", "--cluster", "--host"}
AUDITING = {"--rules", *NARROWING, "--fail-on", "--min-coverage", "--state-dir"}
GATES = {"--accept-health", "--after-failed-gate"}
LATE = {*GATES, "--allow-unmatched-protection", "--allow-unusual", "--retry-put-back", "--confirm-within"}
FIXING = {"--fix", "--dry-run", "--yes", "--allow", "--max-changes", "--max-hosts", "--settle", "--no-reboot", *LATE}
INCREMENTAL = {"--since", "--max-age"}
TRANSPORT = {"--transport", "--lane"}
HISTORY = {"--history", "--at"}
WORKERS = {"--workers", "--workers-certificates"}


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (
            "audit",
            {
                "--fleet",
                "--cluster-of",
                "--from",
                "--snapshot",
                "--reporter",
                "--details",
                "--waivers",
                "--compare",
                "--keep",
                *AUDITING,
                *FIXING,
                *INCREMENTAL,
                *HISTORY,
                *TRANSPORT,
                *WORKERS,
            },
        ),
        ("demo", {"--scenario", "--bundle", "--reporter", "--details", *AUDITING, *FIXING, *HISTORY, *TRANSPORT}),
        (
            "schedule",
            {
                "--fleet",
                "--publish",
                "--jobs",
                "--cron",
                "--once",
                "--timezone",
                "--keep",
                "--timeout",
                "--listen",
                "--token-file",
                "--history",
                "--log-format",
            }
            | {"--waivers", *AUDITING, *INCREMENTAL},
        ),
        ("collect", {"--fleet", "--out", "--strict", "--endpoint", *HISTORY, *TRANSPORT, *WORKERS}),
        ("undo", {"--fleet", "--yes", "--trust-names", "--dry-run", "--only", "--reboot", "--max-changes", "--max-hosts", "--state-dir"}),
        ("apply", {"--fleet", "--waivers", "--state-dir", *FIXING - {"--fix", "--retry-put-back"}}),
        ("resume", {"--fleet", "--waivers", "--state-dir", *FIXING - {"--fix", "--dry-run", "--no-reboot", *LATE - GATES}}),
    ],
)
def test_no_option_of_the_walk_is_lost(command: str, names: set[str]) -> None:
    group = typer.main.get_command(app)
    found = {name for parameter in group.commands[command].params for name in parameter.opts if name.startswith("--")}  # type: ignore[attr-defined]
    assert found - {"--help"} == names
