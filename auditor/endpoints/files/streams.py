"""Streams that are read once and forwards: recognised by their first bytes, and unpacked.

Python's `tarfile` unpacks without a limit when it reads a stream: 10 KB of bzip2 become gigabytes at once. Here every unpacking says how
much it wants, counts against what the file may unpack to, and checks the sum at its end.
"""

from __future__ import annotations

import bz2
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from auditor.bounds.limits import EVIDENCE_HELD_BYTES, EVIDENCE_RATIO, EVIDENCE_UNPACKED_BYTES, EVIDENCE_UNPACKED_LEAST

CHUNK_BYTES = 1 << 18
HEAD_BYTES = 512
"""What is looked at to see what bytes are: a header of tar."""
_LONGEST_LINE_BYTES = 32 << 20
_XZ_MEMORY_BYTES = 128 << 20  # xz -9 needs 65 MiB; a file may ask for 4 GiB

_MAGIC = ((b"\x1f\x8b\x08", "gz"), (b"BZh", "bz2"), (b"\xfd7zXZ\0", "xz"), (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"))


class BrokenError(Exception):
    """Bytes are not what they begin as; the text says in which way."""


class SpentError(Exception):
    """A file takes more than it may; the text says of what. Nothing more is read of it."""


BROKEN = (BrokenError, OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError)
"""What reading a packed file raises where it is not whole, or of a form that is not read."""


@dataclass(slots=True)
class Budget:
    """What is left of what one file may take.

    Args:
        unpacked: bytes that may still be unpacked.
        held: bytes that may still be held or given out.
    """

    unpacked: int
    held: int = EVIDENCE_HELD_BYTES

    @classmethod
    def of(cls, size_bytes: int) -> Budget:
        """What a file of that size may take."""
        return cls(min(EVIDENCE_UNPACKED_BYTES, max(EVIDENCE_UNPACKED_LEAST, EVIDENCE_RATIO * size_bytes)))

    def unpack(self, size_bytes: int) -> None:
        """Take that much of what may be unpacked; raises SpentError."""
        self.unpacked -= size_bytes
        if self.unpacked < 0:
            raise SpentError(
                f"it unpacks to more than {EVIDENCE_RATIO} times its size and {EVIDENCE_UNPACKED_LEAST >> 30} GiB, "
                f"or to more than {EVIDENCE_UNPACKED_BYTES >> 30} GiB"
            )

    def hold(self, size_bytes: int) -> None:
        """Take that much of what may be held; raises SpentError."""
        self.held -= size_bytes
        if self.held < 0:
            raise SpentError(f"what is wanted of it has more than {EVIDENCE_HELD_BYTES >> 20} MiB")


class Stream:
    """Bytes that are read forwards; the first can be looked at before.

    Args:
        read: gives up to that many bytes, and none at the end.
        end: how many bytes there are; None where only their end shows it.
    """

    def __init__(self, read: Callable[[int], bytes], end: int | None = None) -> None:
        self._read, self._left = read, end
        self._buffer, self._at = b"", 0

    def peek(self) -> bytes:
        """The first bytes of what is left: HEAD_BYTES, or all that there are."""
        while len(self._buffer) - self._at < HEAD_BYTES and (part := self._next(CHUNK_BYTES)):
            self._buffer, self._at = self._buffer[self._at :] + part, 0
        return self._buffer[self._at : self._at + HEAD_BYTES]

    def some(self, most: int) -> bytes:
        """Up to that many bytes; none at the end."""
        if self._at == len(self._buffer):
            if most >= CHUNK_BYTES:
                return self._next(most)
            self._buffer, self._at = self._next(CHUNK_BYTES), 0
        part = self._buffer[self._at : self._at + most]
        self._at += len(part)
        return part

    def upto(self, most: int) -> bytes:
        """That many bytes, or all that there are."""
        parts = []
        while most and (part := self.some(min(most, CHUNK_BYTES))):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)

    def skip(self) -> None:
        """Read to the end, and keep nothing."""
        while self.some(CHUNK_BYTES):
            pass

    def _next(self, most: int) -> bytes:
        if self._left is None:
            return self._read(most)
        part = self._read(min(most, self._left)) if self._left else b""
        if self._left and not part:
            raise BrokenError("it is cut off within a member")
        self._left -= len(part)
        return part


class Lines:
    """The lines of a stream with their ends, one after another.

    Args:
        content: what is read; bytes that are no UTF-8 become U+FFFD.
        most: how many bytes there may be; behind them the lines end, and `is_too_long` is true.

    Attributes:
        is_too_long: whether there were more.
    """

    def __init__(self, content: Stream, most: int) -> None:
        self._content, self._left = content, most
        self.is_too_long = False

    def __iter__(self) -> Iterator[str]:
        """Yield every line; raises ValueError for one that is too long."""
        begun: list[bytes] = []
        while chunk := self._content.some(CHUNK_BYTES):
            self._left -= len(chunk)
            if self._left < 0:
                self.is_too_long = True
                return
            for piece in chunk.splitlines(keepends=True):
                begun.append(piece)
                if piece.endswith((b"\n", b"\r")):
                    yield b"".join(begun).decode("utf-8", "replace")
                    begun = []
            if sum(map(len, begun)) > _LONGEST_LINE_BYTES:
                raise ValueError(f"a line of it has more than {_LONGEST_LINE_BYTES >> 20} MiB")
        if begun:
            yield b"".join(begun).decode("utf-8", "replace")


def kind_of(head: bytes) -> str:
    """What begins with these bytes: "gz", "bz2", "xz", "zip", "tar", or "" for anything else."""
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    return kind or ("tar" if head[257:262] == b"ustar" else "")


def unpacked(packed: Stream, kind: str, budget: Budget) -> Stream:
    """What is packed in a stream of gzip, bzip2 or xz.

    Reading it raises one of BROKEN where it is cut off or its sum is wrong, and SpentError where it is too much.
    """
    return Stream(_Unpacking(packed, kind, budget).read)


class _Unpacking:
    """Unpacks one packed part after another: `cat a.gz b.gz` is a file of gzip as well."""

    def __init__(self, packed: Stream, kind: str, budget: Budget) -> None:
        self._packed, self._kind, self._budget = packed, kind, budget
        self._engine: _Engine | None = self._new()
        self._pending, self._broken = b"", ""

    def read(self, most: int) -> bytes:
        while (engine := self._engine) is not None:
            data, self._pending = self._pending or (self._packed.some(CHUNK_BYTES) if engine.needs_input else b""), b""
            hungry = engine.needs_input and not data
            part = self._part(engine, data, most)
            if engine.eof:
                self._next(engine.unused_data)
            elif hungry and not part:
                raise EOFError("it is cut off")
            if part:
                self._budget.unpack(len(part))
                return part
        return b""

    def _part(self, engine: _Engine, data: bytes, most: int) -> bytes:
        if self._broken:
            raise BrokenError(self._broken)
        try:
            return engine.decompress(data, most)
        except BROKEN as error:
            self._broken = str(error)  # a reader that goes on is told again: decompressors differ in what they do then
            raise

    def _next(self, rest: bytes) -> None:
        """Go on with the packed part that follows; padding of zeros, or anything else, ends it, as `gzip -d` has it."""
        while len(rest) < HEAD_BYTES and (more := self._packed.some(HEAD_BYTES)):
            rest += more
        self._pending = rest
        self._engine = self._new() if kind_of(rest) == self._kind else None

    def _new(self) -> _Engine:
        if self._kind == "gz":
            return _Deflate()
        return bz2.BZ2Decompressor() if self._kind == "bz2" else lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)


class _Deflate:
    """The decompressor of gzip, in the form that those of bzip2 and xz have; zlib compares sum and length at the end."""

    def __init__(self) -> None:
        self._engine = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def needs_input(self) -> bool:
        return not self._engine.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._engine.eof

    @property
    def unused_data(self) -> bytes:
        return self._engine.unused_data

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._engine.decompress(self._engine.unconsumed_tail + data, most)


_Engine = _Deflate | bz2.BZ2Decompressor | lzma.LZMADecompressor
