"""What is read of files, folders and archives that somebody else made: what was wanted, or a sentence; never a traceback."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.bounds import limits
from auditor.endpoints.files import archives, containers, found, opening, streams
from auditor.endpoints.files.archives import Member, Unreadable, members

WHEN = datetime(2026, 1, 1, 10, 10, tzinfo=UTC)
ROOT = "esx-h1-2026-01-01--10.10-123"
VERSION = f"{ROOT}/commands/vmware_-vl.txt"
LINE = b"VMware ESXi 8.0.3 build-24022510\n"

Tar = dict[str, bytes | tarfile.TarInfo]


def tar_of(content: Tar, *, form: int = tarfile.GNU_FORMAT) -> bytes:
    """An archive of members; a TarInfo stands for a member without content."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form, encoding="utf-8", errors="surrogateescape") as archive:
        for name, data in content.items():
            info = data if isinstance(data, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.mtime = int(WHEN.timestamp())
            info.size = 0 if isinstance(data, tarfile.TarInfo) else len(data)
            archive.addfile(info, None if isinstance(data, tarfile.TarInfo) else io.BytesIO(data))
    return buffer.getvalue()


def zip_of(content: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data, packing)
    return buffer.getvalue()


def tgz_of(content: Tar) -> bytes:
    return gzip.compress(tar_of(content), 1)


def special(kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(f"{ROOT}/commands/special.txt")
    info.type, info.linkname = kind, target
    return info


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., list[Member | Unreadable]]:
    def reading(data: bytes, name: str = "esx.tgz", wanted: Callable[[str], bool] = lambda _: True) -> list[Member | Unreadable]:
        path = tmp_path / name
        path.write_bytes(data)
        return [blind(one, tmp_path) for one in members([path], wanted)]

    return reading


def blind(one: Member | Unreadable, folder: Path) -> Member | Unreadable:
    """With what is the same in all: the folder of the test's own."""
    source = one.source.removeprefix(f"{folder}/")
    return Member(source, one.name, one.data, one.modified) if isinstance(one, Member) else Unreadable(source, one.name, one.why)


def given_out(answers: list[Member | Unreadable]) -> dict[str, bytes]:
    return {one.name: one.data for one in answers if isinstance(one, Member)}


def problems(answers: list[Member | Unreadable]) -> list[tuple[str, str]]:
    return [(one.name, one.why) for one in answers if isinstance(one, Unreadable)]


Read = Callable[..., list[Member | Unreadable]]
BUNDLE: Tar = {VERSION: LINE, f"{ROOT}/README": b"Captured on: today\n"}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (tgz_of(BUNDLE), "esx.tgz"),
        (tar_of(BUNDLE), "esx.tar"),
        (tar_of(BUNDLE, form=tarfile.PAX_FORMAT), "esx.tar"),
        (tar_of(BUNDLE, form=tarfile.USTAR_FORMAT), "esx.tar"),
        (bz2.compress(tar_of(BUNDLE)), "esx.tar.bz2"),
        (lzma.compress(tar_of(BUNDLE)), "esx.tar.xz"),
        (tgz_of(BUNDLE), "a name that says nothing.txt"),
        (tgz_of({f"./{name}": data for name, data in BUNDLE.items()}), "esx.tgz"),
    ],
    ids=["tgz", "tar", "tar of pax", "tar of ustar", "bzip2", "xz", "by content", "names that begin with a dot"],
)
def test_the_wanted_members_of_an_archive_are_given_out_with_name_and_time(data: bytes, name: str, read: Read) -> None:
    assert read(data, name, lambda wanted: wanted.endswith("vmware_-vl.txt")) == [Member(name, VERSION, LINE, WHEN)]


def test_members_of_a_zip_have_no_time_unless_it_is_given_in_utc(read: Read) -> None:
    info = zipfile.ZipInfo("b")
    info.extra = b"\x55\x54\x05\x00\x01" + int(WHEN.timestamp()).to_bytes(4, "little")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a"), b"1")
        archive.writestr(info, b"2")
        archive.mkdir("c")
    assert read(buffer.getvalue(), "x.zip") == [Member("x.zip", "a", b"1", None), Member("x.zip", "b", b"2", WHEN)]


