"""A journal that was changed, taken away or put in is noticed by the one after it, or by a digest that was noted elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.journal import history, open_journal, read_journal
from auditor.journal.chain import verify
from auditor.journal.records import BEGINNING, line_of
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Target
from tests.older import older_journal

RUNS = ("20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003")
NOON = datetime(2018, 11, 4, 12, tzinfo=UTC)


def change(after: int) -> Change:
    resource = Resource("protocol_endpoint", "host-12/naa.1", "naa.1", "vc-east", "gold", "esx-01")
    target = Target("vc-east", (("device", "naa.1"), ("host_id", "host-12")))
    return Change("device.dsnro", FixClass.ONLINE, target, 32, after, ("vvol/pe-dsnro-headroom",), resource, "reason")


def write(directory: Path, run_id: str, after: int = 256, hour: int = 0) -> None:
    with open_journal(directory, run_id, now=lambda: NOON + timedelta(hours=hour)) as journal:
        journal.receipt(journal.intend(change(after)), Receipt(change(after), Outcome.APPLIED, after))


def path(directory: Path, run_id: str) -> Path:
    return directory / f"{run_id}.jsonl"


def resealed(file: Path, old: str, new: str) -> None:
    """Change a text in a journal and seal all lines anew, as somebody would who knows how they are sealed."""
    before, lines = BEGINNING, []
    for number, line in enumerate(file.read_text().replace(old, new).splitlines()):
        record = {key: value for key, value in json.loads(line).items() if key not in ("line", "sha256")}
        lines.append(line_of(number, record, before))
        before = json.loads(lines[-1])["sha256"]
    file.write_bytes(b"".join(lines))


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    """Three journals, written one after another."""
    directory = tmp_path / "state" / "journal"
    for hour, run_id in enumerate(RUNS):
        write(directory, run_id, 100 + hour, hour)
    return directory


def test_whole_journals_have_no_problem_and_end_with_the_newest(journals: Path) -> None:
    verified = verify(journals)
    assert (verified.journals, verified.records, verified.unchained, verified.problems) == (3, 9, 0, ())
    assert verified.head is not None
    assert verified.head.run == RUNS[2]


def test_the_digest_is_that_of_the_line_and_the_digest_before_it(journals: Path) -> None:
    """Computed here as the documents say it is, so that another program can verify a journal."""
    before = "0" * 64
    for line in path(journals, RUNS[0]).read_bytes().splitlines():
        body, _, seal = line.rpartition(b', "sha256": "')
        assert seal == sha256(before.encode() + body + b"}").hexdigest().encode() + b'"}'
        before = seal[:64].decode()


def test_no_journal_is_no_problem(tmp_path: Path) -> None:
    assert verify(tmp_path / "none") == verify(tmp_path)
    assert verify(tmp_path).problems == ()


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        pytest.param(lambda d: resealed(path(d, RUNS[0]), '"after": 100', '"after": 64'), f"run {RUNS[0]} was changed", id="changed"),
        pytest.param(lambda d: path(d, RUNS[1]).unlink(), f"run {RUNS[1]} is missing", id="taken away"),
        pytest.param(lambda d: path(d, RUNS[0]).unlink(), f"run {RUNS[0]} is missing", id="the first taken away"),
        pytest.param(lambda d: resealed(path(d, RUNS[2]), RUNS[1], RUNS[0]), f"both follow run {RUNS[0]}", id="linked past another"),
        pytest.param(lambda d: path(d, RUNS[0]).write_bytes(b"{}\n"), "its checksum does not match", id="not sealed at all"),
    ],
)
def test_what_was_done_to_an_earlier_journal_is_noticed(journals: Path, harm: Callable[[Path], None], problem: str) -> None:
    harm(journals)
    assert [problem in one for one in verify(journals).problems].count(True) == 1


def test_journals_that_were_put_in_from_elsewhere_are_noticed(journals: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "20181104T110000Z-000a")
    path(other, "20181104T110000Z-000a").rename(path(journals, "20181104T110000Z-000a"))
    (problem,) = verify(journals).problems
    assert "follow no journal" in problem


@pytest.mark.parametrize("harm", ["the newest taken away", "the newest changed", "all taken away"])
def test_a_digest_that_was_noted_elsewhere_tells_of_the_newest_as_well(journals: Path, harm: str) -> None:
    noted = verify(journals).head
    assert noted is not None
    write(journals, "20181104T150000Z-0004", hour=3)
    assert verify(journals, noted.sha256).problems == ()
    path(journals, "20181104T150000Z-0004").unlink()
    match harm:
        case "the newest taken away":
            path(journals, RUNS[2]).unlink()
        case "the newest changed":
            resealed(path(journals, RUNS[2]), '"after": 102', '"after": 64')
        case _:
            for one in journals.glob("*.jsonl"):
                one.unlink()
    assert verify(journals).problems == (), "nothing is left to compare with"
    (problem,) = verify(journals, noted.sha256).problems
    assert noted.sha256 in problem


def test_a_run_that_was_killed_in_the_middle_of_a_line_is_followed_all_the_same(tmp_path: Path) -> None:
    write(tmp_path, RUNS[0])
    with path(tmp_path, RUNS[0]).open("ab") as torn:
        torn.write(b'{"line": 3, "record": "int')
    write(tmp_path, RUNS[1], hour=1)
    assert verify(tmp_path).problems == ()


def test_a_journal_of_an_older_auditor_is_read_and_followed(journals: Path) -> None:
    now = history(journals).of_run(RUNS[0])
    for one in RUNS[1:]:
        path(journals, one).unlink()
    records = [json.loads(line) for line in path(journals, RUNS[0]).read_text().splitlines()]
    path(journals, RUNS[0]).write_bytes(older_journal(records))
    assert history(journals).of_run(RUNS[0]) == now
    assert not read_journal(path(journals, RUNS[0])).chained
    write(journals, RUNS[1], hour=1)
    verified = verify(journals)
    assert (verified.unchained, verified.problems) == (1, ())
    records[1]["change"]["after"] = 64
    path(journals, RUNS[0]).write_bytes(older_journal(records))
    assert f"run {RUNS[0]} was changed" in verify(journals).problems[0]


def test_the_command_says_whether_they_are_whole(journals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["journal", "verify", "--state-dir", str(journals.parent)]
    assert run(command) == 0
    head = verify(journals).head
    assert head is not None
    assert head.sha256 in capsys.readouterr().out
    assert run([*command, "--head", head.sha256]) == 0
    assert run([*command, "--head", "0" * 64]) == 4
    assert "0" * 64 in capsys.readouterr().err
    path(journals, RUNS[1]).unlink()
    assert run(command) == 4
    assert f"run {RUNS[1]} is missing" in capsys.readouterr().err
