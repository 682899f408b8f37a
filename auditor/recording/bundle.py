"""A bundle: a gzipped tar of a manifest and one file of exchanges for each endpoint, JSON line by JSON line.

A bundle comes from strangers, so reading one is bounded: names of its files are looked up and never used as paths, sizes are capped before
and after unpacking, and what is not as the manifest says is refused.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zlib
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from auditor.bounds.files import json_of
from auditor.errors import AuditorError
from auditor.model import EndpointKind, Exchange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

FORMAT = 1
MANIFEST, READABLE = "manifest.json", "MANIFEST.md"
LARGEST_BUNDLE = 512 << 20
LARGEST_FILE = 2 << 30
LARGEST_MANIFEST = 8 << 20
_MOST_FILES = 2000
_PIECE = 1 << 20


class BundleError(AuditorError):
    """A bundle cannot be read, or is not what it says."""


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One masked exchange, and when its answer was there: seconds since the recording began."""

    exchange: Exchange
    at_seconds: float


@dataclass(frozen=True, slots=True)
class RecordedEndpoint:
    """What one endpoint answered."""

    name: str  # masked
    kind: EndpointKind
    exchanges: Sequence[RecordedExchange]


@dataclass(frozen=True, slots=True)
class Lines:
    """What one endpoint answered, as it is written: a line for each exchange."""

    name: str  # masked
    kind: EndpointKind
    file: BinaryIO
    count: int