def test_bundles_in_an_archive_have_its_name_in_theirs(read: Read) -> None:
    for outer in (tgz_of({"vc/esx-h1.tgz": tgz_of(BUNDLE)}), zip_of({"vc/esx-h1.tgz": tgz_of(BUNDLE)})):
        assert given_out(read(outer, "vc.any")) == {f"vc/esx-h1.tgz/{name}": data for name, data in BUNDLE.items()}
    assert given_out(read(tgz_of({"in.zip": zip_of({"a/b": b"1"})}))) == {"in.zip/a/b": b"1"}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_members_that_are_packed_on_their_own_are_unpacked(pack: Callable[[bytes], bytes], read: Read) -> None:
    asked = []

    def wanted(name: str) -> bool:
        asked.append(name)
        return name == "x/log"

    suffix = {gzip.compress: "gz", bz2.compress: "bz2", lzma.compress: "xz"}[pack]
    answers = read(tgz_of({f"x/log.{suffix}": pack(b"a") + pack(b"b"), f"x/other.{suffix}": pack(b"c")}), wanted=wanted)
    assert answers == [Member("esx.tgz", "x/log", b"ab", WHEN)]
    assert asked == ["x/log", "x/other"]


def test_a_plain_file_has_no_name_and_is_asked_for_by_its_own(read: Read) -> None:
    asked: list[str] = []

    def wanted(name: str) -> bool:
        asked.append(name)
        return True

    for name, data in (("h1.txt", b"1"), ("h1.txt.gz", gzip.compress(b"1"))):
        (one,) = read(data, name, wanted)
        assert isinstance(one, Member)
        assert (one.source, one.name, one.data) == (name, "", b"1")
        assert one.modified is not None
        assert one.modified.tzinfo is UTC
    assert asked == ["h1.txt", "h1.txt"]


def test_a_workbook_is_a_file(read: Read) -> None:
    book = zip_of({"xl/workbook.xml": b"<x/>", "[Content_Types].xml": b"<x/>"})
    assert given_out(read(book, "rvtools.xlsx")) == {"": book}
    assert given_out(read(tgz_of({"a/rvtools.xlsx": book}))) == {"a/rvtools.xlsx": book}
    assert read(book, "rvtools.xlsx", lambda _: False) == []


