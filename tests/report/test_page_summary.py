"""The first screen of the page says in words what fails, what that costs and what can be done."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from auditor.errors import SnapshotError
from auditor.model import Finding, Fix, FixClass, Outcome, Verdict
from auditor.model.comparison import ChangedFinding, ChangeKind, Comparison
from auditor.report.digest import digest
from auditor.report.html.changes import OF_A_KIND, page_changes
from auditor.report.html.summary import cause_texts, fix_rows, made_sentences, planned
from auditor.report.json.saved_report import key_of
from tests.report import samples


def fixed_by(host: str, fix_class: FixClass, takes: FixClass | None = None) -> Finding:
    return samples.pe_finding(host, fix=Fix("device.dsnro", fix_class, 32, 256, Outcome.PROPOSED, takes=takes))


def test_a_cause_says_how_far_it_goes_and_what_it_costs() -> None:
    dear, bare = samples.pe_finding("esx-01"), replace(samples.pe_finding("esx-02"), impact={}, message="the queue is short")
    [cause] = cause_texts(digest(samples.report_of([dear, bare]), 10))
    assert (cause.rule.rule, cause.extent) == (samples.DSNRO.id, "2 failures on 2 hosts")
    assert cause.cost == (
        "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1; after the fix 0.9 to 1.6 ms, at worst 80 ms"
    )
    [bare_cause] = cause_texts(digest(samples.report_of([bare]), 10))
    assert bare_cause.cost == "the queue is short"


def test_rules_of_one_cause_are_counted_together() -> None:
    one = samples.pe_finding("esx-01")
    other = replace(samples.sioc_finding(), impact=samples.IMPACT)
    [cause] = cause_texts(digest(samples.report_of([one, other]), 10))
    assert (cause.rule.rule, cause.extent) == (samples.SIOC.id, "2 failures of 2 rules on 1 host")


def test_fixes_are_counted_by_what_they_take_and_those_by_hand_come_last() -> None:
    findings = [
        fixed_by("esx-01", FixClass.REBOOT),
        fixed_by("esx-02", FixClass.ONLINE),
        fixed_by("esx-03", FixClass.ONLINE),
        fixed_by("esx-04", FixClass.RETUNE, FixClass.ONLINE_CAUTION),
        replace(samples.sioc_finding(), fix=None),
    ]
    assert planned(digest(samples.report_of(findings), 10)) == [
        (2, "while machines run, without an interruption"),
        (1, "maintenance mode and a reboot, one host at a time"),
        (1, "while I/O goes on, one host at a time, watched, and reverts what somebody tuned"),
        (1, "work by hand"),
    ]


def test_every_class_of_fixes_has_words_for_a_reader() -> None:
    for fix_class in FixClass:
        [(number, words)] = planned(digest(samples.report_of([fixed_by("esx-01", fix_class)]), 10))
        assert number == 1
        assert words
        assert "--" not in words


def test_the_table_of_fixes_has_the_setting_of_the_first_and_who_is_by_hand_last() -> None:
    rows = fix_rows(digest(samples.report_of([replace(samples.sioc_finding(), fix=None), *map(samples.pe_finding, ("a", "b"))]), 10))
    assert [(row.rule.rule, row.setting, row.classes, row.count) for row in rows] == [
        (samples.DSNRO.id, "device.dsnro: 32 → 256 commands, for example", "online-caution", 2),
        (samples.SIOC.id, "", "", 1),
    ]


def test_what_a_run_changed_is_said_with_what_went_otherwise() -> None:
    assert made_sentences(samples.clean()) == []
    assert made_sentences(samples.bad_night()) == ["2 changes were made and read back; 1 UNVERIFIED."]


def compared(changes: list[ChangedFinding], counts: dict[ChangeKind, int]) -> Comparison:
    return Comparison("20261120T060000Z-aaaa", datetime(2026, 11, 20, 6, tzinfo=UTC), counts, same_scope=True, listed=lambda: iter(changes))


def test_changes_are_words_beside_findings_and_the_first_of_each_kind_in_a_table() -> None:
    new = [ChangedFinding(ChangeKind.NEW, None, samples.pe_finding(f"esx-{n:03}")) for n in range(OF_A_KIND + 5)]
    gone = ChangedFinding(ChangeKind.FIXED, samples.sioc_finding(), samples.sioc_finding(verdict=Verdict.PASS))
    found = page_changes(compared([*new, gone], {ChangeKind.NEW: len(new), ChangeKind.FIXED: 1}))
    assert found is not None
    assert len(found.rows) == OF_A_KIND + 1
    assert found.rows[-1] == ("fixed", gone)
    assert found.more == 5
    assert found.words[key_of(samples.pe_finding(f"esx-{OF_A_KIND + 4:03}"))] == "new"


def test_changes_that_cannot_be_read_any_more_are_said_and_cost_no_report() -> None:
    def torn() -> None:
        raise SnapshotError("findings.parquet is torn", why="", do="")

    comparison = replace(compared([], {ChangeKind.NEW: 3}), listed=torn)  # type: ignore[arg-type]  # it never returns
    found = page_changes(comparison)
    assert found is not None
    assert found.sentence.startswith("3 new since 2026-11-20")
    assert found.notes == ("The changes cannot be listed: findings.parquet is torn.",)
    assert page_changes(None) is None
