"""The commands for who writes rules."""

import io
import re
from pathlib import Path

import pytest

from auditor.authoring.scaffold import blanks
from auditor.cli import run
from auditor.cli.run_on_change import run_on_change
from auditor.engine.rules.loading import load_rules
from auditor.errors import RuleError
from auditor.facts.catalog import all_view_columns
from auditor.model import Verdict

FILLED = {
    "the value": "256",
    "the smallest": "1",
    "the largest": "1024",
    "a condition that says which rows it is about": "is_shared",
    "a condition, for example": "queue_depth <= $wanted",
    "what is shown as found": "queue_depth",
    "what is shown as wanted": "$wanted",
    "what is wrong, as a sentence": "{resource_name}: {queue_depth:commands}, wanted {$wanted}",
}
ROWS = iter(
    (
        "is_shared: true, queue_depth: 64",
        "is_shared: true, queue_depth: 512",
        "is_shared: true",
        "is_shared: false",
    )
)


def filled_in(blank: str) -> str:
    if "columns and values" in blank:
        return next(ROWS)
    return next((text for words, text in FILLED.items() if words in blank), f"words {len(blank)}")


def test_a_new_rule_is_refused_until_it_is_filled_in_and_passes_then(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "new", "queue/host-limit", "--dir", str(tmp_path)]) == 0
    path = tmp_path / "queue/host-limit.yaml"
    text = path.read_text(encoding="utf-8")
    assert run(["rules", "test", str(path)]) == 3
    err = capsys.readouterr().err
    assert all(f"{path}:{line}: {what} still stands here" in err for line, what in blanks(text))
    assert len(list(blanks(text))) >= 15
    path.write_text(re.sub(r"<fill in: [^>]*>", lambda match: filled_in(match[0]), text), encoding="utf-8")
    assert run(["rules", "test", str(path)]) == 0
    assert capsys.readouterr().out == "4 passed, 0 failed\n"


SHORT = ("--over", "datastore", "--title", "It has one extent", "--holds", "extents <= 1", "--by-hand", "Move its machines")


def test_a_short_rule_is_written_with_both_examples_and_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "new", "mine/one", *SHORT, "--dir", str(tmp_path)]) == 0
    path = tmp_path / "mine/one.yaml"
    assert capsys.readouterr().out == f"{path}: 2 passed, 0 failed\n"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 12
    rule = load_rules([tmp_path], all_view_columns(), ())["mine/one"]
    assert [(one.verdict, one.row) for one in rule.examples] == [(Verdict.PASS, {"extents": 1}), (Verdict.FAIL, {"extents": 2})]
    assert (rule.observed.text, rule.desired.text, rule.title, rule.by_hand) == (
        "extents",
        "'extents <= 1'",
        "It has one extent",
        "Move its machines",
    )
    assert run(["rules", "test", str(path)]) == 0


@pytest.mark.parametrize(
    ("holds", "rows", "says"),
    [
        pytest.param("extnts = 1", [], 'did you mean "extents"', id="no such column"),
        pytest.param("extents >= 0", [], "no row was found that fails", id="nothing fails"),
        pytest.param("extents >= 0", ["--fails", "1"], "--fails is no row: 1", id="no row"),
        pytest.param("extents = 1; DROP TABLE x", [], "mine/one:5", id="no expression"),
    ],
)
def test_a_condition_that_is_no_rule_is_told_and_nothing_is_written(
    holds: str, rows: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [holds if word == "extents <= 1" else word for word in SHORT]
    assert run(["rules", "new", "mine/one", *words, *rows, "--dir", str(tmp_path)]) == 3
    err = capsys.readouterr().err
    assert says in err
    assert "no file was written" in err
    assert not (tmp_path / "mine/one.yaml").exists()


def test_a_row_that_is_given_is_the_example_and_a_wrong_one_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "new", "mine/one", *SHORT, "--passes", "{extents: 5}", "--dir", str(tmp_path)]) == 3
    assert "example 'passes 1' must be pass" in capsys.readouterr().out


def test_half_of_a_short_rule_is_refused_where_nobody_can_be_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "new", "mine/one", "--holds", "extents = 1", "--dir", str(tmp_path)]) == 3
    assert "a short rule needs --title, --by-hand too" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_three_answers_on_a_terminal_are_a_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("datastore: It lies on one device\nextents = 1\nMove its machines: slowly\n"))
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    assert run(["rules", "new", "mine/one", "--dir", str(tmp_path)]) == 0
    assert [line[:14] for line in shown.getvalue().splitlines() if line.startswith(("What", "> Which", "> What"))] == [
        "What is judged",
        "> Which condit",
        "> What does a ",
    ]
    rule = load_rules([tmp_path], all_view_columns(), ())["mine/one"]
    assert (rule.over, rule.title, rule.holds.text, rule.by_hand) == (
        "datastore",
        "It lies on one device",
        "extents = 1",
        "Move its machines: slowly",
    )