def test_a_folder_is_walked_in_order_and_archives_in_it_are_looked_into(tmp_path: Path) -> None:
    for name, data in {"b.txt": b"b", "a/z.txt": b"z", "a/y/x.txt": b"x", "c.tgz": tgz_of(BUNDLE), "d.txt": b"unwanted"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    names = [(one.source, one.name) for one in members([tmp_path], lambda name: not name.endswith(("d.txt", "README")))]
    assert names == [(str(tmp_path), name) for name in ("b.txt", f"c.tgz/{VERSION}", "a/z.txt", "a/y/x.txt")]


def test_no_link_in_a_folder_is_followed_and_no_pipe_is_opened(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_bytes(b"secret")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "file.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (folder / "folder").symlink_to(tmp_path / "outside")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.txt")
    answers = list(members([folder], lambda name: name.endswith(".txt")))
    assert problems(answers) == [(name, "it is a link, a device or a pipe, which is not read.") for name in ("file.txt", "pipe.txt")]
    assert not given_out(answers)


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    answers = list(members([tmp_path / "none", tmp_path / "pipe", Path("/dev/zero")], lambda _: True))
    assert [(one.source, one.name) for one in answers] == [(str(tmp_path / "none"), ""), (str(tmp_path / "pipe"), ""), ("/dev/zero", "")]
    assert [why for _, why in problems(answers)] == [
        "it cannot be read: No such file or directory.",
        *["it is a link, a device or a pipe, which is not read."] * 2,
    ]


def parts(*numbers: int, name: str = "commands/info.txt") -> Tar:
    return {f"{name}.FRAG-{number:05d}": b"%d," % number for number in numbers}


def test_parts_of_a_file_are_joined_in_the_order_of_their_numbers(read: Read, tmp_path: Path) -> None:
    expected = {"commands/info.txt": b"".join(b"%d," % number for number in range(11))}
    assert given_out(read(tgz_of(parts(*reversed(range(11)))), wanted=lambda name: name == "commands/info.txt")) == expected
    assert given_out(read(zip_of(parts(10, *range(10))), "a.zip")) == expected  # type: ignore[arg-type]
    folder = tmp_path / "folder"
    (folder / "commands").mkdir(parents=True)
    for name, data in parts(*range(11)).items():
        (folder / name).write_bytes(data)  # type: ignore[arg-type]
    assert given_out(list(members([folder], lambda _: True))) == expected
    packed = gzip.compress(b"0,1,")
    halves: Tar = {"x.gz.FRAG-00000": packed[:9], "x.gz.FRAG-00001": packed[9:], "y.FRAG-00000.gz": packed}
    assert given_out(read(tgz_of(halves))) == {"x": b"0,1,", "y": b"0,1,"}


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ((0, 2, 3), "00001"),
        ((1,), "00000"),
        ((0, 20), "00001, 00002, 00003, 00004, 00005 and 14 more"),
        ((0, 999_999_999), "00001, 00002, 00003, 00004, 00005 and 999,999,993 more"),
    ],
    ids=str,
)
def test_a_file_of_which_a_part_is_missing_is_not_given_out(numbers: tuple[int, ...], missing: str, read: Read) -> None:
    why = f"it was cut into parts, and not all are there or could be read; missing: {missing}."
    assert read(tgz_of(parts(*numbers))) == [Unreadable("esx.tgz", "commands/info.txt", why)]


def test_a_part_alone_or_twice_is_no_file(read: Read, tmp_path: Path) -> None:
    assert problems(read(b"0", "x.txt.FRAG-00000")) == [
        ("", "it is one part of a file that was cut; give the folder that has all of them.")
    ]
    twice = tar_of(parts(0))[:1024] + tar_of({"commands/info.txt.FRAG-00000": b"other"})
    assert problems(read(twice)) == [
        ("commands/info.txt.FRAG-00000", "there is more than one part of that number, so that file is not read."),
        ("commands/info.txt", "it was cut into parts, and not all are there or could be read; missing: 00000."),
    ]


@pytest.mark.parametrize(
    "info",
    [special(tarfile.SYMTYPE, "/etc/passwd"), special(tarfile.LNKTYPE, VERSION), special(tarfile.CHRTYPE), special(tarfile.FIFOTYPE)],
    ids=["symbolic link", "hard link", "device", "pipe"],
)
def test_a_member_that_is_no_file_is_said_where_it_was_wanted(info: tarfile.TarInfo, read: Read) -> None:
    data = tgz_of({"x": info, VERSION: LINE})
    name = f"{ROOT}/commands/special.txt"
    assert read(data)[0] == Unreadable("esx.tgz", name, "it is a link, a device or a pipe.")
    assert read(data, wanted=lambda one: one == VERSION) == [Member("esx.tgz", VERSION, LINE, WHEN)]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "../../etc/passwd"),
        ("a/../../b", "a/../../b"),
        ("/etc/passwd", "/etc/passwd"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\nb", "a\\nb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\udce4b", "a\\udce4b"),
        ("a" * 5000, "a" * 300 + "..."),
    ],
    ids=["up", "up within", "absolute", "escape", "line end", "direction", "no UTF-8", "long"],
)
def test_a_member_whose_name_no_file_should_have_is_not_read(name: str, shown: str, read: Read) -> None:
    expected = [Unreadable("esx.tgz", shown, "its name is not one that a file should have, so it is not read."), ("rest", b"1")]
    answers = read(tgz_of({name: b"0", "rest": b"1"}))
    assert [(one.name, one.data) if isinstance(one, Member) else one for one in answers] == expected


