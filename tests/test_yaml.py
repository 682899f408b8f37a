import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.errors import ConfigurationError, RuleError
from auditor.policy import shipped_rules
from auditor.yaml import LARGEST_NODE_COUNT, YamlMistakeError, did_you_mean, load_yaml, nearest, read_carefully
from auditor.yaml_events import read_quickly

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 9)
)


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "fleet.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_every_key_and_list_item_knows_its_line(tmp_path: Path) -> None:
    text = "# a comment\nendpoints:\n  - name: vc-east\n    limits: {concurrency: 16}\n  - name: nas\nparams: {}\n"
    document = load_yaml(write(tmp_path, text), ConfigurationError, why="nothing was judged.")
    assert document.data == {"endpoints": [{"name": "vc-east", "limits": {"concurrency": 16}}, {"name": "nas"}], "params": {}}
    assert document.line("endpoints") == 2
    assert document.line("endpoints", 0) == 3
    assert document.line("endpoints", 0, "limits", "concurrency") == 4
    assert document.line("endpoints", 1, "name") == 5
    assert document.line("params") == 6


def test_a_key_that_is_absent_is_looked_for_at_its_parent(tmp_path: Path) -> None:
    document = load_yaml(write(tmp_path, "a: 1\nb:\n  c: 2\n"), ConfigurationError, why="")
    assert document.line("b", "password", "env") == 2
    assert document.line("nowhere") == 1
    assert document.where("b", "c") == f"{tmp_path / 'fleet.yaml'}:3"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("yes", "yes", id="yes is a word since YAML 1.2"),
        pytest.param("off", "off", id="off is a word since YAML 1.2"),
        pytest.param("true", True, id="true is true"),
        pytest.param("12:30", "12:30", id="no sexagesimal numbers"),
        pytest.param("0o17", 15, id="octal numbers"),
        pytest.param("2026-11-21", "2026-11-21", id="a date stays as written"),
        pytest.param("'256'", "256", id="a quoted number is text"),
        pytest.param("1e3", 1000.0, id="a float"),
        pytest.param("~", None, id="null"),
        pytest.param("=", "=", id="an equals sign"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(tmp_path: Path, written: str, read: Any) -> None:
    value = load_yaml(write(tmp_path, f"key: {written}\n"), ConfigurationError, why="").data["key"]
    assert value == read
    assert type(value) is type(read)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", 3, 'key "a" stands here twice; the first is in line 1', id="a key said twice"),
        pytest.param("a:\n  b: 1\n  b: 1\n", 3, 'key "b" stands here twice', id="a nested key said twice"),
        pytest.param("a:\n\tb: 1\n", 2, "a tab", id="a tab"),
        pytest.param("- a\n- b\n", 1, "a mapping of keys to values", id="a list at the top"),
        pytest.param("", 1, "a mapping of keys to values", id="an empty file"),
        pytest.param(b"a: 1\nb: \xff\xfe\n", 2, "byte 0xff is not UTF-8", id="not UTF-8"),
        pytest.param("a: 1\nb: \x07\n", 2, "control character", id="a control character"),
        pytest.param('a: "\\ud800"\n', 1, "surrogate", id="half a surrogate pair"),
        pytest.param(BOMB, None, "values once its aliases are written out", id="a bomb of aliases"),
        pytest.param("a: &a [*a]\n", 1, "an alias that contains itself", id="an alias within itself"),
        pytest.param("a: " + "{a: " * 3000, 1, "nested too deeply", id="braces without end"),
        pytest.param("a: 1\nb: !!python/object:os.system x\n", 2, "the tag !!python/object:os.system is not allowed", id="a Python object"),
        pytest.param("a: !!bool perhaps\n", 1, '"perhaps" is not of type bool', id="a tag that does not fit"),
        pytest.param("a: 1\n---\nb: 2\n", 2, "another document", id="two documents"),
        pytest.param("a: 1\nb: *nowhere\n", 2, "undefined alias 'nowhere'", id="an alias of nothing"),
        pytest.param("<<: {a: 1}\n", 1, "a key must be text", id="a merge key"),
        pytest.param("a: 1\n? [b]\n: 2\n", 2, "a key must be text", id="a list as a key"),
        pytest.param("a: 1\nb: c: d\n", 2, "mapping values are not allowed here", id="two colons in a line"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, content: str | bytes, line: int | None, words: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(RuleError) as caught:
        load_yaml(path, RuleError, why="nothing was judged.")
    assert words in caught.value.what
    assert caught.value.what.startswith(f"{path}:" if line is None else f"{path}:{line}: ")
    assert caught.value.why == "nothing was judged."


def test_a_file_that_is_not_there_is_an_error_of_the_kind_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_yaml(tmp_path / "none.yaml", ConfigurationError, why="")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        pytest.param("dsnr", "dsnro", id="a letter short"),
        pytest.param("DSNRO", "dsnro", id="other case"),
        pytest.param("queue_dept", "queue_depth", id="of two the nearer"),
        pytest.param("zebra", None, id="nothing near"),
    ],
)
def test_the_nearest_right_word_is_offered(word: str, near: str | None) -> None:
    assert nearest(word, ["queue_depth", "dsnro", "queue_full_threshold"]) == near


def test_an_unknown_word_without_a_near_one_is_answered_with_the_known_ones() -> None:
    assert did_you_mean("hlds", ["over", "holds"]) == '; did you mean "holds"?'
    assert did_you_mean("zebra", ["over", "holds"]) == "; known: holds, over"
    assert did_you_mean("zebra", [f"column_{number}" for number in range(200)]) == ""


_PIECES = [
    "a",
    "b",
    "k: ",
    "- ",
    ": ",
    ", ",
    "\n",
    "\n  ",
    "\n- ",
    "\n    ",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "#",
    " #c",
    "|\n",
    ">-\n",
    "? ",
    "true",
]
_PIECES += [
    "null",
    "~",
    "1",
    "-2.5",
    "1e3",
    "0o7",
    "0x1F",
    "1_0",
    ".5",
    "8.0.2",
    "2026-11-21",
    "<<",
    "=",
    "&x ",
    "*x",
    "!t ",
    "\\",
    "é",
    "%",
    "---",
    ":",
]
_SHAPES = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map("".join)


@settings(max_examples=150 * int(os.environ.get("HYPOTHESIS_EXAMPLES", "1")), deadline=None)
@given(first=_SHAPES, second=_SHAPES)
@example("\n    \n    text", "")
@example("|\n \n   text\n", "")
@example("[x, 'y':]", "")
@example("[x, 'y':true]", "")
@example(">-#\n  text", "")
@example("{c: <<}", "")
@example("- a\n-\n- b: c\n  d: |\n    text\n", "z")
def test_the_quick_way_reads_what_the_careful_way_reads_or_nothing(first: str, second: str) -> None:
    text = f"a: {first}\nb:\n  c: {second}\n"
    quick = read_quickly(text, LARGEST_NODE_COUNT)
    if quick is None:
        return
    try:
        careful = read_carefully(text)
    except YamlMistakeError as mistake:
        pytest.fail(f"{text!r} has a mistake that the quick way does not see: {mistake.what}")
    assert repr(quick) == repr(careful)  # as text: 1, 1.0 and true are three things


def test_shipped_rules_are_read_the_quick_way() -> None:
    files = sorted(shipped_rules().rglob("*.yaml"))
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert read_quickly(text, LARGEST_NODE_COUNT) == read_carefully(text)
