"""What an archive unpacks to has limits, in memory and in all."""

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
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.bounds import limits
from auditor.endpoints.files import containers, opening, streams
from auditor.endpoints.files.archives import Member, Unreadable, members
from tests.endpoints.files.making_archives import WHEN, Read, Tar, given_out, header_of, problems, tar_of, tgz_of, zip_of

pytestmark = pytest.mark.long


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
