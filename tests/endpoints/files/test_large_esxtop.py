"""Files of esxtop are read line by line: a large one takes no memory, and one that was made to do harm ends with a sentence."""

import gzip
import io
import tracemalloc
from pathlib import Path

import pytest

from auditor.endpoints.files import esxtop, esxtop_samples, opening, streams
from auditor.endpoints.files.archives import Member, Unreadable, members
from auditor.endpoints.files.esxtop import Esxtop, NoSamples, samples_in

from .evidence import HOST, Read, written

DEVICE = r"\\esx-01\Physical Disk SCSI Device(naa.600a098000000000000000000000000a)"
COUNTERS = ("Commands/sec", "Average Kernel MilliSec/Command", "Device Q Depth")


def text_of(rows: int, others: int = 0, seconds: int = 20) -> str:
    """A file of one device, and of that many other counters before it; the n-th row has a depth of n."""
    titles = ["(PDH-CSV 4.0) (UTC)(0)", *(rf"\\esx-01\Group Cpu({n}:vm)\% Used" for n in range(others))]
    titles += [rf"{DEVICE}\{counter}" for counter in COUNTERS]
    lines = [titles]
    for number in range(rows):
        hour, rest = divmod(number * seconds, 3600)
        time = f"11/01/2026 {hour:02d}:{rest // 60:02d}:{rest % 60:02d}"
        lines.append([time, *["0.00"] * others, "100.00", "1.50", str(number)])
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


def read(path: Path) -> list[Member | Unreadable]:
    return list(members([path], lambda _: True))


def depths(found: object) -> list[float | None]:
    assert isinstance(found, Esxtop)
    [(_, places)] = found.columns.items()
    return [found.value(sample, places["depth"]) for sample in found.samples]


def test_a_file_may_be_larger_than_others_and_its_newest_five_minutes_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "EVIDENCE_MEMBER_BYTES", 10_000)
    text = text_of(rows=200, others=100)
    assert len(text) > 100_000
    for name, data in (("top.csv", text.encode()), ("top.csv.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(data)
        [member] = read(tmp_path / name)
        assert isinstance(member, Member)
        assert member.data == b""
        assert depths(member.esxtop) == list(range(183, 200))


@pytest.mark.long
def test_a_file_takes_no_memory_for_what_it_does_not_hold(tmp_path: Path) -> None:
    row = text_of(rows=2, others=10_000).splitlines(keepends=True)
    (tmp_path / "top.csv").write_text("".join([*row, *row[2:] * 70]), encoding="utf-8")
    assert (tmp_path / "top.csv").stat().st_size > 4 << 20
    tracemalloc.start()
    try:
        [member] = read(tmp_path / "top.csv")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert isinstance(member, Member)
    assert isinstance(member.esxtop, Esxtop)


def test_a_file_that_is_too_large_even_for_that_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "EVIDENCE_ESXTOP_BYTES", 3000)
    (tmp_path / "top.csv").write_text(text_of(rows=100), encoding="utf-8")
    assert read(tmp_path / "top.csv") == [
        Unreadable(str(tmp_path / "top.csv"), "", "it has more than the 512 MiB that a file of esxtop may have, so nothing of it is read.")
    ]


def test_what_is_held_of_all_files_of_an_archive_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams.Budget.__init__, "__defaults__", (1000,))
    (tmp_path / "top.csv").write_text(text_of(rows=10), encoding="utf-8")
    assert isinstance(read(tmp_path / "top.csv")[0], Member)
    (tmp_path / "top.csv").write_text(text_of(rows=30), encoding="utf-8")
    [problem] = read(tmp_path / "top.csv")
    assert isinstance(problem, Unreadable)
    assert problem.why == "what is wanted of it has more than 512 MiB; nothing more of it was read."


def test_a_packed_file_that_is_cut_is_broken_and_not_a_shorter_one(tmp_path: Path) -> None:
    (tmp_path / "top.csv.gz").write_bytes(gzip.compress(text_of(rows=100, others=20).encode())[:-20])
    [problem] = read(tmp_path / "top.csv.gz")
    assert isinstance(problem, Unreadable)
    assert problem.why.startswith("it is broken")


def test_rows_that_are_more_than_can_be_held_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(esxtop_samples, "_MOST_CELLS", 12)
    found = samples_in(io.StringIO(text_of(rows=10)))
    assert depths(found) == [6, 7, 8, 9]
    assert isinstance(found, Esxtop)
    assert list(found.problems) == ["it has more counters than are held for five minutes, so only the newest of its samples were read"]


def test_a_row_of_long_cells_is_held_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(esxtop_samples, "_MOST_CHARACTERS", 5)
    assert depths(samples_in(io.StringIO(text_of(rows=10)))) == [9]


def test_old_rows_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(esxtop_samples, "_MOST_CELLS", 17 * 3)
    found = samples_in(io.StringIO(text_of(rows=100)))
    assert isinstance(found, Esxtop)
    assert (len(found.samples), list(found.problems)) == (17, [])


@pytest.mark.parametrize(
    ("limited", "most", "why"),
    [
        pytest.param((streams, "_LONGEST_LINE_BYTES"), 1 << 20, "a line of it has more than 1 MiB", id="line"),
        pytest.param((esxtop, "_MOST_COLUMNS"), 100, "a row of it has more than 100 cells", id="cells"),
    ],
)
def test_a_line_without_an_end_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: tuple[object, str], most: int, why: str
) -> None:
    monkeypatch.setattr(*limited, most)
    (tmp_path / "top.csv").write_text(text_of(rows=1).rstrip("\n") + ',"0"' * 400_000, encoding="utf-8")
    [member] = read(tmp_path / "top.csv")
    assert isinstance(member, Member)
    assert member.esxtop == NoSamples(why)


def test_lines_have_the_ends_that_spreadsheets_write(tmp_path: Path) -> None:
    for end in ("\r\n", "\r"):
        (tmp_path / "top.csv").write_bytes(text_of(rows=20).replace("\n", end).encode("utf-8-sig"))
        [member] = read(tmp_path / "top.csv")
        assert isinstance(member, Member)
        assert depths(member.esxtop) == list(range(3, 20))


def test_the_load_of_a_host_is_read_from_its_folder(tmp_path: Path) -> None:
    found = Read(written(tmp_path / "esx-01", {**HOST, "top.csv": text_of(rows=30)}))
    assert [(row["device"], row["kavg_ms"], row["max_queue_depth"]) for row in found.rows["device_load"]] == [
        ("naa.600a098000000000000000000000000a", 1.5, 29)
    ]
