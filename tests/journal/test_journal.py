from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import GuardError, JournalError
from auditor.journal import History, history, open_intents, open_journal, read_journal
from auditor.journal.records import digest_of, line_of, record_of
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Scalar, Target
from auditor.system import files
from auditor.system.locks import lock_taken
from tests.waiting import PATIENCE_SECONDS

RUN, NEXT = "20181104T120000Z-0001", "20181104T130000Z-0002"
NOON = datetime(2018, 11, 4, 12, tzinfo=UTC)


def change(before: Scalar = 32, after: Scalar = 256, name: str = "naa.6f47acc2") -> Change:
    resource = Resource("protocol_endpoint", f"host-12/{name}", name, "vc-east", "gold", "esx-01")
    target = Target("vc-east", (("device", name), ("host_id", "host-12")))
    return Change("device.dsnro", FixClass.ONLINE_CAUTION, target, before, after, ("vvol/pe-dsnro-headroom",), resource, "reason")


def receipt(one: Change, outcome: Outcome = Outcome.APPLIED, found: Scalar = 256) -> Receipt:
    return Receipt(one, outcome, found, "", "reboot")


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal"


@pytest.fixture
def written(journals: Path) -> Path:
    """A journal of two changes, the first with its receipt."""
    with open_journal(journals, RUN, now=lambda: NOON) as journal:
        journal.receipt(journal.intend(change()), receipt(change()))
        journal.intend(change(name="naa.6f47acc3"))
    return journals / f"{RUN}.jsonl"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(32, 256, id="numbers"),
        pytest.param(True, False, id="truth values"),
        pytest.param(1, True, id="one and true"),
        pytest.param("32", 32, id="digits as text"),
        pytest.param(1.0, 1, id="a float that is whole"),
        pytest.param(None, "", id="absent and empty"),
        pytest.param(None, 0, id="absent and zero"),
        pytest.param(2**64 + 1, -(2**63), id="numbers beyond 64 bits"),
        pytest.param('naïve "quoted"\n\x00\u2028', "ql2xmaxqdepth=64 ql2xloginretrycount=60", id="text of any kind"),
    ],
)
def test_values_come_back_with_their_type(journals: Path, before: Scalar, after: Scalar) -> None:
    with open_journal(journals, RUN) as journal:
        intent = journal.intend(change(before, after))
        journal.receipt(intent, receipt(change(before, after), found=after))
    (entry,) = history(journals).entries
    assert entry.receipt is not None
    back = (entry.intent.change.before, entry.intent.change.after, entry.receipt.found)
    assert back == (before, after, after)
    assert [type(value) for value in back] == [type(before), type(after), type(after)]
    assert entry.intent == intent


def test_a_journal_records_who_changed_what_and_when(written: Path) -> None:
    recorded = read_journal(written)
    assert (recorded.run, recorded.started, recorded.torn) == (RUN, NOON, None)
    assert recorded.host
    assert recorded.user
    assert [intent.change for intent in recorded.intents] == [change(), change(name="naa.6f47acc3")]
    (record,) = recorded.receipts
    assert (record.outcome, record.found, record.pending, record.time) == (Outcome.APPLIED, 256, "reboot", NOON)


def test_every_line_is_one_json_object(written: Path) -> None:
    records = [json.loads(line) for line in written.read_text().splitlines()]
    assert [record["record"] for record in records] == ["run", "intent", "receipt", "intent"]
    assert (records[1]["change"]["before"], records[1]["change"]["after"]) == (32, 256)


def test_an_intent_without_receipt_is_open_over_all_journals(journals: Path, written: Path) -> None:
    with open_journal(journals, NEXT) as journal:
        journal.intend(change(name="naa.6f47acc4"))
    assert [(intent.run, intent.change.target["device"]) for intent in open_intents(journals)] == [
        (RUN, "naa.6f47acc3"),
        (NEXT, "naa.6f47acc4"),
    ]


def test_a_later_run_can_record_the_result_of_an_earlier_one_s_change(journals: Path, written: Path) -> None:
    with open_journal(journals, NEXT) as journal:
        (left,) = open_intents(journals)
        journal.receipt(left, receipt(left.change, Outcome.STALE, 64))
    assert open_intents(journals) == []
    last = history(journals).of_run(RUN)[-1].receipt
    assert last is not None
    assert (last.outcome, last.found) == (Outcome.STALE, 64)


def test_a_receipt_that_settles_nothing_leaves_the_intent_open_and_never_reopens_a_settled_one(journals: Path, written: Path) -> None:
    with open_journal(journals, NEXT) as journal:
        first, second = history(journals).entries
        journal.receipt(first.intent, receipt(change(), Outcome.UNVERIFIED, None), settled=False)
        journal.receipt(second.intent, receipt(change(), Outcome.UNVERIFIED, None), settled=False)
    assert open_intents(journals) == [second.intent]


