"""The shipped rules are not read and checked each time, and nobody can tell from what they say."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from auditor.authoring.checked_rules import checked_text
from auditor.endpoints.settings import remediator_names
from auditor.engine.rules.checked import CheckedRule, checked_rules, encoded, rule_digest
from auditor.engine.rules.loading import load_rules
from auditor.errors import RuleError
from auditor.facts.catalog import view_columns
from auditor.pipeline.policy import load_rule_set, shipped_rules
from tests.engine.bench import HEADROOM, REMEDIATORS, SOUND, VIEWS, changed, rule_text, write_rule
from tests.waiting import completed

pytestmark = pytest.mark.long

OTHER_TYPE = {"protocol_endpoint": {**VIEWS["protocol_endpoint"], "dsnro": "BOOLEAN"}}


@pytest.fixture
def checked(tmp_path: Path) -> Mapping[str, CheckedRule]:
    """The sound rule of the bench in `tmp_path`, as it was found sound."""
    path = write_rule(tmp_path, SOUND)
    rule = load_rules([tmp_path], VIEWS, REMEDIATORS)[HEADROOM]
    return {HEADROOM: CheckedRule(rule_digest(path.read_bytes(), VIEWS["protocol_endpoint"]), rule)}


def test_the_file_of_checked_rules_is_up_to_date() -> None:
    file = Path("auditor/engine/checked_rules.json")
    stale = f"{file} is older than rules/, the columns of the views or the code that checks rules; run `make checked-rules`"
    is_up_to_date = (Path(__file__).parents[2] / file).read_text(encoding="utf-8") == checked_text(shipped_rules())
    assert is_up_to_date, stale


def test_a_shipped_rule_has_a_message(tmp_path: Path) -> None:
    path = write_rule(tmp_path, rule_text("queue/one", over="device", holds="dsnro > 0"))
    with pytest.raises(RuleError) as caught:
        checked_text(tmp_path)
    assert caught.value.what == f'{path}:1: "message" is missing'
    write_rule(tmp_path, rule_text("queue/one", over="device", holds="dsnro > 0", message='"too short: {dsnro}"'))
    with pytest.raises(RuleError, match='"message" does not begin with'):
        checked_text(tmp_path)
    write_rule(tmp_path, rule_text("queue/one", over="device", holds="dsnro > 0", message='"{resource_name}: {dsnro}"'))
    assert "{resource_name}: {dsnro}" in checked_text(tmp_path)


def test_rules_that_were_checked_before_are_those_that_are_read_now() -> None:
    now = load_rules([shipped_rules()], view_columns(), remediator_names())
    assert repr(load_rule_set().rules) == repr(now.rules)  # as text: 1, 1.0 and true are three things


def test_a_file_that_is_as_it_was_checked_is_not_read(
    tmp_path: Path, checked: Mapping[str, CheckedRule], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.yaml.reading.load_yaml", lambda *_args, **_keys: pytest.fail("it was read"))
    assert load_rules([tmp_path], VIEWS, REMEDIATORS, checked)[HEADROOM] == checked[HEADROOM].rule


def test_a_file_that_changed_is_read_anew(tmp_path: Path, checked: Mapping[str, CheckedRule]) -> None:
    write_rule(tmp_path, changed(SOUND, ("title: One", "title: Another")))
    assert load_rules([tmp_path], VIEWS, REMEDIATORS, checked)[HEADROOM].title.startswith("Another")
    write_rule(tmp_path, changed(SOUND, ("holds: least(dsnro,", "holds: least(dsnr,")))
    with pytest.raises(RuleError, match='names column "dsnr"'):
        load_rules([tmp_path], VIEWS, REMEDIATORS, checked)


@pytest.mark.parametrize(
    ("views", "remediators", "mistake"),
    [
        pytest.param({"option": VIEWS["option"]}, REMEDIATORS, 'there is no view "protocol_endpoint"', id="its view went away"),
        pytest.param(OTHER_TYPE, REMEDIATORS, "cast it", id="a column has another type"),
        pytest.param(VIEWS, ("host.option",), 'there is no remediator "device.dsnro"', id="its remediator went away"),
    ],
)
def test_a_rule_is_checked_anew_when_what_it_rests_on_changed(
    tmp_path: Path, checked: Mapping[str, CheckedRule], views: Mapping[str, Mapping[str, str]], remediators: tuple[str, ...], mistake: str
) -> None:
    with pytest.raises(RuleError, match=mistake):
        load_rules([tmp_path], views, remediators, checked)


def test_each_rule_has_a_line_of_its_own_that_names_no_place_of_this_machine(tmp_path: Path, checked: Mapping[str, CheckedRule]) -> None:
    text = encoded({**checked, "local/one": checked[HEADROOM]})
    assert len(text.splitlines()) == 4
    assert str(tmp_path) not in text


def test_listing_the_rules_needs_no_database_and_no_parser() -> None:
    heavy = ("duckdb", "sqlglot", "yaml", "numpy", "pyVmomi", "httpx", "rich", "auditor.engine.rules.expressions")
    script = f"""
import sys
from auditor.cli import run
code = run(["rules", "list"])
print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""
    done = completed([sys.executable, "-c", script], check=True)
    assert done.stderr.strip() == "[]"
    assert len(done.stdout.splitlines()) == len(checked_rules())
