"""The changes of a run as a ticket: nothing is left out, and no name of a host changes the ticket's form."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.journal import open_journal
from auditor.journal.chain import verify
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Scalar, Target
from auditor.report.change_ticket import ticket_json, ticket_markdown, ticket_of

RUN, LATER = "20261121T120000Z-0001", "20261121T130000Z-0002"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def change(device: str = "naa.1", before: Scalar = 32, after: Scalar = 256, host: str = "esx-01") -> Change:
    resource = Resource("protocol_endpoint", f"host-12/{device}", device, "vc-east", "gold", host)
    target = Target("vc-east", (("device", device), ("host_id", "host-12")))
    return Change("device.dsnro", FixClass.ONLINE, target, before, after, ("vvol/pe-dsnro-headroom",), resource, "the queue is too short")


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    """Three changes: one made, one stored for a reboot whose receipt a later run wrote, one whose run was killed."""
    directory = tmp_path / "journal"
    with open_journal(directory, RUN, now=lambda: NOON) as journal:
        wrong = replace(change(), messages=("naa.1 on esx-01: the queue holds 32 commands",))
        journal.receipt(journal.intend(wrong, "1111-here"), Receipt(change(), Outcome.APPLIED, 256))
        left = journal.intend(change("naa.2", None, "a|b"), "1111-here")
        journal.intend(change("naa.3", host="esx|`\x1b[31m<b>"), "1111-here")
    with open_journal(directory, LATER, now=lambda: NOON) as journal:
        journal.receipt(left, Receipt(left.change, Outcome.APPLIED, "a|b", "read by a later run", "reboot"))
    return directory


def rows(markdown: str) -> list[list[str]]:
    """The cells of a table's rows, as a Markdown reader splits them: at bars that are not escaped."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip().replace("\1", "|") for cell in line.replace("\\|", "\1").strip("|").split("|")] for line in lines[2:]]


def test_a_ticket_has_every_change_and_its_last_result(journals: Path) -> None:
    ticket = json.loads(ticket_json(ticket_of(journals, RUN)))
    kept = [
        (one["number"], one["target"]["device"], one["before"], one["after"], one["outcome"], one["found"]) for one in ticket["changes"]
    ]
    assert kept == [(1, "naa.1", 32, 256, "applied", 256), (2, "naa.2", None, "a|b", "applied", "a|b"), (3, "naa.3", 32, 256, None, None)]
    assert (ticket["run"], ticket["started"]) == (RUN, NOON.isoformat())
    assert ticket["endpoints"] == [{"name": "vc-east", "identity": "1111-here"}]
    assert ticket["changes"][1]["pending"] == "reboot"
    assert [one["messages"] for one in ticket["changes"]] == [["naa.1 on esx-01: the queue holds 32 commands"], [], []]


def test_the_table_has_one_row_a_change_whatever_a_name_holds(journals: Path) -> None:
    markdown = ticket_markdown(ticket_of(journals, RUN))
    table = rows(markdown)
    assert [len(row) for row in table] == [10, 10, 10]
    assert [row[1:3] for row in table][:2] == [["device naa.1 of esx-01", "vc-east"], ["device naa.2 of esx-01", "vc-east"]]
    assert [row[4:8] for row in table] == [
        ["32 commands", "256 commands", "applied", "256 commands"],
        ["absent", "a|b", "applied, in force after a reboot", "a|b"],
        ["32 commands", "256 commands", "not known: the run ended before it was read back", "not read"],
    ]
    why = [row[9] for row in table]
    assert why[0] == "naa.1 on esx-01: the queue holds 32 commands; the queue is too short (vvol/pe-dsnro-headroom)"
    assert why[1] == "the queue is too short (vvol/pe-dsnro-headroom)"
    assert "\x1b" not in markdown
    assert "<b>" not in markdown
    assert "2 applied, 1 result not known" in markdown
    assert f"auditor undo {RUN}" in markdown