def test_no_answer_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("datastore: It lies on one device\n\n"))
    monkeypatch.setattr("sys.stderr", Terminal())
    assert run(["rules", "new", "mine/one", "--dir", str(tmp_path)]) == 3
    assert not list(tmp_path.iterdir())


def test_one_blank_that_is_left_in_words_alone_is_refused_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["rules", "new", "queue/one", "--dir", str(tmp_path)])
    path = tmp_path / "queue/one.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"<fill in: (?!what happened)[^>]*>", "x", text), encoding="utf-8")
    assert run(["rules", "test", str(path)]) == 3
    assert "still stands here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "says"),
    [
        pytest.param("{queue_depth: x}", '"queue_depth" is a whole number', id="a value of another type"),
        pytest.param("{queue_depht: 65}", 'did you mean "queue_depth"', id="no such column"),
    ],
)
def test_no_rule_is_written_with_a_row_that_no_audit_could_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: str, says: str
) -> None:
    """A folder of rules loads as a whole: such a file would stop every audit by it."""
    said = ["--over", "device", "--title", "It is so", "--holds", "queue_depth >= 64", "--by-hand", "Do it", "--dir", str(tmp_path)]
    assert run(["rules", "new", "mine/one", *said, "--passes", row]) == 3
    error = capsys.readouterr().err
    assert says in error
    assert "no file was written" in error
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "new", "queue/host-limit", "--dir", str(tmp_path)]) == 0
    (tmp_path / "queue/host-limit.yaml").write_text("mine", encoding="utf-8")
    assert run(["rules", "new", "queue/host-limit", "--dir", str(tmp_path)]) == 3
    assert "File exists" in capsys.readouterr().err
    assert (tmp_path / "queue/host-limit.yaml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["new", "hostlimit"], "not TOPIC/ID", id="no topic"),
        pytest.param(["new", "../x/y"], "not TOPIC/ID", id="another folder"),
        pytest.param(["new", "queue/x", "--over", "devices"], 'did you mean "device"', id="no such view for a rule"),
        pytest.param(["schema", "devcie"], 'did you mean "device"', id="no such view"),
        pytest.param(["list", "--tag", "isci"], 'did you mean "iscsi"', id="no such tag"),
        pytest.param(["mutate", "vaai/enabld"], 'did you mean "vaai/enabled"', id="no such rule"),
    ],
)
def test_a_mistake_is_told_with_the_nearest(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", *arguments]) == 3
    assert says in capsys.readouterr().err


def test_the_schema_tells_type_meaning_source_and_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "schema", "host"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "iscsi_max_io_size_kb bigint KiB, advanced option ISCSI.MaxIoSizeKB" in text
    assert "from host_option.value e.g. 512" in text
    assert run(["rules", "schema"]) == 0
    assert "One row per ESXi host." in capsys.readouterr().out


def test_a_score_below_the_least_ends_with_3_and_names_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "mutate", "vaai/enabled", "--least", "90"]) == 0
    assert "of 15 mistakes in 1 rule noticed" in capsys.readouterr().out
    assert run(["rules", "mutate", "vaai/enabled", "--least", "95"]) == 3
    said = capsys.readouterr()
    assert "value = 1 becomes value >= 1" in said.out
    assert "below 95 %: vaai/enabled" in said.err


def test_pages_that_are_not_up_to_date_end_with_3_and_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--dir", str(tmp_path / "docs")]
    assert run(["rules", "pages", *where, "--check"]) == 3
    assert "make rule-pages" in capsys.readouterr().err
    assert run(["rules", "pages", *where]) == 0
    assert run(["rules", "pages", *where, "--check"]) == 0


def test_watching_tests_again_after_each_change_and_waits_on_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = tmp_path / "a.yaml"
    steps = iter(["first", "nothing", "second", "gone", "end"])
    runs: list[str] = []

    def test() -> int:
        runs.append(rule.read_text(encoding="utf-8") if rule.exists() else "gone")
        if runs[-1] == "first":
            raise RuleError("a.yaml:1: wrong", why="so.", do="this.")
        return 0

    def wait(_seconds: float) -> None:
        match next(steps):
            case "first" | "second" as text:
                rule.write_text(text, encoding="utf-8")
            case "gone":
                rule.unlink()
            case "end":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_on_change(test, lambda: [tmp_path], wait=wait)
    assert runs == ["gone", "first", "second", "gone"]
    assert "error: a.yaml:1: wrong" in capsys.readouterr().err


def test_tags_choose_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list", "--tag", "iscsi"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed
    assert any(line.startswith("iscsi/delayed-ack ") for line in listed)
    assert not any(line.startswith("vaai/enabled") for line in listed)
