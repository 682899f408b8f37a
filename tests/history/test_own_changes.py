"""What a run of auditor fixed says so, with the run and the command that shows its journal; what somebody else fixed does not."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from auditor.cli import run
from auditor.history.comparison.comparing import compare_runs
from auditor.history.comparison.own_fixes import OwnWrites, fixed_by, own_writes, with_own_fixes
from auditor.journal import open_journal
from auditor.model import Change, Fix, FixClass, Outcome, Receipt, Resource, Scalar, Target, Verdict
from auditor.model.comparison import ChangedFinding, ChangeKind, Comparison
from auditor.report import writer_of
from auditor.report.json.reading import compared_of
from auditor.report.json.report import compared_object
from auditor.report.terminal.first_screen import write_first_screen
from auditor.report.terminal.totals import Commands
from tests.cli.test_lists_as_json import validated
from tests.history.kept_runs import DEVICE_RULE, WHEN, Row, endpoint, kept, run_id
from tests.report import samples

KEYS = (("device", "naa.1"), ("host_id", "host-12"))
FIXED = "20261121T180000Z-f1f1"


def wrote(
    state: Path, run_: str = FIXED, before: Scalar = 32, after: Scalar = 256, *, hours: int = 12, identity: str | None = None,
    outcome: Outcome = Outcome.APPLIED,
) -> None:  # fmt: skip
    """A run wrote the depth of naa.1, so many hours after the first kept run."""
    resource = Resource("device", "a", "naa.1", "vc", "gold", "esx-1")
    change = Change("device.dsnro", FixClass.ONLINE, Target("vc", KEYS), before, after, (DEVICE_RULE,), resource, "reason")
    with open_journal(state / "journal", run_, now=lambda: WHEN + timedelta(hours=hours)) as journal:
        journal.receipt(journal.intend(change, identity), Receipt(change, outcome, after))


def change(kind: ChangeKind = ChangeKind.FIXED) -> ChangedFinding:
    """The depth of naa.1 was too small, and is not any more."""
    fix = Fix("device.dsnro", FixClass.ONLINE, 32, 256, Outcome.PROPOSED, target=KEYS)
    failed = samples.pe_finding()
    failed = replace(failed, rule=DEVICE_RULE, resource=replace(failed.resource, endpoint="vc"), fix=fix)
    return ChangedFinding(kind, failed, replace(failed, verdict=Verdict.PASS, fix=None))


def named(state: Path, kind: ChangeKind = ChangeKind.FIXED, identity: str | None = None) -> str | None:
    """The run that is said to have fixed it."""
    writes = own_writes(kept(state, 0, [], endpoints=(endpoint(identity=identity),)), kept(state, 1, []))
    (found,) = with_own_fixes([change(kind)], writes)
    assert found.why == ("" if found.run is None else f"fixed by run {found.run}: auditor journal export {found.run}")
    return found.run


def test_the_run_that_wrote_the_wanted_value_is_named(tmp_path: Path) -> None:
    wrote(tmp_path)
    assert named(tmp_path) == FIXED


def test_of_several_runs_the_last_write_counts(tmp_path: Path) -> None:
    wrote(tmp_path, "20261121T170000Z-e0e0", after=128, hours=11)
    wrote(tmp_path, before=128)
    assert named(tmp_path) == FIXED


@pytest.mark.parametrize("outcome", [Outcome.UNVERIFIED, Outcome.REVERTED, Outcome.REFUSED])
def test_a_write_that_was_not_read_back_as_wanted_fixed_nothing(tmp_path: Path, outcome: Outcome) -> None:
    wrote(tmp_path, outcome=outcome)
    assert named(tmp_path) is None


@pytest.mark.parametrize("hours", [-1, 30])
def test_a_run_that_wrote_before_or_after_both_is_not_named(tmp_path: Path, hours: int) -> None:
    wrote(tmp_path, hours=hours)
    assert named(tmp_path) is None


def test_what_was_undone_and_then_fixed_by_somebody_else_is_not_our_work(tmp_path: Path) -> None:
    wrote(tmp_path)
    wrote(tmp_path, "20261121T190000Z-f2f2-undo", 256, 32, hours=13)
    assert named(tmp_path) is None


def test_what_the_earlier_run_itself_wrote_did_not_fix_what_it_saw_fail(tmp_path: Path) -> None:
    wrote(tmp_path, run_id(0))
    assert named(tmp_path) is None


@pytest.mark.parametrize(("identity", "run_"), [("one", FIXED), ("other", None), (None, FIXED)])
def test_another_endpoint_of_the_same_name_is_not_ours(tmp_path: Path, identity: str | None, run_: str | None) -> None:
    wrote(tmp_path, identity="one")
    assert named(tmp_path, identity=identity) == run_


def test_only_what_is_fixed_is_our_work(tmp_path: Path) -> None:
    wrote(tmp_path)
    assert named(tmp_path, ChangeKind.GONE) is None


def test_a_journal_whose_seal_is_broken_is_not_believed_and_the_comparison_says_so(tmp_path: Path) -> None:
    wrote(tmp_path)
    file = tmp_path / "journal" / f"{FIXED}.jsonl"
    file.write_text(file.read_text().replace("256", "255"))
    runs = kept(tmp_path, 0, [Row("a", "fail")]), kept(tmp_path, 1, [Row("a", "pass")])
    compared = compare_runs(*runs)
    assert compared.fixed_by == {}
    assert any(note.startswith("Which run of auditor fixed what is not known: ") for note in compared.notes)


def with_target(run_: Path) -> None:
    """Give the verdicts of a kept run the setting that they are about, which its rows do not have."""
    path = run_ / "findings.parquet"
    with duckdb.connect() as connection:
        ((text,),) = connection.execute("SELECT value FROM parquet_kv_metadata(?)", [str(path)]).fetchall()
        known = json.loads(text)
        for rule in known["rules"].values():
            rule |= {"remediator": "device.dsnro", "fix_class": "online"}
        about = json.dumps(known).replace("'", "''")
        select = f"""* REPLACE ('{json.dumps(dict(KEYS))}' AS target, '32' AS "before", '256' AS "after") FROM read_parquet('{path}')"""
        connection.execute(f"CREATE TABLE rows AS SELECT {select}")
        connection.execute(f"COPY rows TO '{path}' (FORMAT parquet, KV_METADATA {{auditor: '{about}'}})")


@pytest.mark.long
def test_a_diff_names_the_run_in_its_first_line_beside_each_finding_and_for_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    runs = kept(tmp_path, 0, [Row("a", "fail"), Row("b", "pass")]), kept(tmp_path, 1, [Row("a", "pass"), Row("b", "fail")])
    with_target(runs[0].directory)
    wrote(tmp_path)
    assert run(["runs", "diff", "--state-dir", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"1 new, 1 fixed (by run {FIXED}) since ")
    assert f"fixed by run {FIXED}: auditor journal export {FIXED}" in out
    assert run(["journal", "export", FIXED, "--state-dir", str(tmp_path)]) == 0
    assert "naa.1" in capsys.readouterr().out
    assert run(["runs", "diff", "--json", "--state-dir", str(tmp_path)]) == 1
    diff = validated(capsys.readouterr().out, "run_diff.schema.json")
    assert diff["fixed_by"] == {FIXED: 1}
    assert {one["kind"]: one["fixed_by"] for one in diff["changes"]} == {"new": None, "fixed": FIXED}


def compared(*runs: str) -> Comparison:
    changes = [replace(change(), run=one, why=f"fixed by run {one}: auditor journal export {one}") for one in runs]
    counts = {ChangeKind.FIXED: len(runs) + 1}
    listed = [*changes, change()]
    return Comparison(run_id(0), WHEN, counts, same_scope=True, listed=lambda: iter(listed), fixed_by=fixed_by(listed))


def test_the_sentence_counts_what_runs_fixed_and_is_read_back() -> None:
    one = compared(FIXED, FIXED, "20261121T170000Z-e0e0")
    assert one.sentence().startswith(f"4 fixed (3 of them by run {FIXED} and 1 before it) since ")
    kept_text = json.loads(json.dumps(compared_object(one)))
    assert compared_of(kept_text, one.listed).sentence() == one.sentence()
    del kept_text["fixed_by"]  # as an older auditor wrote it
    assert compared_of(kept_text, one.listed).sentence().startswith("4 fixed since ")


def test_the_page_is_green_where_a_run_fixed_something_and_leads_to_its_journal() -> None:
    out = io.StringIO()
    writer_of("html")(replace(samples.bad_night(), compared=compared(FIXED)), out)
    page = out.getvalue()
    assert (
        f'<strong class="good">1 fixed by run {FIXED}</strong>; its journal: <code data-copy>auditor journal export {FIXED}</code>' in page
    )
    assert f"fixed by run {FIXED}: auditor journal export {FIXED}" in page
    own = replace(samples.bad_night(), receipts=(samples.receipt(),))
    out = io.StringIO()
    writer_of("html")(replace(own, compared=compared(own.run.id)), out)
    assert '</strong>: <a href="#changes">its changes</a>; its journal:' in out.getvalue()


def test_the_first_screen_says_how_to_see_what_the_run_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = io.StringIO()
    write_first_screen(replace(samples.bad_night(), compared=compared(FIXED)), out, Commands("auditor audit", " --state-dir kept"))
    assert f"See what run {FIXED} wrote: auditor journal export {FIXED} --state-dir kept" in out.getvalue()
    assert f"Compared: 2 fixed (1 of them by run {FIXED}) since " in out.getvalue()


def test_no_write_between_two_runs_costs_no_look_at_findings(tmp_path: Path) -> None:
    writes = own_writes(kept(tmp_path, 0, []), kept(tmp_path, 1, []))
    assert writes == OwnWrites({}, {})
