"""The option strings of a host's kernel modules: from `esxcfg-module -g MODULE`, and from esx.conf in a support bundle.

`esxcli system module parameters list` shows the parameters that a module knows. A word in the string that it does not know, such as a
misspelt one, is not there: so what that prints is not the string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_CONF = re.compile(r'/vmkernel/module/([A-Za-z0-9_.-]{1,64})/options = "([^"\r\n]{0,4096})"')
_PRINTED = re.compile(r"([A-Za-z0-9_.-]{1,64}) enabled = [01] options = '([^'\r\n]{0,4096})'")


def is_esx_conf(name: str) -> bool:
    """Whether a file of that name is a host's esx.conf."""
    return name == "esx.conf" or name.endswith("/esx.conf")


def module_options(data: bytes) -> Mapping[str, str]:
    """The option string of each module that a file says; of a module twice, the last.

    An esx.conf has only what was set, and from 7.0 on most settings stand elsewhere: a module that is not here may have some all the same.

    Source: docs/domain/evidence-files.md#1-9, #1-10.
    """
    found: dict[str, str] = {}
    for line in data.decode("utf-8", errors="replace").splitlines():
        if match := _CONF.fullmatch(line.strip()) or _PRINTED.fullmatch(line.strip()):
            found[match[1]] = match[2].strip()
    return found
