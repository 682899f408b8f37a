"""What is read of files, folders and archives that somebody else made: what was wanted, or a sentence; never a traceback."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path

import pytest

from auditor.endpoints.files import archives, found
from auditor.endpoints.files.archives import Member, Unreadable, members
from tests.endpoints.files.making_archives import (
    BUNDLE,
    LINE,
    ROOT,
    VERSION,
    WHEN,
    Read,
    Tar,
    given_out,
    parts,
    problems,
    special,
    tar_of,
    tgz_of,
    zip_of,
)


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
    assert given_out(read(book, "rvtools.xlsx", lambda _: False)) == {}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"text", "notes.docx", id="a file"),
        pytest.param(zip_of({"a.docx": b"text"}), "a.zip", id="an archive"),
        pytest.param(tgz_of({"a.docx": b"text"}), "a.tgz", id="another archive"),
    ],
)
def test_what_holds_nothing_that_is_wanted_is_named_and_not_passed_over(read: Read, data: bytes, name: str) -> None:
    (one,) = read(data, name, lambda name: name.endswith(".txt"))
    assert isinstance(one, Unreadable)
    assert (one.source, one.name) == (name, "")
    assert "nothing of it was looked at" in one.why


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


@pytest.mark.posix_only
def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    answers = list(members([tmp_path / "none", tmp_path / "pipe", Path("/dev/zero")], lambda _: True))
    assert [(one.source, one.name) for one in answers] == [(str(tmp_path / "none"), ""), (str(tmp_path / "pipe"), ""), ("/dev/zero", "")]
    assert [why for _, why in problems(answers)] == [
        "it cannot be read: No such file or directory.",
        *["it is a link, a device or a pipe, which is not read."] * 2,
    ]


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


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    answers: Iterator[Member | Unreadable] = archives.members([tmp_path / "none"], lambda _: True)
    (tmp_path / "none").write_bytes(b"1")
    assert [type(one) for one in answers] == [Member]
