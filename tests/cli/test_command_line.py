"""Every command: its help, its mistakes, its exit codes."""

import re
import sys
from inspect import unwrap
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.cli.commands import app_for
from tests.waiting import completed

COMMANDS = (
    "demo",
    "init",
    "audit",
    "doctor",
    "collect",
    "schedule",
    "undo",
    "explain",
    "inventory",
    "check-move",
    "watch",
    "reproduce",
    "endpoints new",
    "rules list",
    "rules show",
    "rules test",
    "rules new",
    "rules schema",
    "rules mutate",
    "rules conflicts",
    "rules pages",
    "query",
    "runs list",
    "runs show",
    "runs diff",
    "runs trend",
    "runs prune",
    "lab up",
    "guest-facts",
    "lab evidence",
    "lab export-vcsim",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "--help"]) == 0
    assert f"Example: auditor {command}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("command", "usage", "argument"),
    [
        pytest.param("explain", "auditor explain [OPTIONS] {FINDING|HOST/DEVICE|VM}...", "FINDING|HOST/DEVICE|VM  The id", id="several"),
        pytest.param("watch", "auditor watch [OPTIONS] {HOST/DEVICE}...", "HOST/DEVICE  The devices", id="as many as are given"),
        pytest.param("rules schema", "auditor rules schema [OPTIONS] [VIEW]", "VIEW  A view.", id="one of a group, that may be left out"),
        pytest.param("rules test", "auditor rules test [OPTIONS] [RULE|FILE]...", "RULE|FILE  Rules", id="several of a group"),
    ],
)
def test_arguments_have_no_words_of_python(command: str, usage: str, argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command.split(), "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Usage: {usage}"
    assert [line.strip() for line in lines if line.startswith(f"  {argument}")]


def test_help_imports_nothing_heavy() -> None:
    heavy = (
        "duckdb",
        "numpy",
        "pyVmomi",
        "httpx",
        "rich",
        "jinja2",
        "sqlglot",
        "yaml",
        "solidfire",
        "msgspec",
        "apscheduler",
        "trustme",
        "apprise",
        "starlette",
        "uvicorn",
    )
    script = f"""
import sys
from auditor.cli import run
code = run(["--help"])
print([name for name in (*{heavy!r}, "auditor.cli.audit", "auditor.cli.init") if name in sys.modules], file=sys.stderr)
"""
    done = completed([sys.executable, "-c", script], check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.long
def test_a_command_imports_no_other_command() -> None:
    script = """
import sys
from auditor.cli import run
code = run(["rules", "list"])
others = {"auditor.cli.audit", "auditor.cli.lab", "auditor.cli.apply", "concurrent.futures.thread"}
print(code, sorted(others.intersection(sys.modules)), file=sys.stderr)
"""
    done = completed([sys.executable, "-c", script], check=True)
    assert done.stderr.strip() == "0 []"


def test_a_command_line_has_its_own_command_as_all_of_them_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    made = unwrap(app_for)  # anew: click keeps a command's help option, and whoever looks at one alone leaves another
    for word in ("rules", "audit"):
        texts = []
        for app in (made([word]), made(())):
            app([word, "--help"], standalone_mode=False, prog_name="auditor")
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]
        assert texts[0]


def test_the_help_at_80_columns_lists_every_command_in_four_panels_and_cuts_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    words = re.findall(r"^  ([a-z-]+)  +(\S.*)$", shown.partition("\nLook:\n")[2], re.MULTILINE)
    every = app_for(())
    names = {one.name for one in every.registered_commands} | {one.name for one in every.registered_groups}
    assert {word for word, _ in words} == names
    assert re.findall(r"^(\w+):$", shown, re.MULTILINE)[1:] == ["Look", "Change", "Rules", "Operate"]
    assert "..." not in shown.partition("\nLook:\n")[2]
    assert max(map(len, shown.splitlines())) <= 80
    assert max(len(text) for _, text in words) <= 45


def test_the_help_of_a_group_cuts_no_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "finding by finding: new, came back, fixed, gone, newly unknown or no longer read." in shown


@pytest.mark.parametrize("line", [[], ["rulse"]])
def test_a_line_that_begins_with_no_command_may_mean_any(line: list[str]) -> None:
    assert len(app_for(line).registered_groups) == len(app_for(()).registered_groups) > 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["audti"], "No such command", id="misspelt command"),
        pytest.param(["audit", "--flet", "x"], "No such option", id="misspelt option"),
        pytest.param(["audit"], "either --fleet PATH or --from PATH", id="nothing to audit"),
        pytest.param(["audit", "--fleet", "a", "--from", "b"], "either --fleet PATH or --from PATH", id="two sources"),
        pytest.param(["audit", "--fleet", "nowhere.yaml"], "nowhere.yaml", id="no such file"),
        pytest.param(["audit", "--fleet", "f", "--yes"], "go with --fix", id="yes to nothing"),
        pytest.param(["demo", "--allow", "online"], "go with --fix", id="allow nothing in the demo"),
        pytest.param(["audit", "--fleet", "f", "--fix", "--allow", "everything"], "everything", id="unknown class"),
        pytest.param(["audit", "--fleet", "f", "--fail-on", "severe"], "severe", id="unknown severity"),
        pytest.param(["audit", "--fleet", "f", "--min-coverage", "2"], "less than or equal to 1", id="coverage above 1"),
        pytest.param(["audit", "--fleet", "f", "--reporter", "jsn"], 'did you mean "json"', id="unknown reporter"),
        pytest.param(["audit", "--from", "nowhere"], "not a whole snapshot", id="no such snapshot"),
        pytest.param(["audit", "--from", "d", "--lane", "soap"], "cannot go with --from", id="a transport for a snapshot"),
        pytest.param(["audit", "--from", "d", "--since", "last"], "--since cannot go with --from", id="a snapshot since a run"),
        pytest.param(["audit", "--fleet", "f", "--max-age", "1h"], "--max-age goes with --since", id="an age of nothing"),
        pytest.param(
            ["schedule", "--once", "--fleet", "f", "--publish", "p", "--since", "last", "--max-age", "1y"], "not an age", id="no age"
        ),
        pytest.param(["audit", "--fleet", "f", "--max-changes", "ten"], "not a whole number such as 25", id="no number of changes"),
        pytest.param(["rules", "show", "vvol/pe-dsnro-headrom"], 'did you mean "vvol/pe-dsnro-headroom"', id="misspelt rule"),
        pytest.param(["rules", "test", "nowhere.yaml"], "nowhere.yaml is not a file", id="no such rule file"),
        pytest.param(["runs", "show", "yesterday"], "not the id of a run", id="not a run id"),
        pytest.param(["runs", "list", "--state-dir", "typo"], "there is no folder typo", id="no such state"),
        pytest.param(["demo", "--scenario", "solidfire-vols"], "solidfire-vvols", id="misspelt scenario"),
        pytest.param(["schedule", "--fleet", "f", "--publish", "p"], "either --cron EXPR or --once", id="no schedule"),
        pytest.param(["schedule", "--once"], "--fleet PATH and --publish DIR, or --jobs PATH", id="nothing to schedule"),
        pytest.param(["schedule", "--jobs", "nowhere.yaml"], "nowhere.yaml", id="no such file of jobs"),
        pytest.param(["schedule", "--jobs", "j", "--fleet", "f"], "do not go with --jobs", id="two sources of jobs"),
        pytest.param(
            ["schedule", "--once", "--fleet", "f", "--publish", "p", "--token-file", "t"], "goes with --listen", id="token for nobody"
        ),
        pytest.param(
            ["schedule", "--once", "--fleet", "f", "--publish", "p", "--listen", "0.0.0.0:80"],
            "there is no token",
            id="open to all machines",
        ),
    ],
)
def test_a_mistake_on_the_command_line_ends_with_3_and_says_what_to_do(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run(arguments) == 3
    said = capsys.readouterr()
    assert says in said.err
    assert said.err.startswith("error: ")
    assert "\n  why: " in said.err
    assert "\n  do:  " in said.err
    assert said.out == ""


def test_rules_are_held_against_each_other_only_by_a_fleet_that_an_audit_would_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = tmp_path / "fleet.yaml"
    endpoint = "endpoints:\n  - {name: vc, kind: vcenter, address: vc.example, username: u, password: {env: P}}\n"
    fleet.write_text(f"{endpoint}severity:\n  vaai/enabeld: high\n", encoding="utf-8")
    assert run(["rules", "conflicts", "--fleet", str(fleet)]) == 3
    assert 'did you mean "vaai/enabled"' in capsys.readouterr().err


def test_a_broken_rule_of_ones_own_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = Path(__file__).parents[2] / "rules/vvol/pe-dsnro-headroom.yaml"
    folder = tmp_path / "mine" / "own"
    folder.mkdir(parents=True)
    text = shipped.read_text(encoding="utf-8").replace("id: vvol/pe-dsnro-headroom", "id: own/pe").replace("least(dsnro,", "least(dsnr,")
    (folder / "pe.yaml").write_text(text, encoding="utf-8")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if row.startswith("holds:"))
    assert run(["rules", "list", "--rules", str(tmp_path / "mine")]) == 3
    said = capsys.readouterr().err
    assert f"pe.yaml:{line}: " in said
    assert 'did you mean "dsnro"' in said


