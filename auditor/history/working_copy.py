"""A state directory on an object store: a private working copy on this machine, into which commands fetch what they need.

The layout on the store is that of a state directory: `runs/RUN/...` and `baseline.parquet`. A run is there when its `run.json` is, which is
written last and removed first. Its files are written once and never changed, but for the exit code in `run.json`. Journals are never there:
they need a file system (docs/design/object-stores.md).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_bytes, read_json
from auditor.bounds.limits import STATE_BYTES
from auditor.errors import ConfigurationError, StoreError
from auditor.history.folders import BASELINE_FILE, JOURNAL_FOLDER, RUN_FILE, RUNS_FOLDER, SPILL_FOLDER
from auditor.history.run_names import RUN_ID
from auditor.history.running import OWNER_FILE
from auditor.report.files import written_whole
from auditor.store.address import Address, place_of
from auditor.system.files import put_in_place
from auditor.system.folders import cache_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.store.objects import ObjectStore

STORE_FILE = "store.json"
"""In a working copy: the address that it is of."""
UNFETCHED_FILE = ".unfetched"
"""In a run of a working copy: the files of it that are on the store alone, by their names in the run; empty: they were not listed yet."""
SENT_FILE = ".sent"
"""In a run of a working copy: it is on the store, whole."""
UPLOAD_TAKES = timedelta(days=1)
"""What lies on a store without its `run.json` for longer than this is of an upload that was cut off. Source: this project."""
_OWN = frozenset({UNFETCHED_FILE, SENT_FILE, OWNER_FILE})
_SAME_STORE = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_PROFILE"),
    "gs": ("STORAGE_EMULATOR_HOST",),
    "abfs": ("AZURE_STORAGE_ACCOUNT_NAME",),
    "memory": (),
}
"""What in the environment says which store a bucket's name is of."""


def working_copy(address: Address) -> Path:
    """The folder of this machine that is the working copy of `address`, made if need be (mode 0700).

    Raises:
        ConfigurationError: it cannot be made.
    """
    folder = cache_home() / "stores"
    about = [str(address), *(os.environ.get(name, "") for name in _SAME_STORE[address.scheme])]
    state = folder / hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (state / STORE_FILE).exists():
            with written_whole(state / STORE_FILE, mode=0o600) as out:
                json.dump({"address": str(address)}, out)
    except OSError as error:
        raise ConfigurationError(
            f"cannot keep a working copy of {address} in {folder}: {error.strerror or error}",
            why="nothing was read or judged.",
            do="let this account write there, or name another folder in XDG_CACHE_HOME.",
        ) from error
    return state


