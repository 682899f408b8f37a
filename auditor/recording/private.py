"""What stays with the user: the key that replacements are made by, and what was replaced. Both are for this account's eyes only."""

from __future__ import annotations

import json
import os
import secrets
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_json, read_text
from auditor.bounds.limits import SECRET_BYTES
from auditor.errors import ConfigurationError
from auditor.system.files import opened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY_FILE = "recording.key"
ORIGINALS_FOLDER = "recordings"
_KEY_BYTES = 32


def recording_key(path: Path) -> bytes:
    """The key in the file `path`; made on first use, with mode 0600.

    Raises:
        ConfigurationError: it cannot be made or read, or is none.
    """
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, secrets.token_hex(_KEY_BYTES) + "\n")
        key = bytes.fromhex(read_text(path, SECRET_BYTES, encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise _no_key(path, error.strerror or "" if isinstance(error, OSError) else "it is no hexadecimal number") from None
    if len(key) < _KEY_BYTES:
        raise _no_key(path, f"it is shorter than {_KEY_BYTES} bytes")
    return key


def write_private(path: Path, text: str) -> None:
    """Write a file that only this account may read, in place of an older one."""
    path.unlink(missing_ok=True)
    with os.fdopen(opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as out:
        out.write(text)


def originals_path(state: Path, bundle: Path) -> Path:
    """Where it is kept what a bundle's replacements stand for."""
    return state / ORIGINALS_FOLDER / f"{bundle.name}.originals.json"


def write_originals(path: Path, originals: Mapping[str, Any]) -> None:
    """Keep what was replaced."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, json.dumps(originals, ensure_ascii=False))


def load_originals(path: Path) -> dict[str, Any]:
    """What was replaced in a bundle of this account's; empty where nothing is kept about it."""
    if not path.exists():
        return {}
    loaded = read_json(path)
    return loaded if isinstance(loaded, dict) else {}


def _no_key(path: Path, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"the key of recordings cannot be used: {path}: {reason}",
        why="nothing was recorded: names are replaced by it.",
        do="name another file with --key; it is made if it is not there.",
    )
