"""Archives that tests make, and what is read from them."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from auditor.endpoints.files.archives import Member, Unreadable

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


def parts(*numbers: int, name: str = "commands/info.txt") -> Tar:
    return {f"{name}.FRAG-{number:05d}": b"%d," % number for number in numbers}


def header_of(**fields: int | bytes) -> bytes:
    info = tarfile.TarInfo("x")
    for name, value in fields.items():
        setattr(info, name, value)
    return info.tobuf(tarfile.GNU_FORMAT)
