"""What is wrong with an archive is said, and what was whole before it is given out."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.endpoints.files import containers
from auditor.endpoints.files.archives import Member, Unreadable, members
from tests.endpoints.files.making_archives import (
    BUNDLE,
    LINE,
    VERSION,
    WHEN,
    Read,
    given_out,
    header_of,
    parts,
    problems,
    tar_of,
    tgz_of,
    zip_of,
)


@pytest.mark.long
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


@pytest.mark.long
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
