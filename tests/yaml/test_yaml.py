from pathlib import Path
from typing import Any

import pytest

from auditor.errors import ConfigurationError, RuleError
from auditor.yaml.reading import did_you_mean, load_yaml, nearest, parse_yaml
from auditor.yaml.scalars import YamlMistakeError

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
        pytest.param("010", 10, id="a zero in front is no octal number"),
        pytest.param("0x1F", 31, id="hexadecimal numbers"),
        pytest.param("-1_000", -1000, id="digits in groups"),
        pytest.param("8.0.2", "8.0.2", id="a version"),
        pytest.param("0x", "0x", id="the beginning of a number"),
        pytest.param("-.5", -0.5, id="a number that begins with its point"),
        pytest.param("-.Inf", float("-inf"), id="infinity"),
        pytest.param("!!str 256", "256", id="a number that is said to be text"),
        pytest.param("!!float 1", 1.0, id="a whole number that is said to be a float"),
        pytest.param("|-\n  true", "true", id="a block is text"),
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
        pytest.param("a: 1\nb: \x07\n", 2, "U+0007, a control character", id="a control character"),
        pytest.param("a: 1\nb: \u2028c\n", 2, "U+2028", id="what one parser takes for the end of a line and another does not"),
        pytest.param("%YAML 1.1\n---\na: no\n", 1, "files are read as YAML 1.2", id="another version of YAML"),
        pytest.param("a: " + "9" * 5000 + "\n", 1, "is not of type int", id="more digits than Python reads"),
        pytest.param('a: "\\ud800"\n', 1, "surrogate", id="half a surrogate pair"),
        pytest.param(BOMB, None, "values once its aliases are written out", id="a bomb of aliases"),
        pytest.param("a: &a [*a]\n", 1, "an alias that contains itself", id="an alias within itself"),
        pytest.param("a: " + "{a: " * 3000, 1, "nested more than 60 levels deep", id="braces without end"),
        pytest.param("a: 1\nb: !!python/object:os.system x\n", 2, "the tag !!python/object:os.system is not allowed", id="a Python object"),
        pytest.param("a: !!bool perhaps\n", 1, '"perhaps" is not of type bool', id="a tag that does not fit"),
        pytest.param("a: 1\n---\nb: 2\n", 2, "another document", id="two documents"),
        pytest.param(
            "a: &a {b: {c: {d: 1}}}\n" + "e: " + "{x: " * 58 + "*a " + "}" * 58 + "\n", 2, "nested more than 60", id="an alias too deep"
        ),
        pytest.param("a: 1\nb: *nowhere\n", 2, "undefined alias 'nowhere'", id="an alias of nothing"),
        pytest.param("<<: {a: 1}\n", 1, "a key must be text", id="a merge key"),
        pytest.param("a: 1\n? [b]\n: 2\n", 2, "a key must be text", id="a list as a key"),
        pytest.param("a: 1\nb: c: d\n", 2, "mapping values are not allowed", id="two colons in a line"),
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


def test_an_alias_is_the_same_data_again_and_its_lines_are_those_of_its_anchor(tmp_path: Path) -> None:
    document = load_yaml(write(tmp_path, "a: &a\n  b: [1]\nc: *a\n"), ConfigurationError, why="")
    assert document.data == {"a": {"b": [1]}, "c": {"b": [1]}}
    assert (document.line("c"), document.line("c", "b", 0)) == (3, 2)


def test_merge_keys_are_read_only_where_they_are_asked_for() -> None:
    text = b"a: &a {b: 1, c: 2}\nd:\n  <<: *a\n  c: 3\n"
    assert parse_yaml(text, merge_keys=True)[0]["d"] == {"b": 1, "c": 3}
    with pytest.raises(YamlMistakeError, match="a key must be text"):
        parse_yaml(text)
    with pytest.raises(YamlMistakeError, match="must name a mapping"):
        parse_yaml(b"a:\n  <<: 1\n", merge_keys=True)


@pytest.mark.long
def test_a_python_without_libyaml_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "rules" / "vvol" / "pe-dsnro-headroom.yaml").read_bytes()
    with_libyaml = parse_yaml(text)
    monkeypatch.delattr("yaml.CSafeLoader")
    assert parse_yaml(text) == with_libyaml
