"""A plugin of pytest that takes from auditor what Windows lacks: ``pytest -p tests.portable``, `make portable`.

Modules of auditor and of its lab do not find POSIX's modules, nor the names that `os`, `signal`, `select` and `time` lack there. Tests,
libraries and Python itself have all of them. `msvcrt` is stood in for, as its locks are what the journal has on Windows. A test that is
about what POSIX alone has says so by the marker `posix_only`, and is left out. Processes that tests start are as they always are.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import importlib
import sys
from types import ModuleType
from typing import Any

import pytest

from tests.windows_lacks import LACKING, ON_POSIX

_import = builtins.__import__


class Lacking(ModuleType):
    """A module as Windows has it."""

    def __getattr__(self, name: str) -> Any:
        if name in LACKING[self.__name__]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return getattr(sys.modules[self.__name__], name)


def is_portable(module: str) -> bool:
    """Whether a module has to do without POSIX."""
    return module.partition(".")[0] in ("auditor", "auditor_lab") and not module.startswith(ON_POSIX)


def _locking(descriptor: int, _mode: int, _count: int) -> None:
    """Source: Microsoft, _locking: EACCES where another handle has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise PermissionError(errno.EACCES, "Permission denied") from error


_stand_in: Any = ModuleType("msvcrt")
_stand_in.locking, _stand_in.LK_NBLCK = _locking, 2
_instead: dict[str, ModuleType] = {"msvcrt": _stand_in, **{name: Lacking(name) for name in LACKING if name != "modules"}}


def _importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002  Python's names
    if level == 0 and globals and is_portable(str(globals.get("__name__"))):
        top = name.partition(".")[0]
        if top in LACKING["modules"]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if top in _instead:
            return _instead[top]
    return _import(name, globals, locals, fromlist, level)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if item.get_closest_marker("posix_only")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


_early = [name for name in sys.modules if is_portable(name)]
if _early:
    raise pytest.UsageError(f"imported before tests.portable: {', '.join(_early[:3])}")
for _name in LACKING.keys() - {"modules"}:
    importlib.import_module(_name)
builtins.__import__ = _importing
