"""The commands for who writes rules."""

import re
from pathlib import Path

import pytest

from auditor.authoring.scaffold import blanks
from auditor.cli import run
from auditor.cli.run_on_change import run_on_change
from auditor.errors import RuleError

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


def test_one_blank_that_is_left_in_words_alone_is_refused_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["rules", "new", "queue/one", "--dir", str(tmp_path)])
    path = tmp_path / "queue/one.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"<fill in: (?!what happened)[^>]*>", "x", text), encoding="utf-8")
    assert run(["rules", "test", str(path)]) == 3
    assert "still stands here" in capsys.readouterr().err


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