@pytest.mark.long
def test_rules_that_pass_their_own_examples_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Of all shipped rules: tests/engine/test_shipped_rules.py, and `make rules`."""
    files = sorted((Path(__file__).parents[2] / "rules" / "vvol").glob("*.yaml"))
    assert run(["rules", "test", *map(str, files)]) == 0
    passed, failed = capsys.readouterr().out.strip().splitlines()[-1].split(", ")
    assert int(passed.split()[0]) >= len(files) * 3 > 0
    assert failed == "0 failed"


def test_a_rule_whose_example_no_longer_holds_fails_its_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = Path(__file__).parents[2] / "rules/queue/pending-reboot.yaml"
    folder = tmp_path / "mine" / "own"
    folder.mkdir(parents=True)
    text = (
        shipped.read_text(encoding="utf-8")
        .replace("id: queue/pending-reboot", "id: own/reboot")
        .replace(" = configured_depth", " <= configured_depth")
    )
    (folder / "reboot.yaml").write_text(text, encoding="utf-8")
    assert run(["rules", "test", str(folder / "reboot.yaml")]) == 3
    assert "configured, never rebooted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "help_of"),
    [
        (["nosuch"], "auditor"),
        (["rules", "show"], "auditor rules show"),
        (["baseline", "set", "--for", "some"], "auditor baseline set"),
        (["audit", "--fleet", "fleet.yaml", "--only"], "auditor audit"),
    ],
    ids=["no command", "an argument is missing", "a wrong value", "an option without its value"],
)
def test_a_misuse_names_a_help_that_is_there(arguments: list[str], help_of: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 3
    assert capsys.readouterr().err.splitlines()[-1] == f"  do:  {help_of} --help"


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        pytest.param(KeyboardInterrupt(), 130, id="between two statements"),
        pytest.param(RuntimeError("Query interrupted"), 130, id="while DuckDB runs one"),
    ],
)
def test_ctrl_c_is_an_interruption_wherever_it_comes(
    raised: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("auditor.cli.commands.app_for", interrupted)
    assert run(["rules", "list"]) == code
    assert "interrupted" in capsys.readouterr().err


def test_ctrl_c_in_a_command_says_that_the_journal_is_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("auditor.pipeline.policy.load_rule_set", interrupted)
    assert run(["rules", "list"]) == 130
    assert "interrupted: what was written is in the journal" in capsys.readouterr().err


def test_another_runtime_error_stays_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a set changed size")

    monkeypatch.setattr("auditor.cli.commands.app_for", broken)
    with pytest.raises(RuntimeError, match="a set changed size"):
        run(["rules", "list"])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        pytest.param(["--severity", "hgih"], "'hgih' is not one of 'critical', .*; did you mean \"high\"\\?$", id="a word misspelt"),
        pytest.param(["--severity", "?"], "'\\?' is not one of .*'info'\\.$", id="nothing near"),
        pytest.param(["--min-coverage", "2"], "Invalid value for '--min-coverage': it should be less than or equal to 1", id="too much"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_named_with_the_nearest(
    words: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", *words]) == 3
    what, why, do = capsys.readouterr().err.splitlines()
    assert re.search(error, what)
    assert "Value error" not in what
    assert (why, do) == ("  why: nothing was read or changed: the command was not understood.", "  do:  auditor audit --help")


@pytest.mark.long
def test_where_accepted_gaps_leave_nothing_to_judge_an_audit_does_not_end_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = tmp_path / "fleet.yaml"
    endpoint = "{name: vc, kind: vcenter, address: '127.0.0.1:9', username: u, password: {env: AUDITOR_TEST_PASSWORD}}"
    fleet.write_text(f"endpoints:\n  - {endpoint}\n", encoding="utf-8")
    answering = "{endpoint: vc, what: '*', owner: storage team, reason: moving, expires: 2100-01-01}"
    (tmp_path / "waivers.yaml").write_text(f"gaps:\n  - {answering}\n", encoding="utf-8")
    arguments = ["audit", "--fleet", str(fleet), "--state-dir", str(tmp_path / "state"), "--only", "vvol/pe-dsnro-headroom"]
    assert run(arguments) == 2
    assert "NOTHING JUDGED  No verdict could be reached: 1 gap is accepted." in capsys.readouterr().out
    assert run([*arguments, "--min-coverage", "0"]) == 0, "who takes any coverage takes none"


@pytest.mark.parametrize("command", [["demo"], ["lab", "up"]])
def test_without_its_extra_the_simulated_fleet_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "trustme", None)
    assert run(command) == 3
    err = capsys.readouterr().err
    assert "the simulated fleet needs the package trustme, which is not installed" in err
    assert "-py3-none-any.whl[lab]" in " ".join(err.split())