@dataclass(frozen=True, slots=True)
class About:
    """What a manifest says besides digests.

    Attributes:
        declared: what fleet.yaml declares about devices, masked.
        nfs_servers: likewise about servers of NFS.
        policy: what the fleet is judged by: lists `params` and `waivers`, and `severity` by rule (`recording.judging`).
        counts: how much was replaced, by kind, and dropped.
        gaps: how much could not be read, by endpoint.
    """

    declared: Sequence[Mapping[str, str]] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    gaps: Mapping[str, int] = field(default_factory=dict)
    made_by: str = ""
    nfs_servers: Sequence[Mapping[str, str]] = ()
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A recording, as it is in a bundle."""

    endpoints: Sequence[RecordedEndpoint]
    about: About


def write_bundle(recorded: Sequence[Lines], about: About, readable: str, path: Path) -> None:
    """Write a new file at `path`.

    Raises:
        BundleError: there is a file of that name already, or it cannot be written.
    """
    files: dict[str, BinaryIO] = {READABLE: io.BytesIO(readable.encode())}
    endpoints = []
    for place, one in enumerate(recorded):
        name = f"exchanges/{place:04}.jsonl"
        files[name] = one.file
        endpoints.append({"name": one.name, "kind": one.kind.value, "file": name, "exchanges": one.count})
    manifest = {
        "format": FORMAT,
        "made_by": about.made_by,
        "endpoints": endpoints,
        "declared": [dict(one) for one in about.declared],
        "nfs_servers": [dict(one) for one in about.nfs_servers],
        "judged_by": dict(about.policy),
        "replaced_and_dropped": dict(about.counts),
        "gaps": dict(about.gaps),
        "sha256": {name: _digest(content) for name, content in files.items()},
    }
    everything: dict[str, BinaryIO] = {MANIFEST: io.BytesIO(json.dumps(manifest, indent=1).encode()), **files}
    try:
        with path.open("xb") as raw, gzip.GzipFile("", "wb", 6, raw, 0) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
            for name, content in everything.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = content.seek(0, io.SEEK_END), 0o600
                content.seek(0)
                tar.addfile(entry, content)
    except OSError as error:
        raise BundleError(
            f"{path} cannot be written: {error.strerror}", why="the recording was not kept.", do="name a file that does not exist yet."
        ) from None


def _digest(content: BinaryIO) -> str:
    content.seek(0)
    digest = sha256()
    while piece := content.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def read_bundle(path: Path) -> Bundle:
    """The bundle at `path`, every digest of it compared.

    Raises:
        BundleError: it cannot be read, is too large, holds what it does not list, or is not as its manifest says.
    """
    files = read_files(path)
    manifest = _manifest(path, files)
    endpoints = []
    for entry in manifest["endpoints"]:
        content = files[entry["file"]]
        exchanges = [_exchange(path, line) for line in content.splitlines() if line.strip()]
        endpoints.append(RecordedEndpoint(str(entry["name"]), EndpointKind(entry["kind"]), exchanges))
    return Bundle(
        endpoints,
        About(
            _entries(manifest, "declared"),
            manifest.get("replaced_and_dropped", {}),
            manifest.get("gaps", {}),
            str(manifest.get("made_by", "")),
            _entries(manifest, "nfs_servers"),
            _policy(path, manifest.get("judged_by")),
        ),
    )


class _Param(Struct, omit_defaults=True):
    rule: str
    name: str
    value: bool | int | float | str | list[bool | int | float | str]
    endpoint: str | None = None
    cluster: str | None = None


class _Waiver(Struct):
    rule: str
    resources: dict[str, list[str]]
    owner: str
    reason: str
    ticket: str
    expires: str
    also_unknown: bool = False


class _Policy(Struct):
    params: list[_Param] = []
    severity: dict[str, str] = {}
    waivers: list[_Waiver] = []


def _policy(path: Path, written: Any) -> dict[str, Any]:
    """What a fleet is judged by, of the form that it must have; a bundle of before has nothing of it."""
    try:
        policy = msgspec.convert(written or {}, _Policy)
    except msgspec.ValidationError as error:
        raise _refused(path, f"its {MANIFEST} says of what it is judged by: {error}") from None
    built: dict[str, Any] = msgspec.to_builtins(policy)
    return built


def _entries(manifest: Mapping[str, Any], key: str) -> list[dict[str, str]]:
    entries = manifest.get(key, [])
    return [{str(name): str(value) for name, value in one.items()} for one in entries if isinstance(one, dict)]


def read_files(path: Path) -> dict[str, bytes]:
    """The files of a bundle by name, none longer than it may be; nothing is written anywhere.

    Raises:
        BundleError: it is no bundle, or too large.
    """
    files: dict[str, bytes] = {}
    try:
        if path.stat().st_size > LARGEST_BUNDLE:
            raise _refused(path, f"it is larger than {LARGEST_BUNDLE >> 20} MiB")
        total = 0
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
            for entry in tar:
                total += max(entry.size, 0)
                if not entry.isfile() or entry.name in files or len(files) >= _MOST_FILES:
                    raise _refused(path, "it holds something else than one regular file of each name")
                if total > LARGEST_FILE:
                    raise _refused(path, f"it is larger than {LARGEST_FILE >> 30} GiB when unpacked")
                content = tar.extractfile(entry)
                files[entry.name] = content.read(entry.size) if content is not None else b""
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise _refused(path, f"it is no gzipped tar: {type(error).__name__}") from None
    return files


def _manifest(path: Path, files: Mapping[str, bytes]) -> dict[str, Any]:
    text = files.get(MANIFEST, b"")
    try:
        manifest = json_of(text) if len(text) <= LARGEST_MANIFEST else None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise _refused(path, f"its {MANIFEST} is missing, or not of format {FORMAT}")
        digests = manifest["sha256"]
        listed = {entry["file"]: EndpointKind(entry["kind"]) for entry in manifest["endpoints"]}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _refused(path, f"its {MANIFEST} makes no sense: {type(error).__name__}") from None
    if set(files) - {MANIFEST} != set(digests) or set(digests) - {READABLE} != set(listed) or len(listed) != len(manifest["endpoints"]):
        raise _refused(path, f"its files are not those that {MANIFEST} lists")
    for name, digest in digests.items():
        if sha256(files[name]).hexdigest() != digest:
            raise _refused(path, f"{name} is not as it was written")
    return manifest


class _Line(Struct):
    """One line of a file of exchanges."""

    at: float
    operation: str
    method: str
    path: str
    request: str
    status: int
    headers: dict[str, str]
    answer: str
    seconds: float = 0.0


def line_of(exchange: Exchange, at_seconds: float) -> bytes:
    """One line of a file of exchanges."""
    line = _Line(
        round(at_seconds, 3),
        exchange.operation,
        exchange.method,
        exchange.path,
        exchange.request.decode(),
        exchange.status,
        dict(exchange.headers),
        exchange.answer.decode(),
        round(exchange.seconds, 4),
    )
    return msgspec.json.encode(line) + b"\n"


def _exchange(path: Path, line: bytes) -> RecordedExchange:
    try:
        one = _LINES.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _refused(path, f"an exchange in it makes no sense: {type(error).__name__}") from None
    exchange = Exchange(
        one.operation, one.method, one.path, one.request.encode(), one.status, one.headers, one.answer.encode(), one.seconds
    )
    return RecordedExchange(exchange, one.at)


_LINES = msgspec.json.Decoder(_Line)


def _refused(path: Path, reason: str) -> BundleError:
    return BundleError(f"{path}: {reason}", why="nothing of it was used.", do="ask for the bundle again.")
