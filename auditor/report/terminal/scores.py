"""Writes mutation scores for a terminal: how many mistakes in a rule its examples detect."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from auditor.authoring.mutation import percent
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.authoring.mutation import Missed, RuleScore
    from auditor.engine.rules.rule import RuleSet


def write_scores(scores: Sequence[RuleScore], rules: RuleSet, least: float, out: TextIO, *, show_all: bool = False) -> None:
    """Write each rule's score, what its examples miss where that is below `least` percent (`show_all`: everywhere), and the sum."""
    width = max(len(score.rule) for score in scores)
    for score in scores:
        print(f"{score.rule:<{width}}  {_score(score.percent)}  {score.noticed} of {score.noticed + len(score.missed)} noticed", file=out)
        if score.missed and (show_all or score.percent < least):
            for missed in score.missed:
                _write_missed(missed, out)
            print(f"  add such rows to the examples of {rules[score.rule].path}", file=out)
    noticed, unseen = sum(score.noticed for score in scores), sum(len(score.missed) for score in scores)
    alike = sum(score.alike for score in scores)
    what = f"{count_of(noticed + unseen, 'mistake')} in {count_of(len(scores), 'rule')}"
    print(
        f"{_score(percent(noticed, unseen)).strip()} of {what} noticed; {alike:,} more are left out: no row separates them from the rule",
        file=out,
    )


def _score(value: float) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{int(value * 10) / 10:5.1f} %"


def _write_missed(missed: Missed, out: TextIO) -> None:
    row = json.dumps(dict(missed.row), default=str, ensure_ascii=False)
    print(f"  {missed.mutant.place}: {missed.mutant.what}", file=out)
    print(f"    {missed.by_rule}, and {missed.by_mutant or 'an error'} by mistake: {row}", file=out)
