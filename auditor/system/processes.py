"""Which process this is, on which machine, and whether another one still lives."""

from __future__ import annotations

import getpass
import os
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from auditor.system import on_windows
from auditor.system.process_start import start_ticks

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MAY_BE_ASKED = 0x1000
"""PROCESS_QUERY_LIMITED_INFORMATION. Source: Microsoft, Process Security and Access Rights."""
_ACCESS_DENIED, _STILL_ACTIVE = 5, 259


def account_name() -> str:
    """Whose account this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user often has no name; Windows has no `pwd` to look in
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "an account without a name"


@cache
def this_machine() -> str:
    """What distinguishes this machine from every other one, also from one of the same name; on Linux since it booted."""
    with suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    if hasattr(os, "uname"):
        return f"{os.uname().nodename} {os.uname().machine}"
    return f"{socket.gethostname()} {_windows_id()}"


def is_alive(process: int, begun: str | None) -> bool:
    """Whether a process of this machine lives.

    Args:
        process: its number.
        begun: when it began, as `began` says it, so that a later one of that number is distinguished; None: not known.
    """
    if on_windows():
        since = _begun_on_windows(process)
        return since is not None and (begun is None or since in ("", begun))
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another account's process
    return begun is None or begun == began(process)


def began(process: int) -> str | None:
    """When a process began, as the system counts it; None where the system does not say so. Source: Microsoft, GetProcessTimes."""
    return _begun_on_windows(process) or None if on_windows() else start_ticks(process)


def _begun_on_windows(process: int) -> str | None:
    """When a process began, in 100 ns since 1601; "" where it lives and does not say so; None where none of that number lives.

    `os.kill(process, 0)` is no question on Windows: 0 is the number of Ctrl-C there.
    """
    import ctypes

    windows: Any = ctypes  # on other systems typeshed lacks these
    kernel = windows.WinDLL("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(_MAY_BE_ASKED, False, process)  # noqa: FBT003  Windows' own order
    if not handle:
        return "" if windows.get_last_error() == _ACCESS_DENIED else None
    handle = ctypes.c_void_p(handle)
    try:
        code, times = ctypes.c_ulong(), [ctypes.c_ulonglong() for _ in range(4)]
        if kernel.GetExitCodeProcess(handle, ctypes.byref(code)) and code.value != _STILL_ACTIVE:
            return None
        return str(times[0].value) if kernel.GetProcessTimes(handle, *map(ctypes.byref, times)) else ""
    finally:
        kernel.CloseHandle(handle)


def _windows_id() -> str:
    """The number that Windows gave this machine when it was installed; "" where it cannot be read."""
    with suppress(ImportError, OSError):
        import winreg

        registry: Any = winreg
        with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
            return str(registry.QueryValueEx(key, "MachineGuid")[0])
    return ""
