"""`--reporter csv` is read by Python's csv module, and no cell of it is a formula or controls a terminal."""

import csv
import io
from dataclasses import replace

import pytest

from auditor.model import Report
from auditor.report.formats.csv_report import COLUMNS, write_csv
from tests.report import samples

COST = "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1; after the fix 0.9 to 1.6 ms, at worst 80 ms"
FORMULA = '=HYPERLINK("https://example.net","click")'


def read(report: Report) -> list[dict[str, str]]:
    out = io.StringIO()
    write_csv(report, out)
    rows = list(csv.reader(io.StringIO(out.getvalue()), strict=True))
    assert {len(row) for row in rows} == {len(COLUMNS)}
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def test_failures_unknowns_waived_gaps_and_notices_are_rows_and_passes_are_none() -> None:
    rows = read(samples.bad_night())
    assert [(row["entry"], row["verdict"], row["host"]) for row in rows] == [
        ("finding", "fail", ""),
        ("finding", "fail", "esx-01.example.net"),
        ("finding", "fail", "esx-02.example.net"),
        ("finding", "unknown", "esx-03.example.net"),
        ("finding", "waived", "esx-04.example.net"),
        ("gap", "", ""),
        ("notice", "", ""),
        ("notice", "", ""),
    ]
    assert rows[5]["message"] == "esxcli storage core device list on esx-03.example.net: the host is disconnected"
    assert rows[6]["message"].startswith("Only this was looked at: 3 of 116 rules")
    assert "sf-01 was NOT VERIFIED" in rows[7]["message"]


def test_a_row_has_what_somebody_filters_by() -> None:
    row = read(samples.bad_night())[1]
    name = "naa.6f47acc100000000612e3f4d00000001"
    assert row == {
        **dict.fromkeys(COLUMNS, ""),
        "entry": "finding",
        "id": "28289e63bcf0",
        "verdict": "fail",
        "severity": "high",
        "rule": "vvol/pe-dsnro-headroom",
        "endpoint": "vc-east",
        "cluster": "gold",
        "host": "esx-01.example.net",
        "kind": "protocol_endpoint",
        "resource": name,
        "resource_id": f"esx-01.example.net/{name}",
        "message": f"{name}: observed 32, desired 256. Wanted: One throttled disk cannot fill a protocol endpoint's queue",
        "observed": "32",
        "desired": "256",
        "fix_class": "online-caution",
        "remediator": "device.dsnro",
        "fix_outcome": "proposed",
        "title": "One throttled disk cannot fill a protocol endpoint's queue",
        "impact": COST,
    }


def test_an_unknown_verdict_says_what_was_not_read_and_a_waived_one_who_answers_for_it() -> None:
    unknown, waived = read(samples.bad_night())[3:5]
    assert unknown["missing"] == "dsnro"
    assert ": not judged, not read: dsnro. Wanted: One throttled disk" in unknown["message"]
    assert (waived["waiver_owner"], waived["waiver_reason"], waived["waiver_expires"]) == (
        "storage team",
        "replaced in May",
        "2027-06-01T00:00:00Z",
    )


@pytest.mark.parametrize("name", [FORMULA, "+1", "-1", "@SUM(A1)", "\uff1d1", " =1", "\t=1"])
def test_a_name_is_no_formula(name: str) -> None:
    finding = replace(samples.pe_finding(), message=name, resource=replace(samples.pe_finding().resource, name=name, host=name))
    row = read(samples.report_of([finding]))[0]
    for column in ("resource", "host", "message"):
        assert row[column].lstrip().startswith(("'", "\\t")), column


def test_hostile_names_stay_in_their_cells() -> None:
    rows = read(samples.hostile())
    assert len(rows) == 5 * len(samples.HOSTILE_NAMES)
    assert all(cell.isprintable() or "\u200c" in cell for row in rows for cell in row.values())