def address_of(state: Path) -> Address | None:
    """The address that a state directory is the working copy of; None where it is one of its own."""
    try:
        record = read_json(state / STORE_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    place = place_of(record["address"])
    return place if isinstance(place, Address) else None


def pull(state: Path, *, to_read: bool) -> None:
    """Make a working copy as the store is: the list of runs and the baseline. Runs that could not be sent before are sent first.

    Args:
        state: the working copy.
        to_read: the command keeps nothing: a run that cannot be sent waits for one that does.

    Raises:
        StoreError: the store cannot be read, or, unless `to_read`, not written.
    """
    store = _store(state)
    if store is None:
        return
    store.check_bucket()
    runs = state / RUNS_FOLDER
    runs.mkdir(mode=0o700, exist_ok=True)
    for directory in _unsent(runs):
        try:
            send_run(directory)
        except StoreError:
            if not to_read:
                raise
    names = {name for name in store.folders(RUNS_FOLDER) if RUN_ID.fullmatch(name)}
    wanted = {_key(name): name for name in names if not _is_settled(runs / name)}
    found = store.read([*wanted, BASELINE_FILE])
    _put(state / BASELINE_FILE, found.get(BASELINE_FILE))
    for key, name in wanted.items():
        if key in found:
            _keep_head(runs / name, found[key])
    there = names - {name for key, name in wanted.items() if key not in found}
    for directory in _runs(runs):
        if (directory / SENT_FILE).exists() and directory.name not in there:
            shutil.rmtree(directory, ignore_errors=True)  # removed by another machine


def fetch(directory: Path, wanted: Callable[[str], bool] = lambda _name: True) -> None:
    """Fetch files of a run that are on the store alone; nothing where the run is whole on this machine.

    Args:
        directory: of the run.
        wanted: whether a file is wanted, by its name in the run, for example `snapshot/host.parquet`.

    Raises:
        StoreError: the store cannot be read, or the run is not there any more.
    """
    marker = directory / UNFETCHED_FILE
    try:
        listed: list[str] = read_json(marker)
    except FileNotFoundError:
        return
    store = _store(directory.parent.parent)
    if store is None:
        return
    start = f"{RUNS_FOLDER}/{directory.name}/"
    if not listed:
        keys = store.sizes(start.rstrip("/"))
        if start + RUN_FILE not in keys:
            raise _removed(directory, store.address)
        listed = [key.removeprefix(start) for key in keys if key != start + RUN_FILE]
    now = [name for name in listed if wanted(name) and ".." not in name.split("/")]
    store.get({start + name: directory / name for name in now})
    left = sorted(set(listed) - set(now))
    if left:
        with written_whole(marker, mode=0o600) as out:
            json.dump(left, out)
    else:
        marker.unlink(missing_ok=True)


def send_run(directory: Path) -> None:
    """Send a finished run of a working copy to its store, `run.json` last; nothing of another state directory.

    Raises:
        StoreError: the store refuses it; the run stays here, and the next command sends it.
    """
    store = _store(directory.parent.parent)
    if store is None or not (directory / RUN_FILE).exists():
        return
    files = {
        f"{RUNS_FOLDER}/{directory.name}/{name}": directory / name
        for path in sorted(directory.rglob("*"))
        if path.is_file() and (name := path.relative_to(directory).as_posix()) not in _OWN and not name.startswith(SPILL_FOLDER)
    }
    try:
        if (directory / SENT_FILE).exists():
            store.write(_key(directory.name), read_bytes(directory / RUN_FILE, STATE_BYTES))
        else:
            store.put(files, last=_key(directory.name))
    except StoreError as error:
        raise StoreError(
            f"{error.what}; run {directory.name} is kept in {directory}",
            why="another machine does not see it yet. What was read and judged is not lost.",
            do=f"{error.do} The next command with this --state-dir sends it.",
        ) from None
    (directory / SENT_FILE).touch(mode=0o600)


def sent_notice(directory: Path) -> tuple[str, ...]:
    """Send a finished run, and a sentence where that failed."""
    try:
        send_run(directory)
    except StoreError as error:
        return (f"This run could not be sent: {error.what}. {error.do}",)
    return ()


def send_baseline(state: Path) -> None:
    """Send the baseline of a working copy, or remove it there; nothing of another state directory.

    Raises:
        StoreError: the store refuses it; the one before stays in force.
    """
    store = _store(state)
    if store is None:
        return
    path = state / BASELINE_FILE
    if path.exists():
        store.write(BASELINE_FILE, read_bytes(path, STATE_BYTES))
    else:
        store.remove([BASELINE_FILE])


def run_sizes(state: Path) -> dict[str, int]:
    """The bytes of every run on the store of a working copy, by its id; {} of another state directory."""
    store = _store(state)
    sizes: dict[str, int] = {}
    if store is not None:
        for key, size in store.sizes(RUNS_FOLDER).items():
            run = key.split("/")[1]
            sizes[run] = sizes.get(run, 0) + size
    return sizes


def check_prunable(state: Path) -> None:
    """Refuse to remove runs of a store on which somebody has put journals, which a working copy does not look at.

    Raises:
        ConfigurationError: there are journals.
    """
    store = _store(state)
    if store is not None and store.folders(JOURNAL_FOLDER):
        raise ConfigurationError(
            f"{store.address} holds journals",
            why="no run was removed: what could still be undone is in them, and they are used from a folder alone.",
            do=f"copy that state to a folder and prune it there, or remove {store.address}/{JOURNAL_FOLDER}/ if nobody needs to undo.",
        )


def remove_from_store(state: Path, run_id: str) -> None:
    """Remove a run of a working copy from its store, `run.json` first, so that it is never shown in part."""
    store = _store(state)
    if store is not None:
        store.remove([_key(run_id)])
        store.remove(list(store.sizes(f"{RUNS_FOLDER}/{run_id}")))


def remove_torn(state: Path, now: datetime) -> None:
    """Remove what uploads and removals that were cut off have left on the store of a working copy."""
    store = _store(state)
    if store is None:
        return
    objects = store.sizes(RUNS_FOLDER)
    for name in sorted({key.split("/")[1] for key in objects}):
        match = RUN_ID.fullmatch(name)
        if match is None or _key(name) in objects:
            continue
        if now - datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) > UPLOAD_TAKES:
            store.remove([key for key in objects if key.startswith(f"{RUNS_FOLDER}/{name}/")])


def _store(state: Path) -> ObjectStore | None:
    address = address_of(state)
    if address is None:
        return None
    from auditor.store.objects import ObjectStore

    return ObjectStore(address)


def _removed(directory: Path, address: Address) -> StoreError:
    """Forget a run that is not on the store any more, and the error to raise."""
    shutil.rmtree(directory, ignore_errors=True)
    return StoreError(
        f"run {directory.name} is not on {address} any more",
        why="another machine has removed it since it was listed here.",
        do="`auditor runs list` names the runs that are left.",
    )


def _key(run_id: str) -> str:
    return f"{RUNS_FOLDER}/{run_id}/{RUN_FILE}"


def _runs(folder: Path) -> list[Path]:
    return [entry for entry in sorted(folder.iterdir()) if RUN_ID.fullmatch(entry.name) and entry.is_dir()]


def _unsent(folder: Path) -> list[Path]:
    return [one for one in _runs(folder) if (one / RUN_FILE).exists() and not (one / SENT_FILE).exists()]


def _is_settled(directory: Path) -> bool:
    """Whether the `run.json` that is here has the exit code, after which it is never written again."""
    try:
        return read_json(directory / RUN_FILE).get("exit_code") is not None
    except (OSError, ValueError, AttributeError):
        return False


def _keep_head(directory: Path, content: bytes) -> None:
    """Note a run that is on the store: its `run.json`, and, where it is new here, that its files are still there alone."""
    directory.mkdir(mode=0o700, exist_ok=True)
    if not (directory / RUN_FILE).exists():
        (directory / UNFETCHED_FILE).write_text("[]", encoding="utf-8")
    (directory / SENT_FILE).touch(mode=0o600)
    _put(directory / RUN_FILE, content)


def _put(path: Path, content: bytes | None) -> None:
    """Write a file whole, or remove it where there is no content."""
    if content is None:
        path.unlink(missing_ok=True)
        return
    with suppress(FileNotFoundError):
        if read_bytes(path, STATE_BYTES) == content:
            return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    partial.write_bytes(content)
    partial.chmod(0o600)
    put_in_place(partial, path)
