"""The program `auditor`. It handles signals before it imports anything large, so that Ctrl-C during the start ends it quietly.

Nothing was begun then that has to be closed; `auditor.stopping` takes over before the first command begins.
"""

from __future__ import annotations

import os
import signal
import sys

from auditor.system.signals import STOPS


def main() -> None:
    """The console script `auditor`."""
    leave_quietly()
    if sys.argv[1:2] == ["query"]:  # what it runs, a person wrote
        from auditor.bounds import process as supervised

        supervised.begin()
    from auditor.cli import main as run

    run()


def leave_quietly() -> None:
    """Have signals end the process at once and without a word; one that is ignored, as nohup has it, stays so."""
    for number in STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda caught, _frame: os._exit(128 + caught))


if __name__ == "__main__":
    main()
