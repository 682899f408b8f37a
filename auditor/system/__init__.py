"""What differs between operating systems: files, locks, processes, signals, folders, and the shell that commands are printed for.

No other part of what reads, judges, reports, explains and fixes imports a module that one system alone has, or asks which system this is.
"""

from __future__ import annotations

import os


def on_windows() -> bool:
    """Whether this is Windows: the one place that asks."""
    return os.name == "nt"
