"""Commands as the shell takes them that the reader types in: POSIX shells, or PowerShell on Windows.

cmd.exe takes the same words, but for the single quotation marks: words that need none have none. A program cannot see which of the two
it was started from; PowerShell is what PowerCLI runs in.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from auditor.system import on_windows

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9_+=:./\\%^-][A-Za-z0-9_+=:./\\%^~-]*")
"""What PowerShell takes as it stands. Source: Microsoft, about_Parsing (argument mode)."""


def quoted(word: str) -> str:
    """`word` as one word of the shell, in quotation marks where it needs them; PowerShell doubles those within (about_Quoting_Rules)."""
    if not on_windows():
        return shlex.quote(word)
    return word if _PLAIN.fullmatch(word) else "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", word) + "'"


def joined(words: Iterable[str]) -> str:
    """A command line of these words."""
    return " ".join(map(quoted, words))


def password_to_environment(variable: str) -> str:
    """The command that asks for a password, shows nothing of it, and puts it into the environment of the shell in use."""
    if not on_windows():
        return f"read -rs {variable} && export {variable}"
    return f"$env:{variable} = [Net.NetworkCredential]::new('', (Read-Host {variable} -AsSecureString)).Password"
