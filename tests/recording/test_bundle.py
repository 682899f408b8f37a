"""A bundle comes from strangers: what is not as it says is refused, and nothing of it becomes a path."""

import gzip
import io
import json
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from auditor.model import EndpointKind, Exchange
from auditor.recording import bundle as bundles
from auditor.recording.bundle import MANIFEST, About, BundleError, Lines, line_of, read_bundle, read_files, write_bundle
from auditor.recording.checking import check

EXCHANGE = Exchange("GET volumes", "GET", "/api/2.15/volumes?limit=1000", b"", 200, {"date": "x"}, b'{"items":[{"name":"abc"}]}')


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.tar.gz"
    lines = io.BytesIO(line_of(EXCHANGE, 0.5))
    write_bundle([Lines("fa-x", EndpointKind.FLASHARRAY, lines, 1)], About([{"devices": "naa.x*", "model": "DX90"}]), "readable", path)
    return path


def rewritten(bundle: Path, **files: bytes | None) -> Path:
    """The bundle with other files in it, and the digests of its manifest as they were."""
    content: dict[str, bytes | None] = {**read_files(bundle), **files}
    packed(bundle, {name: data for name, data in content.items() if data is not None})
    return bundle


def packed(path: Path, files: dict[str, bytes]) -> None:
    with gzip.open(path, "wb") as out, tarfile.open(fileobj=out, mode="w|") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


def test_what_was_written_is_read(bundle: Path) -> None:
    read = read_bundle(bundle)
    assert [(one.name, one.kind, [recorded.exchange for recorded in one.exchanges]) for one in read.endpoints] == [
        ("fa-x", EndpointKind.FLASHARRAY, [EXCHANGE])
    ]
    assert read.about.declared == [{"devices": "naa.x*", "model": "DX90"}]


def test_a_bundle_is_not_written_over(bundle: Path) -> None:
    with pytest.raises(BundleError, match="cannot be written"):
        write_bundle([], About(), "", bundle)


def test_a_changed_file_is_refused(bundle: Path) -> None:
    with pytest.raises(BundleError, match="is not as it was written"):
        read_bundle(rewritten(bundle, **{"exchanges/0000.jsonl": line_of(EXCHANGE, 1.0)}))


def test_a_file_that_is_not_listed_is_refused(bundle: Path) -> None:
    with pytest.raises(BundleError, match="not those that manifest"):
        read_bundle(rewritten(bundle, **{"../../.ssh/authorized_keys": b"x"}))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE], ids=["symlink", "link", "folder", "pipe"]
)
def test_only_regular_files_are_read(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "b.tar.gz"
    with gzip.open(path, "wb") as out, tarfile.open(fileobj=out, mode="w|") as tar:
        entry = tarfile.TarInfo(MANIFEST)
        entry.type, entry.linkname = kind, "/etc/passwd"
        tar.addfile(entry)
    with pytest.raises(BundleError, match="something else than one regular file"):
        read_bundle(path)


def test_a_bundle_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "LARGEST_FILE", 100)
    with pytest.raises(BundleError, match="when unpacked"):
        read_bundle(bundle)


def test_a_bundle_that_is_too_large_is_not_opened(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "LARGEST_BUNDLE", 10)
    with pytest.raises(BundleError, match="larger than"):
        read_bundle(bundle)


@pytest.mark.parametrize(
    "text", [b"", b"not a tar", gzip.compress(b"not a tar"), b"\x1f\x8b\x08"], ids=["empty", "text", "packed text", "torn"]
)
def test_what_is_no_bundle_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "b").write_bytes(text)
    with pytest.raises(BundleError):
        read_bundle(tmp_path / "b")


@pytest.mark.parametrize(
    "manifest",
    [
        b"[]",
        b"{}",
        b'{"format": 2}',
        b'{"format": 1, "made_by": "", "endpoints": [{"kind": "toaster"}], "sha256": {}}',
        b'{"format": 1, "endpoints": 3}',
    ],
    ids=["a list", "empty", "another format", "an unknown kind", "no list"],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, manifest: bytes) -> None:
    packed(tmp_path / "b", {MANIFEST: manifest})
    with pytest.raises(BundleError):
        read_bundle(tmp_path / "b")


@pytest.mark.parametrize("line", [b"{}", b'{"at": "x"}', b"[1]", b"x"], ids=["empty", "of other types", "a list", "no JSON"])
def test_an_exchange_that_makes_no_sense_is_refused(bundle: Path, line: bytes) -> None:
    with pytest.raises(BundleError, match="makes no sense"):
        read_bundle(forged(bundle, line))


def forged(bundle: Path, content: bytes) -> Path:
    """The bundle with another file of exchanges, and digests that fit."""
    files = read_files(bundle)
    manifest = json.loads(files[MANIFEST])
    manifest["sha256"]["exchanges/0000.jsonl"] = sha256(content).hexdigest()
    packed(bundle, {**files, MANIFEST: json.dumps(manifest).encode(), "exchanges/0000.jsonl": content})
    return bundle


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        pytest.param('{"initiatorSecret":"abcdefghijkl"}', "a secret in JSON", id="a CHAP secret"),
        pytest.param("<Login><password>abc</password></Login>", "a password in XML", id="a password"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----", "a private key", id="a key"),
        pytest.param("Authorization: Basic YXVkaXRvcjpzZWNyZXQ=", "credentials of a request", id="basic authentication"),
        pytest.param('Set-Cookie: vmware_soap_session="52b1"', "a cookie", id="a cookie"),
        pytest.param("session[52d1f3a4-1111-2222-3333-444455556666]52aa", "a session's id", id="a session"),
    ],
)
def test_the_check_notices_what_looks_like_a_secret(bundle: Path, answer: str, what: str) -> None:
    leaking = Exchange("Login", "POST", "/sdk", b"", 200, {}, answer.encode())
    assert [what in problem for problem in check(forged(bundle, line_of(leaking, 0.0)), {}).problems] == [True]


def test_the_check_finds_no_secret_where_there_is_none(bundle: Path) -> None:
    harmless = b'{"password":null,"secretLengthMax":16,"initiatorSecret":"***","chap":{"host_password":null}}'
    answer = Exchange("GetLimits", "POST", "/json-rpc/12.3", b"", 200, {}, harmless)
    assert check(forged(bundle, line_of(answer, 0.0)), {}).problems == ()


def test_the_check_finds_originals_by_whole_words(bundle: Path) -> None:
    leaking = Exchange("GET", "GET", "/", b"", 200, {}, b'{"a":"on payroll-01, not","b":"payroll-012"}')
    originals = {"names": {"payroll-01": "abcdefg-37", "payroll-0": "x", "unseen name": "y"}, "replaced": {}}
    assert check(forged(bundle, line_of(leaking, 0.0)), originals).problems == ("the original 'payroll-01' is in it",)
