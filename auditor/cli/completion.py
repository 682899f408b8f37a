"""`auditor completion`: what lets a shell complete commands, options and names."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from auditor.cli.completions import VARIABLE


class Shell(StrEnum):
    """A shell that takes a script to complete by."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="bash|zsh|fish|powershell", help="The shell that the script is for.")],
) -> int:
    """Print a script that lets a shell complete commands, options, rules, runs, scenarios and report formats.

    Example: auditor completion bash > ~/.local/share/bash-completion/completions/auditor

    Example: auditor completion zsh > ~/.zfunc/_auditor    (with fpath+=~/.zfunc before compinit in ~/.zshrc)

    Example: auditor completion fish > ~/.config/fish/completions/auditor.fish

    Example: auditor completion powershell | Out-String | Invoke-Expression    (a line of $PROFILE)
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # it is there, and not in __all__

    sys.stdout.write(get_completion_script(prog_name="auditor", complete_var=VARIABLE, shell=shell.value) + "\n")
    return 0
