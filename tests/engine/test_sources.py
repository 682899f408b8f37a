"""Every number of a shipped rule has a document that states it or is called policy, and every rule says for which releases it holds."""

import re
from pathlib import Path

import pytest

from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.rule import Expression, Rule
from auditor.errors import RuleError
from auditor.model import FixClass
from auditor.report.html.rule_pages import page
from tests.engine.bench import HEADROOM, REMEDIATORS, SOUND, VIEWS, changed, write_rule

from .test_shipped_rules import shipped

ROOT = Path(__file__).parents[2]
OF_VCENTER = ("host.", "device.", "iscsi.", "datastore.", "pod.", "vm.")
"""How remediators begin that write to a host, or to what hosts share."""
WRITES_NOTHING: dict[tuple[str, str], str] = {
    ("iscsi/login-timeout", "nimble"): "`when` leaves a Nimble to a person",
    ("qos/host-limit-below-array-limit", "meant"): "it takes disks out, by default none",
    ("queue/default-unless-justified", "own_policy_families"): "it takes families out",
    ("queue/driver-depth", "own_policy_families"): "it takes families out",
    ("queue/dsnro-effective", "own_policy_families"): "it takes families out",
    ("sioc/threshold-sane", "flash_most"): "`when` leaves flash to a person",
    ("vm/iops-limits", "meant"): "it takes disks out, by default none",
    ("vm/iops-limits", "tiers"): "it takes limits out, by default none",
}
"""Params called policy that decide a verdict of a rule which writes to hosts, and why nothing is written for their sake."""


def writing() -> list[Rule]:
    """The rules whose fix writes to a host, or to what hosts share."""
    fixes = [(rule, rule.fix) for rule in shipped() if rule.fix is not None and rule.fix.fix_class is not FixClass.MANUAL]
    return [rule for rule, fix in fixes if fix.remediator.startswith(OF_VCENTER)]


def test_every_param_has_a_source_or_is_called_policy() -> None:
    bare = [f"{rule.id} ${name}" for rule in shipped() for name, param in rule.params.items() if bool(param.source) is param.policy]
    assert bare == []


def test_what_calls_itself_policy_or_unverified_names_no_source() -> None:
    confused = [
        f"{rule.id} ${name}"
        for rule in shipped()
        for name, param in rule.params.items()
        if param.source and re.match(r"Policy\b", param.why) and "incident" not in param.source.lower()
    ]
    assert confused == []


def test_every_source_of_a_param_that_is_a_page_of_ours_is_there() -> None:
    cited = {one for rule in shipped() for param in rule.params.values() for one in re.findall(r"docs/[\w/.-]+#[\w-]+", param.source)}
    assert cited
    missing = [
        one for one in sorted(cited) if f'id="{one.partition("#")[2]}"' not in (ROOT / one.partition("#")[0]).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_nothing_that_is_policy_is_written_to_a_host_or_decides_that_something_is() -> None:
    assert writing()
    named = {
        (rule.id, name)
        for rule in writing()
        if rule.fix is not None
        for expression in (rule.fix.value, rule.fix.when)
        if expression is not None
        for name in expression.params
    }
    assert [one for one in sorted(named) if shipped()[one[0]].params[one[1]].policy] == []


def test_a_policy_that_decides_the_verdict_of_a_rule_that_writes_has_a_reason() -> None:
    judging = {
        (rule.id, name) for rule in writing() for expression in rule.judging for name in expression.params if rule.params[name].policy
    }
    assert judging == WRITES_NOTHING.keys()


def test_every_rule_says_for_which_releases_it_holds() -> None:
    assert [rule.id for rule in shipped() if rule.releases is None] == []


@pytest.mark.parametrize("column", ["version", "build", "major_version", "newest_esxi", "vmfs_version"])
def test_a_rule_that_asks_for_the_release_says_so(column: str) -> None:
    asking = [rule for rule in shipped() if any(column in expression.columns for expression in (*rule.judging, *fixing(rule)))]
    assert asking
    assert [rule.id for rule in asking if rule.releases is None or column not in rule.releases.gate] == []


def fixing(rule: Rule) -> list[Expression]:
    return [one for one in (rule.fix.value, rule.fix.when) if one is not None] if rule.fix is not None else []


def test_a_rule_page_says_where_a_value_is_from_and_for_which_releases() -> None:
    text = page(shipped()["queue/nfs-max-queue-depth"])
    assert "| Source: NetApp, ONTAP tools: 128 or higher (" in text
    assert "7.0.1 and 7.0.2 it may not act (KB 86331)" in text
    assert "It asks by version." in text
    assert "| Policy: this project's own choice, which no document states. |" in page(shipped()["diag/davg"])


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        pytest.param("why: policy}", "why: w, policy: true, source: KB 1}", "$headroom has a source, so it is no policy", id="both"),
        pytest.param(
            "lesson: All",
            "releases: {gate: [iops_limit], why: w}\nlesson: All",
            '"iops_limit" gates no release',
            id="a column that decides nothing",
        ),
        pytest.param("lesson: All", "releases: {gate: [dsno], why: w}\nlesson: All", "there is no column in view", id="no column"),
        pytest.param("lesson: All", "releases: {gate: [dsnro]}\nlesson: All", "why", id="no reason"),
    ],
)
def test_a_rule_that_contradicts_itself_about_sources_or_releases_is_refused(tmp_path: Path, old: str, new: str, mistake: str) -> None:
    write_rule(tmp_path, changed(SOUND, (old, new)))
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    assert mistake in caught.value.what


def test_a_rule_of_a_fleet_s_own_need_not_say_either(tmp_path: Path) -> None:
    write_rule(tmp_path, SOUND)
    rule = load_rules([tmp_path], VIEWS, REMEDIATORS)[HEADROOM]
    assert rule.releases is None
    assert (rule.params["headroom"].source, rule.params["headroom"].policy) == ("", False)
