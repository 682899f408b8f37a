"""Objects are read and written whole, and what a store refuses is an error that says what to do."""

import re
import sys
from pathlib import Path

import fsspec
import pytest

from auditor.errors import ConfigurationError, StoreError
from auditor.store.address import Address
from auditor.store.objects import ObjectStore


def test_what_was_put_is_listed_read_fetched_and_removed(address: Address, tmp_path: Path) -> None:
    store = ObjectStore(address)
    (tmp_path / "a").write_bytes(b"first")
    (tmp_path / "b").write_bytes(b"second")
    store.put({"runs/1/a": tmp_path / "a", "runs/2/b": tmp_path / "b"}, last="runs/2/b")
    assert store.folders("runs") == ["1", "2"]
    assert store.sizes("runs") == {"runs/1/a": 5, "runs/2/b": 6}
    assert store.read(["runs/1/a", "runs/9/none"]) == {"runs/1/a": b"first"}
    store.get({"runs/2/b": tmp_path / "new" / "b"})
    assert (tmp_path / "new" / "b").read_bytes() == b"second"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["b"]
    store.remove(["runs/1/a"])
    store.remove(["runs/1/a"])
    assert store.sizes() == {"runs/2/b": 6}


def test_the_last_object_is_written_when_all_others_are_there(address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: object, **__: object) -> None:
        raise ConnectionResetError

    for name in ("a", "b", "manifest"):
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "pipe_file", cut_off)
    store = ObjectStore(address)
    with pytest.raises(StoreError):
        store.put({"manifest": tmp_path / "manifest", "a": tmp_path / "a", "b": tmp_path / "b"}, last="manifest")
    assert store.sizes() == {"a": 1, "b": 1}


def test_nothing_is_there_at_first(address: Address) -> None:
    store = ObjectStore(address)
    assert (store.folders("runs"), store.sizes(), store.read(["x"]), store.read([])) == ([], {}, {}, {})


@pytest.mark.parametrize(
    ("failure", "what", "do"),
    [
        pytest.param(PermissionError("signed hunter2"), "refuses it .403.", "rights", id="403"),
        pytest.param(FileNotFoundError("hunter2"), "no such bucket", "make the bucket", id="no bucket"),
        pytest.param(TimeoutError("hunter2"), "did not answer in time", "firewall", id="slow"),
        pytest.param(OSError("hunter2"), "OSError of its client", "log", id="anything else"),
    ],
)
def test_what_a_store_refuses_says_what_to_do_and_repeats_nothing_of_its_answer(
    address: Address, monkeypatch: pytest.MonkeyPatch, failure: OSError, what: str, do: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "pipe_file", refuse)
    with pytest.raises(StoreError, match=what) as refused:
        ObjectStore(address).write("x", b"x")
    assert do in refused.value.do
    assert "memory://bucket/state" in refused.value.what
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(("scheme", "client", "extra"), [("gs", "gcsfs.core", "gcs"), ("abfs", "adlfs", "azure")])
def test_a_store_whose_client_is_not_installed_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, scheme: str, client: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, client, None)
    with pytest.raises(ConfigurationError) as refused:
        ObjectStore(Address(scheme, "bucket")).write("x", b"x")
    assert re.match(rf'python3 -m pip install "auditor-[0-9.]+-py3-none-any\.whl\[{extra}\]", ', refused.value.do)