@pytest.mark.posix_only
def test_only_the_owner_can_read_a_journal(journals: Path, written: Path) -> None:
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(journals.stat().st_mode) == 0o700


@pytest.mark.posix_only
def test_a_directory_that_was_open_to_others_is_closed_to_them(journals: Path) -> None:
    journals.mkdir(parents=True, mode=0o755)
    with open_journal(journals, RUN):
        assert stat.S_IMODE(journals.stat().st_mode) == 0o700


def test_a_run_that_changes_nothing_leaves_no_journal(journals: Path) -> None:
    with open_journal(journals, RUN):
        pass
    assert history(journals) == History((), ())


def test_every_record_is_flushed_before_the_next_step(journals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[tuple[bool, int]] = []  # of a directory?, bytes in the journal by then
    real = os.fsync

    def watched(descriptor: int) -> None:
        real(descriptor)
        status = os.fstat(descriptor)
        flushed.append((stat.S_ISDIR(status.st_mode), 0 if stat.S_ISDIR(status.st_mode) else status.st_size))

    monkeypatch.setattr(os, "fsync", watched)
    with open_journal(journals, RUN) as journal:
        flushed.clear()
        journal.intend(change())
        assert ((True, 0) in flushed) is (files._DIRECTORY is not None), "the file's name is on disk too, where folders can be opened"
        assert flushed[-1] == (False, (journals / f"{RUN}.jsonl").stat().st_size)


# What a crash or a disk can do to a file.


@pytest.mark.parametrize(
    "written_bytes", [pytest.param(0, id="nothing"), pytest.param(1, id="one byte"), pytest.param(-1, id="all but the newline")]
)
@pytest.mark.parametrize("lines", [0, 1, 2, 3], ids=["of the first line", "of an intent", "of a receipt", "of a later intent"])
def test_an_unfinished_last_line_is_tolerated_and_reported(journals: Path, written: Path, lines: int, written_bytes: int) -> None:
    whole = written.read_bytes().splitlines(keepends=True)
    torn = whole[lines][:written_bytes]
    written.write_bytes(b"".join(whole[:lines]) + torn)
    recorded = read_journal(written)
    assert (recorded.torn is not None) == (bool(torn) or lines == 0)
    assert len(recorded.intents) == sum(b'"intent"' in line for line in whole[:lines])
    assert len(recorded.receipts) == sum(b'"receipt"' in line for line in whole[:lines])
    assert history(journals).torn == ((recorded.torn,) if recorded.torn else ())


@pytest.fixture(scope="session")
def three_changes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("three")
    with open_journal(directory, RUN) as journal:
        for number in range(3):
            journal.receipt(journal.intend(change(name=f"naa.{number}")), receipt(change()))
    return directory / f"{RUN}.jsonl"


@given(share=st.floats(0, 1))
def test_a_journal_cut_anywhere_gives_every_complete_line_and_no_more(
    tmp_path_factory: pytest.TempPathFactory, three_changes: Path, share: float
) -> None:
    whole = three_changes.read_bytes()
    cut = whole[: round(share * len(whole))]
    path = tmp_path_factory.mktemp("cut") / three_changes.name
    path.write_bytes(cut)
    recorded = read_journal(path)
    lines = cut.count(b"\n")
    assert (len(recorded.intents), len(recorded.receipts)) == (lines // 2, max(0, lines - 1) // 2)


def appended(lines: list[bytes], record: dict[str, Any]) -> bytes:
    """A further line, well sealed."""
    return line_of(len(lines), {key: value for key, value in record.items() if key not in ("line", "sha256")}, digest_of(lines[-1]))


def _swap(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[2], lines[1], lines[3]]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda lines: [lines[0], lines[1].replace(b": 32,", b": 33,"), *lines[2:]], id="a digit flipped"),
        pytest.param(lambda lines: [lines[0], b"\n", *lines[1:]], id="an empty line"),
        pytest.param(lambda lines: [lines[0], *lines[2:]], id="a line missing"),
        pytest.param(lambda lines: lines[1:], id="the first line missing"),
        pytest.param(_swap, id="two lines swapped"),
        pytest.param(lambda lines: [*lines[:2], lines[1], *lines[2:]], id="a line doubled"),
        pytest.param(lambda lines: [lines[0], lines[1][:40], *lines[2:]], id="half a line in the middle"),
        pytest.param(lambda lines: [*lines, b"\xff\xfe\n"], id="bytes that are no text"),
        pytest.param(lambda lines: [*lines, b"\x00" * 30 + b"\n"], id="zeroes"),
        pytest.param(lambda lines: [line_of(0, {"record": "intent"}), *lines[1:]], id="it begins with something else"),
        pytest.param(lambda lines: [*lines, appended(lines, {"record": "note"})], id="a record nobody knows"),
        pytest.param(
            lambda lines: [*lines, appended(lines, {"record": "intent", "time": "noon", "change": {}})], id="an intent without change"
        ),
        pytest.param(
            lambda lines: [*lines, appended(lines, {**record_of(2, lines[2][:-1], digest_of(lines[1])), "of": [RUN, 2]})],
            id="a receipt of no intent",
        ),
    ],
)
def test_any_other_damage_is_an_error_that_names_the_file(
    journals: Path, written: Path, damage: Callable[[list[bytes]], list[bytes]]
) -> None:
    written.write_bytes(b"".join(damage(written.read_bytes().splitlines(keepends=True))))
    with pytest.raises(JournalError) as caught:
        open_intents(journals)
    assert str(written) in caught.value.what


