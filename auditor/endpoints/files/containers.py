"""What lies in an archive of the tar or zip form, one entry after another; an archive may have been made to do harm.

The headers of tar are read here and not by `tarfile.TarFile`: that keeps every member that it has seen, takes a header of any length into
memory, and searches attributes in a time that grows with the square of their length. Of zip, `zipfile` is held to a directory of a
size; entries that share bytes are refused, as each of a thousand entries could unpack the same gigabytes.
"""

from __future__ import annotations

import io
import re
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from auditor.bounds.limits import EVIDENCE_DIRECTORY_BYTES, EVIDENCE_HEADER_BYTES
from auditor.endpoints.files.streams import BrokenError, Budget, Stream

_BLOCK = tarfile.BLOCKSIZE
_ATTRIBUTE = re.compile(rb"(\d{1,7}) ")
_EXTENDED_TIME = 0x5455
_OPENING = (zipfile.BadZipFile, ValueError, OSError, struct.error)  # what a header that is not as the directory has it raises
_UNPACKS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # of the others zipfile unpacks 4 KB at once, whatever these become


@dataclass(frozen=True, slots=True)
class Entry:
    """A thing in an archive.

    Args:
        name: as the archive has it; bytes that are no UTF-8 are lone surrogates.
        modified: None where the archive does not say, or not in which zone.
        content: what it holds; None where it is no file.
        problem: why it is not read, as a sentence's rest; "" where nothing speaks against it.
    """

    name: str
    modified: datetime | None
    content: Stream | None
    problem: str = ""


def tar_entries(archive: Stream) -> Iterator[Entry]:
    """The entries of a tar archive, but for folders. What is not read of an entry's content is skipped when the next one is asked for.

    Raises:
        BrokenError: the archive is cut off, or what follows an entry is no header.
    """
    attributes: dict[str, str] = {}
    while (header := _header(archive)) is not None:
        if header.type in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
            text = _metadata(archive, header.size)
            attributes |= {"path": _text(text.rstrip(b"\0"))} if header.type == tarfile.GNUTYPE_LONGNAME else _attributes(text)
            continue
        if header.type in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            _metadata(archive, header.size)
            continue
        sparse = header.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse.") for key in attributes)
        size = _size(attributes.get("size"), header.size) if header.isreg() or header.type not in tarfile.SUPPORTED_TYPES else 0
        content = Stream(archive.some, size)
        if not header.isdir():
            problem = "" if header.isreg() and not sparse else "it is a sparse file" if sparse else "it is a link, a device or a pipe"
            modified = _moment(attributes.get("mtime", header.mtime))
            yield Entry(attributes.get("path", header.name), modified, None if problem else content, problem)
        content.skip()
        Stream(archive.some, -size % _BLOCK).skip()
        attributes = {}


def opened_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """A zip archive, whose directory was read.

    Raises:
        zipfile.BadZipFile: it is none, or broken.
        BrokenError: its directory is too long or cannot be understood, or its entries share bytes.
    """
    try:
        opened = zipfile.ZipFile(_ShortReads(file))
    except (ValueError, struct.error) as error:  # a name that is no UTF-8 where it says it were; numbers that are none
        raise BrokenError(f"its directory cannot be understood: {error}") from None
    _refuse_shared(opened.infolist(), opened.start_dir)
    return opened


def is_document(archive: zipfile.ZipFile) -> bool:
    """Whether it is a workbook or another document of an office program."""
    return "[Content_Types].xml" in archive.NameToInfo


def zip_entries(archive: zipfile.ZipFile, budget: Budget) -> Iterator[Entry]:
    """The entries of a zip archive, but for folders."""
    for one in archive.infolist():
        name = one.filename.replace("\\", "/")  # some programs of Windows write these
        problem = zip_problem(one)
        if one.filename.endswith("/"):
            continue
        if not problem:
            try:
                with archive.open(one) as content:
                    yield Entry(name, _zip_moment(one), _counted(content, budget))
                continue
            except _OPENING as error:
                problem = f"it is broken: {error}"
        yield Entry(name, _zip_moment(one), None, problem)


