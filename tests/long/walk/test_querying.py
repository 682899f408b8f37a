"""Questions over a kept run of the lab."""

import json
import re
from datetime import datetime
from pathlib import Path

from auditor.cli import run
from tests.audits import Place, only

DOCS = Path(__file__).parents[3] / "docs"


def documented() -> str:
    found = re.search(r"```sql\n(.*?)```", (DOCS / "querying.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def answer(place: Place, select: str) -> list[dict[str, object]]:
    assert run(["query", select, "--state-dir", str(place.state), "--format", "json"]) == 0
    rows: list[dict[str, object]] = json.loads(place.capsys.readouterr().out)
    return rows


def test_the_documented_statement_names_the_hosts_that_would_still_stall(vvols: Place) -> None:
    audit = vvols.audit(*only("vvol/pe-dsnro-headroom", "vaai/uniform", "vvol/pe-count"))
    short = audit.of("vvol/pe-dsnro-headroom", "fail")
    found = answer(vvols, documented())
    assert {row["host"] for row in found} == {finding["resource"]["host"] for finding in short}
    assert not [row["host"] for row in found if str(row["host"]).startswith("esx-twin")]
    assert all(row["not_known"] == 0 and row["shortest_queue"] == 32 and row["needed"] == 256 for row in found)


def test_findings_of_a_run_are_a_table(vvols: Place) -> None:
    audit = vvols.audit("--only", "vvol/pe-count")
    rows = answer(vvols, "SELECT verdict, count(*) AS n FROM finding GROUP BY verdict")
    assert {row["verdict"]: row["n"] for row in rows} == {"pass": len(audit.of("vvol/pe-count", "pass"))}
    # That audit read no options: they are not known, and it says so.
    assert run(["query", "SELECT host, iscsi_max_io_size_kb AS kb FROM host", "--state-dir", str(vvols.state), "--format", "csv"]) == 0
    said = vvols.capsys.readouterr()
    assert "not read in that run, so not known here: vc-solidfire: " in said.err
    assert all(line.endswith(",") for line in said.out.splitlines()[1:])


def test_an_instant_is_told_with_its_zone(vvols: Place) -> None:
    vvols.audit("--only", "queue/pending-reboot")
    [row] = answer(vvols, "SELECT read_at FROM fact.reading LIMIT 1")
    assert datetime.fromisoformat(str(row["read_at"])).tzinfo is not None