def test_a_journal_of_a_newer_version_is_not_guessed_at(written: Path) -> None:
    lines = written.read_bytes().splitlines(keepends=True)
    newer = {**record_of(0, lines[0][:-1]), "version": 3}
    written.write_bytes(line_of(0, newer) + b"".join(lines[1:]))
    with pytest.raises(JournalError, match="version 3"):
        read_journal(written)


def test_a_journal_that_cannot_be_read_is_an_error(journals: Path) -> None:
    (journals / f"{RUN}.jsonl").mkdir(parents=True)
    with pytest.raises(JournalError, match=r"Is a directory|Permission denied"):
        open_intents(journals)


def test_a_renamed_journal_is_refused(written: Path) -> None:
    other = written.rename(written.with_name("other.jsonl"))
    with pytest.raises(JournalError, match="does not begin the journal of run other"):
        read_journal(other)


# Where it cannot be written.


def test_after_a_record_that_did_not_reach_the_disk_no_other_follows(journals: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_journal(journals, RUN) as journal:
        first = journal.intend(change())

        def full(descriptor: int, data: Any) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(JournalError, match="No space left"):
                journal.receipt(first, receipt(change()))
        with pytest.raises(JournalError, match="an earlier record did not reach the disk"):
            journal.intend(change())
    assert [intent.number for intent in open_intents(journals)] == [first.number]


def test_a_value_that_cannot_be_recorded_is_not_written(journals: Path) -> None:
    with open_journal(journals, RUN) as journal, pytest.raises(JournalError):
        journal.intend(change(after=float("nan")))


def test_a_second_journal_of_the_same_run_is_refused(journals: Path, written: Path) -> None:
    with open_journal(journals, RUN) as journal, pytest.raises(JournalError, match="File exists"):
        journal.intend(change())


def test_a_state_directory_that_cannot_be_made_is_an_error_before_anything_is_changed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalError), open_journal(tmp_path / "file" / "journal", RUN):
        pass


# One writer at a time.


def test_a_second_run_is_refused_with_the_name_of_the_first(journals: Path) -> None:
    with (
        open_journal(journals, RUN),
        pytest.raises(GuardError, match=f"run {RUN}, process {os.getpid()} of "),
        open_journal(journals, NEXT),
    ):
        pass


def test_a_run_that_has_not_written_its_name_holds_the_lock_nevertheless(journals: Path) -> None:
    with open_journal(journals, RUN):
        pass
    with (journals / "lock").open("w") as holder:
        assert lock_taken(holder.fileno())
        with pytest.raises(GuardError, match="another run that has only just begun"), open_journal(journals, NEXT):
            pass


def test_without_a_lock_nothing_may_be_changed(journals: Path) -> None:
    (journals / "lock").mkdir(parents=True)
    with pytest.raises(JournalError, match="lock"), open_journal(journals, RUN):
        pass


def test_a_run_that_ended_well_or_badly_gives_way_to_the_next(journals: Path) -> None:
    with pytest.raises(KeyboardInterrupt), open_journal(journals, RUN):
        raise KeyboardInterrupt
    with open_journal(journals, NEXT) as journal:
        journal.intend(change())


def test_a_run_that_was_killed_does_not_hold_the_lock(journals: Path) -> None:
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom auditor.journal import open_journal\n"
        f"with open_journal(Path({str(journals)!r}), {RUN!r}):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(GuardError, match=f"process {holder.pid} of"), open_journal(journals, NEXT):
            pass
        holder.kill()
        holder.wait(PATIENCE_SECONDS)
    with open_journal(journals, NEXT) as journal:
        journal.intend(change())
