"""Options of kernel modules in a host's esx.conf, where a support bundle has no other output that says them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_OPTIONS = re.compile(r'/vmkernel/module/([A-Za-z0-9_.-]{1,64})/options = "([^"\r\n]{0,4096})"\s*')

PLACE = ("etc/vmware/esx.conf", "esx.conf")
"""Where the file lies in a bundle, and what it is called."""


def is_esx_conf(name: str) -> bool:
    """Whether a file of that name is a host's esx.conf."""
    return name == PLACE[1] or name.endswith(f"/{PLACE[1]}")


def module_options(data: bytes) -> Mapping[str, str]:
    """The option string that is configured for each module that has one; of a module twice, the last.

    Only what was set stands there, and from 7.0 on most settings stand elsewhere: a module that is not here may have options all the same.

    Source: docs/domain/evidence-files.md#1-9.
    """
    lines = data.decode("utf-8", errors="replace").splitlines()
    return {found[1]: found[2].strip() for line in lines if (found := _OPTIONS.fullmatch(line.strip()))}
