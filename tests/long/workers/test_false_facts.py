"""A stolen worker invents facts: a fix writes nothing that this machine does not plan by what it reads itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor import audit as walk
from auditor.audit import AuditRequest, FixClass, FixLimits, audit, fix
from auditor.endpoints.collect import unread_part
from auditor.endpoints.read_task import read_part, task_of
from auditor.facts.schema import create_tables
from auditor.facts.snapshots.parts import Part, table_files
from auditor.fleet.loading import load_fleet
from auditor.model import Endpoint, EndpointKind, Outcome, Secret
from auditor.workers.part_form import UnusablePartError, part_bytes, part_in
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve

ARRAY = Endpoint("sf", EndpointKind.ELEMENT, "sf.example.net", 443, "auditor", Secret("env", ("SF_PASSWORD",)))
PART = unread_part(ARRAY, "read", datetime(2026, 11, 21, 6, 55, tzinfo=UTC))


def rows(of: str, table: str = "host") -> bytes:
    """A Parquet file with one row of a table, of the endpoint `of`."""
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute(f'INSERT INTO fact."{table}" (endpoint) VALUES (?)', [of])
        return table_files(connection, [table])[table]


def test_a_part_comes_as_it_was_sent() -> None:
    sent = replace(PART, tables={"host": rows("sf")}, huge=frozenset({("sf", "host", "name")}))
    assert part_in(part_bytes(sent), ARRAY) == sent


FALSE = {
    "another endpoint's reading": replace(PART, reading=replace(PART.reading, name="vc")),
    "another address": replace(PART, reading=replace(PART.reading, address="192.0.2.1:443")),
    "a better trust": replace(PART, reading=replace(PART.reading, tls="NOT VERIFIED")),
    "another endpoint's gap": replace(PART, gaps=(replace(PART.gaps[0], endpoint="vc"),)),
    "complete with a gap": replace(PART, reading=replace(PART.reading, complete=True)),
    "another endpoint's row": replace(PART, tables={"host": rows("vc")}),
    "a table of the client": replace(PART, tables={"gap": rows("sf", "gap")}),
    "a table with other columns": replace(PART, tables={"host": rows("sf", "hba")}),
    "no Parquet": replace(PART, tables={"host": b"PAR1"}),
    "no table": replace(PART, tables={"../../etc": b"x"}),
}


@pytest.mark.parametrize("false", FALSE.values(), ids=FALSE)
def test_a_part_that_is_not_what_was_asked_for_is_not_taken(false: Part) -> None:
    with pytest.raises(UnusablePartError):
        part_in(part_bytes(false), ARRAY)


@pytest.mark.parametrize("content", [None, 1, PART, b"", b"\xc1", b"\x91" * 5000, part_bytes(PART)[:-1]])
def test_what_is_no_part_is_not_taken(content: object) -> None:
    with pytest.raises(UnusablePartError):
        part_in(content, ARRAY)


def test_a_fix_writes_nothing_that_only_workers_ask_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ill = load_scenario("solidfire-vvols")
    with serve(ill) as there, serve(ill) as here:
        there.write_fleet(tmp_path / "invented.yaml")
        here.write_fleet(tmp_path / "fleet.yaml")
        invented = {one.name: one for one in load_fleet(tmp_path / "invented.yaml").endpoints}

        def read(endpoints: Any, needs: Any, progress: Any, _earlier: Any = None) -> Iterator[Part]:
            for one in endpoints:
                part = read_part(task_of(invented[one.name], needs), progress)
                yield replace(part, reading=replace(part.reading, address=f"{one.address}:{one.port}", tls=one.trust))

        @contextmanager
        def workers_of(*_: object) -> Iterator[Any]:
            yield read

        limits = FixLimits(allow=tuple(FixClass), max_changes="500", settle_seconds=0)
        request = AuditRequest(fleet=tmp_path / "fleet.yaml", state=tmp_path / "state", fix=limits, only=["vvol/pe-dsnro-headroom"])
        made = fix(audit(request), confirm=lambda *_: True)  # so that nothing is left to do in truth
        assert {receipt.outcome for receipt in made.receipts} == {Outcome.APPLIED}
        monkeypatch.setattr(walk, "workers_of", workers_of)
        audited = audit(replace(request, state=tmp_path / "other", workers="tcp://127.0.0.1:1"))  # that knows nothing of the first fix
        assert audited.plan.changes
        fixed = fix(audited, confirm=lambda *_: True)
        assert fixed.stopped is None
        assert fixed.receipts == ()
        assert any("facts of workers asked for it" in notice for notice in fixed.notices)
