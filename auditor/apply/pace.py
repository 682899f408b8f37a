"""How a run goes from wave to wave."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from auditor.apply.holding import Who, WhoElse, who_else_changed, who_put_back
from auditor.apply.wave_order import SHARES


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run goes from wave to wave.

    Attributes:
        settle_seconds: waited after each wave that wrote something, before its settings are read again and health is asked.
        shares: of the hosts of each cluster, cumulative, once every kind of change was tried in it.
        ask_health: compare the health of what is touched with how it was before the run; a wave that made it worse stops the run.
        wait: how the settle time passes.
        notice: called with sentences that the reader of the report has to know.
        who: says who may have put a setting back.
        who_else: says who may have changed a setting that the run did not write.
        just_read: the plan follows from what this run itself read; then two settings that are not as it read them show that somebody else
            is writing, and stop the run. The settings of an older plan change in the course of things.
    """

    settle_seconds: float = 0.0
    shares: Sequence[float] = SHARES
    ask_health: bool = False
    wait: Callable[[float], None] = time.sleep
    notice: Callable[[str], None] = lambda _sentence: None
    who: Who = who_put_back
    who_else: WhoElse = who_else_changed
    just_read: bool = False


AT_ONCE = Pace()
"""No settle time, and nobody looks at health: as an undo goes."""