def test_the_digest_of_a_ticket_verifies_the_journals_it_came_from(journals: Path) -> None:
    sealed = json.loads(ticket_json(ticket_of(journals, RUN)))["sealed"]
    assert verify(journals, sealed["sha256"]).problems == ()
    (journals / f"{LATER}.jsonl").unlink()
    assert verify(journals, sealed["sha256"]).problems != ()


def test_a_run_that_changed_nothing_has_no_ticket(journals: Path) -> None:
    with pytest.raises(ConfigurationError, match=RUN):
        ticket_of(journals, "20261121T999999Z-ffff")


def test_the_command_writes_either_form(journals: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["journal", "export", RUN, "--state-dir", str(tmp_path)]
    assert run(command) == 0
    where = f"--fleet fleet.yaml --state-dir {tmp_path}"
    assert capsys.readouterr().out == ticket_markdown(ticket_of(journals, RUN, where=where))
    assert run([*command, "--format", "json", "--out", str(tmp_path / "t.json")]) == 0
    assert (tmp_path / "t.json").read_text() == ticket_json(ticket_of(journals, RUN, where=where))
    assert run([*command, "--out", str(tmp_path)]) == 3
    assert "Is a directory" in capsys.readouterr().err


def test_a_change_request_has_the_columns_of_its_table(journals: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["journal", "export", RUN, "--as", "servicenow", "--state-dir", str(tmp_path)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["short_description"] == "auditor: 3 changes on vc-east: 2 applied, 1 result not known"
    assert (record["correlation_id"], record["correlation_display"]) == (f"auditor-{RUN}", "auditor")
    undo = f"auditor undo {RUN} --fleet fleet.yaml --state-dir {tmp_path}"
    assert (record["backout_plan"], record["work_start"]) == (undo, "2026-11-21 12:00:00")
    assert record["justification"] == "Why\n- naa.1 on esx-01: the queue holds 32 commands\n- the queue is too short"
    first, _, killed = [line for line in record["description"].splitlines() if line[2:4] in ("1.", "2.", "3.")]
    assert first == (
        "- 1. device naa.1 of esx-01 (vc-east): device.dsnro from 32 commands to 256 commands: applied, read back 256 commands, "
        "2026-11-21 12:00:00 UTC; naa.1 on esx-01: the queue holds 32 commands; the queue is too short (vvol/pe-dsnro-headroom)"
    )
    assert ": not known: the run ended before it was read back, 2026-11-21" in killed
    assert set(record) == {
        *("short_description", "description", "correlation_id", "correlation_display"),
        *("justification", "backout_plan", "work_start"),
    }


@pytest.mark.long
def test_a_request_stays_below_what_the_other_system_takes_and_names_cannot_steer_it(tmp_path: Path) -> None:
    from auditor.report.tickets.jira import DESCRIPTION, SUMMARY, change_issue_text
    from auditor.report.tickets.servicenow import LONG, SHORT, change_request_text

    directory = tmp_path / "journal"
    with open_journal(directory, RUN, now=lambda: NOON) as journal:
        for number in range(200):
            one = replace(change(f"naa.{number}\x1b[31m" + "6" * 300), messages=(f"message {number}\u202e" + "m" * 300,))
            journal.receipt(journal.intend(one, "1111-here"), Receipt(one, Outcome.APPLIED, 256))
    ticket = ticket_of(directory, RUN)
    record, issue = json.loads(change_request_text(ticket)), json.loads(change_issue_text(ticket))["fields"]
    assert len(record["short_description"]) <= SHORT
    assert max(len(record["description"]), len(record["justification"])) <= LONG
    assert record["description"].splitlines()[-1].endswith("more lines had no room: the report has them.")
    assert len(issue["summary"]) <= SUMMARY
    assert 0.9 * DESCRIPTION < len(json.dumps(issue["description"])) <= DESCRIPTION
    assert all(text.isprintable() for text in (*record["description"].splitlines(), *record["justification"].splitlines()))
    assert "\\u001b" not in json.dumps(issue)