def _counted(content: IO[bytes], budget: Budget) -> Stream:
    def read(most: int) -> bytes:
        part = content.read(most)
        budget.unpack(len(part))
        return part

    return Stream(read)


def _header(archive: Stream) -> tarfile.TarInfo | None:
    """The next header; None at the archive's end."""
    block = archive.upto(_BLOCK)
    if not block or block == bytes(_BLOCK):
        return None
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.TarError:
        raise BrokenError("a header in it is cut off, or no header of tar") from None
    if header.size < 0:
        raise BrokenError("a member in it is smaller than nothing")
    more = block[482] if header.type == tarfile.GNUTYPE_SPARSE else 0
    while more:
        more = archive.upto(_BLOCK).ljust(_BLOCK, b"\0")[504]
    return header


def _metadata(archive: Stream, size: int) -> bytes:
    if size > EVIDENCE_HEADER_BYTES:
        raise BrokenError(f"a name or list of attributes in it is longer than {EVIDENCE_HEADER_BYTES >> 10} KiB")
    text = Stream(archive.some, size).upto(size)
    Stream(archive.some, -size % _BLOCK).skip()
    return text


def _attributes(text: bytes) -> dict[str, str]:
    """What a header of pax says: a line "30 mtime=1446405015.1234567" for each, which begins with its own length."""
    found, at = {}, 0
    while (length := _ATTRIBUTE.match(text, at)) and int(length[1]) > len(length[0]):
        key, equals, value = text[length.end() : at + int(length[1]) - 1].partition(b"=")
        if equals:
            found[_text(key)] = _text(value)
        at += int(length[1])
    return found


def _size(text: str | None, otherwise: int) -> int:
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise BrokenError("the size of a member in it is no number")
    return int(text)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _moment(seconds: str | float) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None


class _ShortReads(io.RawIOBase):
    """A file that is read in pieces, as content is; the one read that is as long as the file says is that of zip's directory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, most: int = -1) -> bytes:
        if most > EVIDENCE_DIRECTORY_BYTES or (most < 0 and self._left() > EVIDENCE_DIRECTORY_BYTES):
            raise BrokenError(f"its directory has more than {EVIDENCE_DIRECTORY_BYTES >> 20} MiB")
        return self._file.read(most)

    def _left(self) -> int:
        at = self._file.tell()
        end = self._file.seek(0, io.SEEK_END)
        self._file.seek(at)
        return end - at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


def _refuse_shared(found: list[zipfile.ZipInfo], directory: int) -> None:
    """Raise BrokenError where two entries share bytes, or one lies in the directory."""
    ordered = sorted(found, key=lambda one: one.header_offset)
    ends = [one.header_offset for one in ordered[1:]] + [directory]
    for one, end in zip(ordered, ends, strict=False):
        if one.header_offset + 30 + len(one.orig_filename) + one.compress_size > end:
            raise BrokenError("entries in it share bytes: it was made to unpack to more than it holds")


def zip_problem(one: zipfile.ZipInfo) -> str:
    """Why an entry is not read, as a sentence's rest; "" where nothing speaks against it."""
    if one.flag_bits & 0x1:
        return "it is encrypted"
    if one.create_system == 3 and (one.external_attr >> 28) not in (0, 0o10):  # made on Unix: 0o10 is a plain file
        return "it is a link, a device or a pipe"
    return "" if one.compress_type in _UNPACKS else "it is packed in a way that is not read"


def _zip_moment(one: zipfile.ZipInfo) -> datetime | None:
    """The time in UTC, where an entry has it; the time that all have is local, and of an unknown zone."""
    extra = one.extra
    while len(extra) >= 4:
        kind, length = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        if kind == _EXTENDED_TIME and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            return _moment(int.from_bytes(extra[5:9], "little", signed=True))
        extra = extra[4 + length :]
    return None
