"""`rules list --json` and `runs list --json` obey their published schemas and have what the tables have."""

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from auditor.cli import run
from auditor.history.run_list import write_runs_json
from auditor.history.runs import begin_run, keep_run, list_runs
from auditor.history.writing_runs import ListedRun
from tests.report import samples
from tests.report.schemas import published

AT = datetime(2026, 11, 21, 7, 0, tzinfo=UTC)


def validated(text: str, schema: str) -> Any:
    document = json.loads(text)
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator.check_schema(published(schema))
    jsonschema.Draft202012Validator(published(schema), format_checker=checker).validate(document)
    return document


def test_rules_are_listed_with_what_a_program_chooses_by(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list", "--tag", "all"]) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert run(["rules", "list", "--tag", "all", "--json"]) == 0
    rules = validated(capsys.readouterr().out, "rule_list.schema.json")["rules"]
    assert [[rule["id"], rule["severity"]] for rule in rules] == lines
    by_id = {rule["id"]: rule for rule in rules}
    assert by_id["vvol/pe-dsnro-headroom"]["fix"] == {"remediator": "device.dsnro", "class": "online-caution"}
    assert by_id["vvol/pe-dsnro-headroom"]["params"]["headroom"] == 4
    assert by_id["vvol/pe-dsnro-headroom"]["view"] == "protocol_endpoint"
    assert by_id["vvol/pe-dsnro-headroom"]["on_request"] is False
    assert [one["number"] for one in by_id["vaai/uniform"]["documents"]] == ["KB 319797 (2146451)", "KB 326437 (2113956)"]
    assert by_id["vm/disk-spread"]["documents"] == []
    assert all(rule["on_request"] == ("on-request" in rule["tags"]) for rule in rules)


def test_runs_are_listed_with_what_they_judged_and_what_became_of_changes(tmp_path: Path) -> None:
    keep_run(begin_run(tmp_path, "20261121T065500Z-1a2b"), samples.bad_night())
    begin_run(tmp_path, "20261121T080000Z-0000")
    unfinished, audited = list_runs(tmp_path)
    applied = ListedRun("20261121T070000Z-3c4d-apply", "apply", AT, AT + timedelta(seconds=9), audited.id, {"applied": 2})
    runs = [
        ListedRun(unfinished.id, "audit", unfinished.started, None, kept=unfinished),
        applied,
        ListedRun(audited.id, "audit", audited.started, audited.finished, kept=audited),
    ]
    out = io.StringIO()
    write_runs_json(runs, out)
    first, second, third = validated(out.getvalue(), "run_list.schema.json")["runs"]
    assert (first["finished"], first["judged"]) == (None, None)
    assert (second["of"], second["outcomes"], second["finished"]) == (audited.id, {"applied": 2}, "2026-11-21T07:00:09Z")
    counts = {"fail": 3, "unknown": 1, "pass": 5, "waived": 1}
    judged = third["judged"]
    assert judged.pop("scope")["fleet_name"] == samples.SCOPE.fleet_name
    also = {"exit_code": None, "wrote": 3, "by_severity": {"critical": 1, "high": 2}}
    assert judged == {"hosts": 5, "endpoints": 2, "gaps": 1, "coverage": 0.9, **counts, **also}


def test_no_runs_are_an_empty_list_for_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "list", "--state-dir", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema_version": 1, "runs": []}
