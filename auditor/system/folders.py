"""Where an account keeps what programs write: state, what can be made again, and settings.

platformdirs is not used: on macOS it names other folders than the XDG ones, and runs that are kept there would not be found any more.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.system import on_windows

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRESENT = {"STATE": "~/.local/state", "CACHE": "~/.cache", "CONFIG": "~/.config"}


def state_home(environment: Mapping[str, str] | None = None) -> Path:
    r"""``$XDG_STATE_HOME/auditor``, by default ``~/.local/state/auditor``; on Windows ``%LOCALAPPDATA%\auditor\state``."""
    return _home("STATE", environment)


def cache_home() -> Path:
    """``$XDG_CACHE_HOME/auditor``, by default ``~/.cache/auditor``; macOS: ``~/Library/Caches/auditor``; Windows: in ``%LOCALAPPDATA%``."""
    return Path("~/Library/Caches/auditor").expanduser() if sys.platform == "darwin" else _home("CACHE", None)


def config_home(environment: Mapping[str, str] | None = None) -> Path:
    r"""``$XDG_CONFIG_HOME/auditor``, by default ``~/.config/auditor``; on Windows ``%LOCALAPPDATA%\auditor\config``."""
    return _home("CONFIG", environment)


def _home(what: str, environment: Mapping[str, str] | None) -> Path:
    """Source: XDG Base Directory Specification 0.8: a relative path in the variable is to be ignored; Microsoft, FOLDERID_LocalAppData."""
    known = os.environ if environment is None else environment
    named = known.get(f"XDG_{what}_HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "auditor"
    if on_windows():
        return Path(known.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "auditor" / what.lower()
    return Path(_PRESENT[what]).expanduser() / "auditor"
