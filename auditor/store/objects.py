"""Reads, writes, lists and removes the objects of one address. An object is there whole or not at all: a store's PUT is atomic."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_bytes
from auditor.bounds.limits import STATE_BYTES
from auditor.store.clients import open_client
from auditor.store.failures import failures_of, is_refusal, missing_client, translated
from auditor.system.files import put_in_place

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from auditor.store.address import Address

_NOTHING_READ = "nothing was read from there."
_NOT_KEPT = "what should be kept there is not."


class ObjectStore:
    """The objects under one address, by their keys relative to it."""

    def __init__(self, address: Address) -> None:
        self.address = address

    def check_bucket(self) -> None:
        """Refuse an address in a bucket that is not there: nothing of it should be taken for empty."""
        with translated(self.address, "find", _NOTHING_READ):
            self._look_for_bucket()

    def folders(self, folder: str) -> list[str]:
        """The names of what lies directly in `folder`, sorted; [] where there is none of that name."""
        with translated(self.address, "list", _NOTHING_READ):
            try:
                entries = self._fs.ls(self._key(folder), detail=False)
            except FileNotFoundError:
                self._look_for_bucket()
                return []
        return sorted({name for entry in entries if (name := entry.rstrip("/").rpartition("/")[2])} - {folder.rpartition("/")[2]})

    def sizes(self, folder: str = "") -> dict[str, int]:
        """The size in bytes of every object under `folder`, by its key; {} where there is none."""
        with translated(self.address, "list", _NOTHING_READ):
            try:
                found = self._fs.find(self._key(folder), detail=True)
            except FileNotFoundError:
                found = {}
        start = len(self._root) + 1
        return {key[start:]: int(about["size"] or 0) for key, about in sorted(found.items()) if about["type"] == "file"}

    def read(self, keys: Collection[str]) -> dict[str, bytes]:
        """The objects of these keys, read at once; those that are not there are left out."""
        if not keys:
            return {}
        found: dict[str, bytes] = {}
        with translated(self.address, "read", _NOTHING_READ):
            wanted = {self._key(key): key for key in keys}
            answers = self._fs.cat(list(wanted), on_error="return")
            if isinstance(answers, bytes):
                answers = {next(iter(wanted)): answers}
            for key, answer in answers.items():
                if isinstance(answer, FileNotFoundError):
                    continue
                if isinstance(answer, Exception):
                    raise answer
                found[wanted[key]] = answer
        return found

    def get(self, files: Mapping[str, Path]) -> None:
        """Write objects to files, at once; a file gets its name when it is whole. Folders are made as they are needed."""
        if not files:
            return
        for path in files.values():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = {key: path.with_name(f".{path.name}.{secrets.token_hex(4)}.part") for key, path in files.items()}
        try:
            with translated(self.address, "read", _NOTHING_READ):
                self._fs.get([self._key(key) for key in files], [str(path) for path in partial.values()])
            for key, path in files.items():
                put_in_place(partial[key], path)
        finally:
            for path in partial.values():
                path.unlink(missing_ok=True)

    def put(self, files: Mapping[str, Path], last: str | None = None) -> None:
        """Write files to objects, at once; the one under the key `last` after all others are there."""
        first = {key: path for key, path in files.items() if key != last}
        with translated(self.address, "write to", _NOT_KEPT):
            if first:
                self._fs.put([str(path) for path in first.values()], [self._key(key) for key in first])
            if last is not None:
                self._fs.pipe_file(self._key(last), read_bytes(files[last], STATE_BYTES))

    def write(self, key: str, content: bytes) -> None:
        """Write one object."""
        with translated(self.address, "write to", _NOT_KEPT):
            self._fs.pipe_file(self._key(key), content)

    def remove(self, keys: Collection[str]) -> None:
        """Remove objects; one that is not there is none."""
        there = [key for key in keys if key]
        if not there:
            return
        with translated(self.address, "remove from", "it and what comes after it stay."):
            try:
                self._fs.rm([self._key(key) for key in there])
            except FileNotFoundError:
                left = [key for key in there if self._fs.exists(self._key(key))]
                if left and len(left) < len(there):
                    self._fs.rm([self._key(key) for key in left])

    def _look_for_bucket(self) -> None:
        if self.address.scheme != "memory":
            try:
                self._fs.ls(self._root.partition("/")[0], detail=False)
            except failures_of(self.address.scheme) as error:
                if not is_refusal(self.address, error):  # an account may see its prefix alone
                    raise

    def _key(self, key: str) -> str:
        return f"{self._root}/{key}" if key else self._root

    @cached_property
    def _root(self) -> str:
        stripped = self._fs._strip_protocol(str(self.address))  # noqa: SLF001  what fsspec itself calls a path
        return str(stripped).rstrip("/")

    @cached_property
    def _fs(self) -> Any:
        """The file system; made without a look at the network."""
        try:
            with translated(self.address, "open", _NOTHING_READ):
                return open_client(self.address)
        except ImportError:
            raise missing_client(self.address) from None