def test_of_many_members_with_one_problem_some_are_named_and_the_others_counted(read: Read) -> None:
    answers = problems(read(tgz_of({f"../{number}": b"" for number in range(1234)})))
    assert len(answers) == 21
    assert answers[-1] == ("", "1,214 more of its members are not read: its name is not one that a file should have, so it is not read.")


def test_more_members_than_are_looked_at_end_the_reading(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found.Walk.__init__, "__defaults__", (3,))
    answers = read(tgz_of({f"{number}": b"" for number in range(5)}))
    assert [one.name for one in answers] == ["0", "1", "2", ""]
    assert problems(answers) == [("", "there are more than 1,000,000 files and members; nothing after these was read.")]


def zeros(pack: Callable[[], object], gigabytes: float) -> bytes:
    engine, made = pack(), io.BytesIO()
    chunk = bytes(1 << 20)
    for _ in range(int(gigabytes * 1024)):
        made.write(engine.compress(chunk))  # type: ignore[attr-defined]
    made.write(engine.flush())  # type: ignore[attr-defined]
    return made.getvalue()


def held(action: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of a sixteenth, so that bombs are made quickly; the texts name the real ones."""
    for module in (streams, opening, containers):
        for name in ("EVIDENCE_MEMBER_BYTES", "EVIDENCE_HELD_BYTES", "EVIDENCE_NESTED_ZIP_BYTES", "EVIDENCE_UNPACKED_LEAST"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, getattr(limits, name) >> 4)
    monkeypatch.setattr(streams.Budget.__init__, "__defaults__", (limits.EVIDENCE_HELD_BYTES >> 4,))


SPENT = "it unpacks to more than 100 times its size and 0 GiB, or to more than 64 GiB; nothing more of it was read."


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "engine",
    [lambda: zlib.compressobj(wbits=31), bz2.BZ2Compressor, lambda: lzma.LZMACompressor(preset=0)],
    ids=["gz", "bz2", "xz"],
)
def test_a_file_that_unpacks_to_gigabytes_takes_no_memory(engine: Callable[[], object], read: Read) -> None:
    bomb = zeros(engine, 0.15)
    why = "it has more than the 64 MiB that such a file may have, so nothing of it is read."
    answers: list[Member | Unreadable] = []
    assert held(lambda: answers.extend(read(bomb, "log.gz"))) < 24 << 20
    assert problems(answers) == [("", why)]
    header = tarfile.TarInfo("a")
    header.size = 150 << 20
    as_tar = zlib.compress(header.tobuf(), wbits=31) if bomb[:2] == b"\x1f\x8b" else None
    if as_tar:
        assert held(lambda: answers.extend(read(as_tar + bomb, "x.tgz", lambda _: False))) < 24 << 20
        assert problems(answers)[1:] == [("", SPENT)]
    nested = bomb
    for _ in range(2):
        nested = gzip.compress(nested)
    assert problems(read(nested, "x.gz")) == [("", why)]


@pytest.mark.usefixtures("small")
def test_a_zip_whose_member_unpacks_to_gigabytes_takes_no_memory(read: Read) -> None:
    data = zip_of({"a": bytes(100 << 20), "b": b"1"})
    answers: list[Member | Unreadable] = []
    assert held(lambda: answers.extend(read(data, "x.zip"))) < 24 << 20
    assert answers == [
        Unreadable("x.zip", "a", "it has more than the 64 MiB that such a file may have, so nothing of it is read."),
        Member("x.zip", "b", b"1", None),
    ]


@pytest.mark.usefixtures("small")
def test_an_archive_within_a_zip_that_unpacks_to_gigabytes_is_left(read: Read) -> None:
    data = zip_of({"in.tar": header_of(size=140 << 20) + bytes(140 << 20)})
    assert problems(read(data, "x.zip", lambda _: False)) == [("", SPENT)]


@pytest.mark.usefixtures("small")
def test_what_is_given_out_of_one_file_has_a_limit(read: Read) -> None:
    answers = read(tgz_of({str(number): bytes(3 << 20) for number in range(12)}))
    assert len(given_out(answers)) == 10
    assert problems(answers) == [("", "what is wanted of it has more than 32 MiB; nothing more of it was read.")]


@pytest.mark.usefixtures("small")
def test_parts_that_are_held_have_a_limit_together_and_one_by_one(read: Read, tmp_path: Path) -> None:
    many: Tar = {f"x.FRAG-{number:05d}": bytes(3 << 20) for number in range(12)}
    assert problems(read(tgz_of(many))) == [("", "what is wanted of it has more than 32 MiB; nothing more of it was read.")]
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in many:
        (folder / name).write_bytes(bytes(3 << 20))
    answers = problems(list(members([folder], lambda _: True)))
    assert answers[0] == ("x.FRAG-00010", "what is wanted of it has more than 32 MiB; nothing more of it was read.")
    assert answers[-1][1].endswith("missing: 00010, 00011.")
    two: Tar = {f"x.FRAG-{number:05d}": bytes(3 << 20) for number in range(2)}
    assert problems(read(tgz_of(two))) == [("x", "it has more than the 64 MiB that such a file may have, so nothing of it is read.")]


@pytest.mark.usefixtures("small")
def test_a_zip_within_an_archive_is_held_up_to_a_size(read: Read) -> None:
    large = zip_of({"a": os.urandom(17 << 20)}, zipfile.ZIP_STORED)
    why = "it is a zip archive within another archive, and has more than 256 MiB, so it is not read."
    assert read(tar_of({"in.zip": large, "b": b"1"})) == [Unreadable("esx.tgz", "in.zip", why), Member("esx.tgz", "b", b"1", WHEN)]


def test_archives_within_archives_are_opened_three_deep(read: Read) -> None:
    data = tgz_of({"leaf": b"1"})
    for _ in range(2):
        data = tgz_of({"in.tgz": data})
    assert given_out(read(data)) == {"in.tgz/in.tgz/leaf": b"1"}
    why = "it lies in more than 3 archives within each other, so it is not read."
    assert problems(read(tgz_of({"in.tgz": data}))) == [("in.tgz/in.tgz/in.tgz", why)]
    assert problems(read(tgz_of({"in.zip": zip_of({"in.tgz": data})}))) == [("in.zip/in.tgz/in.tgz", why)]
    packed = b"1"
    for _ in range(6):
        packed = gzip.compress(packed)
    assert problems(read(packed, "x.gz")) == [("", why)]


def test_an_archive_that_is_cut_off_gives_what_was_whole_and_says_so(read: Read) -> None:
    data = {f"{number:04d}": os.urandom(4096) for number in range(100)}
    for whole in (tgz_of(dict(data)), tar_of(dict(data)), bz2.compress(tar_of(dict(data))), lzma.compress(tar_of(dict(data)))):
        answers = read(whole[: len(whole) // 2 + 2000], wanted=lambda name: name < "0090")
        ((name, why),) = [one for one in problems(answers) if not one[0]]
        assert name == ""
        assert why.startswith("it is broken: ")
        assert given_out(answers) == {} or why.endswith("; what was read of it may not be all, or not as it was.")
        assert given_out(answers).items() <= data.items()
        assert len(problems(answers)) <= 2


def test_parts_in_an_archive_that_is_cut_off_are_not_joined(read: Read) -> None:
    data = tar_of({**parts(0, 1), "z": bytes(100_000)})
    answers = read(data[:50_000], wanted=lambda name: name.startswith("commands"))
    assert ("commands/info.txt", "it was cut into parts, and the archive broke before all of them were seen.") in problems(answers)
    assert not given_out(answers)


def test_a_wrong_sum_is_said(read: Read) -> None:
    for more, end in ((0, ""), (1 << 20, "; what was read of it may not be all, or not as it was")):
        data = bytearray(tgz_of({VERSION: LINE, "log": os.urandom(more)}))
        data[-6] ^= 1
        answers = read(bytes(data), wanted=lambda name: name == VERSION)
        assert problems(answers) == [("", f"it is broken: Error -3 while decompressing data: incorrect data check{end}.")]
        assert len(given_out(answers)) == bool(end)
    packed = zip_of({"a": b"first" * 9, "b": b"second"}, zipfile.ZIP_STORED)
    answers = read(packed.replace(b"first" * 9, b"First" * 9), "x.zip")
    assert answers == [Unreadable("x.zip", "a", "it is broken: Bad CRC-32 for file 'a'."), Member("x.zip", "b", b"second", None)]


def test_a_wrong_sum_is_said_however_far_behind_the_last_member_it_is(read: Read) -> None:
    data = bytearray(gzip.compress(tar_of({VERSION: LINE}) + bytes(1 << 20)))
    data[-6] ^= 1
    ((name, why),) = problems(read(bytes(data)))
    assert (name, why[:69]) == ("", "it is broken: Error -3 while decompressing data: incorrect data check")


def test_a_broken_archive_is_said_though_its_name_says_nothing_and_nothing_of_it_was_wanted(read: Read) -> None:
    answers = read(tar_of({"x/data": tar_of({"y": bytes(2000)})[:1024]}), "x.tar", lambda _: False)
    why = "it is broken: it is cut off within a member; what was read of it may not be all, or not as it was."
    assert problems(answers) == [("x/data", why)]


def test_a_file_of_xz_that_wants_gigabytes_to_be_unpacked_is_broken(read: Read) -> None:
    data = bytearray(lzma.compress(b"1"))
    data[16] = 40  # the dictionary: 4 GiB
    end = 12 + 4 * data[12]
    data[end : end + 4] = zlib.crc32(data[12:end]).to_bytes(4, "little")
    assert problems(read(bytes(data), "x.xz")) == [("", "it is broken: Memory usage limit exceeded.")]


def test_an_encrypted_member_is_said(read: Read) -> None:
    data = bytearray(zip_of({"a": b"1", "b": b"2"}))
    data[6] |= 1
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    assert read(bytes(data), "x.zip") == [Unreadable("x.zip", "a", "it is encrypted."), Member("x.zip", "b", b"2", None)]


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "lzma"])
def test_a_member_of_a_zip_that_is_unpacked_without_a_limit_is_not_read(packing: int, read: Read) -> None:
    assert problems(read(zip_of({"a": bytes(1000)}, packing), "x.zip")) == [("a", "it is packed in a way that is not read.")]


def test_a_zip_whose_members_share_bytes_is_refused(read: Read) -> None:
    data = zip_of({"a": bytes(10_000), "b": bytes(10_000)})
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    shared = data[: second + 42] + bytes(4) + data[second + 46 :]  # the second entry is the first one's bytes
    why = "it is broken: entries in it share bytes: it was made to unpack to more than it holds."
    assert problems(read(shared, "x.zip")) == [("", why)]


def test_a_link_in_a_zip_is_said(read: Read) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("a")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, b"/etc/passwd")
    assert problems(read(buffer.getvalue(), "x.zip")) == [("a", "it is a link, a device or a pipe.")]


def test_a_zip_whose_directory_is_long_is_refused_before_it_is_read(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "EVIDENCE_DIRECTORY_BYTES", 1 << 16)
    data = zip_of({f"{number:08d}": b"" for number in range(3000)})
    assert problems(read(data, "x.zip")) == [("", "it is broken: its directory has more than 0 MiB.")]


def test_a_zip_whose_names_are_not_what_they_say_is_broken(read: Read) -> None:
    data = zip_of({"\u00e4bc": b"1"}).replace("\u00e4bc".encode(), b"\xff\xfebc")
    ((name, why),) = problems(read(data, "x.zip"))
    assert name == ""
    assert why.startswith("it is broken: its directory cannot be understood: ")


def header_of(**fields: int | bytes) -> bytes:
    info = tarfile.TarInfo("x")
    for name, value in fields.items():
        setattr(info, name, value)
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (header_of(type=tarfile.GNUTYPE_LONGNAME, size=1 << 33), "a name or list of attributes in it is longer than 64 KiB"),
        (header_of(type=tarfile.XHDTYPE, size=1 << 33), "a name or list of attributes in it is longer than 64 KiB"),
        (header_of(size=-1024), "a member in it is smaller than nothing"),
        (header_of(size=1 << 40), "it is cut off within a member"),
        (header_of() + b"nothing" * 100, "a header in it is cut off, or no header of tar"),
        (header_of() + header_of()[:300], "a header in it is cut off, or no header of tar"),
        (
            header_of(type=tarfile.XHDTYPE, size=12) + b"12 size=-99\n".ljust(512, b"\0") + header_of(),
            "the size of a member in it is no number",
        ),
    ],
    ids=["long name", "long attributes", "negative", "larger than the file", "no header", "half a header", "negative by an attribute"],
)
def test_a_tar_whose_headers_lie_is_broken(data: bytes, why: str, read: Read) -> None:
    answers = problems(read(data, "x.tar", lambda _: False))
    assert answers == [("", f"it is broken: {why}; what was read of it may not be all, or not as it was.")]


def test_a_sparse_member_is_not_read_and_the_next_one_is(read: Read) -> None:
    sparse = bytearray(header_of(type=tarfile.GNUTYPE_SPARSE))
    sparse[482] = 1
    sparse[148:156] = b" " * 8
    sparse[148:156] = b"%06o\0 " % sum(sparse)
    data = bytes(sparse) + bytes(504) + b"\1" + bytes(7) + bytes(512) + tar_of({"y": b"1"})
    assert read(data, "x.tar") == [Unreadable("x.tar", "x", "it is a sparse file."), Member("x.tar", "y", b"1", WHEN)]


def test_a_file_that_is_named_an_archive_and_is_none_is_said(read: Read) -> None:
    why = "its name is that of an archive, and its content is none."
    assert problems(read(b"<html>not found</html>", "esx.tgz", lambda _: False)) == [("", why)]
    assert problems(read(b"", "esx.zip", lambda _: False)) == [("", why)]


def test_a_packed_file_that_is_broken_is_said_only_where_it_was_wanted(read: Read) -> None:
    data = tgz_of({"a.gz": gzip.compress(b"12345")[:-3], "b": b"1"})
    assert given_out(read(data)) == {"b": b"1"}
    assert problems(read(data)) == [("a.gz", "it is broken: it is cut off.")]
    assert problems(read(data, wanted=lambda name: name == "b")) == []


PIECES = st.one_of(st.binary(max_size=40), st.integers(0, 600).map(bytes))


def mistaken(whole: bytes) -> st.SearchStrategy[bytes]:
    def change(at: int, length: int, piece: bytes) -> bytes:
        at %= len(whole)
        return whole[:at] + piece + whole[at + length :]

    return st.builds(change, st.integers(0, 1 << 20), st.integers(0, 600), PIECES)


WHOLE = [
    tar_of(dict(BUNDLE)),
    tar_of({"x" * 150: b"1", "ä": b"2", **parts(0, 1)}, form=tarfile.PAX_FORMAT),
    tgz_of({"in.tgz": tgz_of(BUNDLE), "l.gz": gzip.compress(b"log")}),
    zip_of({"a.tgz": tgz_of(BUNDLE), "b": b"1" * 99}),
    zip_of({"b": b"1" * 99}, zipfile.ZIP_STORED),
    lzma.compress(tar_of(dict(BUNDLE))),
    bz2.compress(tar_of(dict(BUNDLE))),
]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.sampled_from(WHOLE).flatmap(mistaken))
def test_whatever_is_wrong_with_an_archive_it_ends_in_answers(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    for one in members([path], lambda _: True):
        assert one.source == str(path)
        if isinstance(one, Unreadable):
            assert one.why.endswith(".")
            assert one.name.isprintable()


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    answers: Iterator[Member | Unreadable] = archives.members([tmp_path / "none"], lambda _: True)
    (tmp_path / "none").write_bytes(b"1")
    assert [type(one) for one in answers] == [Member]
