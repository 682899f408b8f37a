"""A finding together with everything that its explanation shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.engine.probing.turning_points import TurningPoint
    from auditor.impact.day import Day
    from auditor.impact.functions import Functions
    from auditor.impact.path import Path
    from auditor.model import Finding, FixClass, RuleText


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is shown of a finding.

    Attributes:
        finding_id: as reports show it.
        run: the id of the run.
        path: the I/O path on which it is felt most; None where no path is known for it.
        more_paths: how many other paths it is about.
        rule: its texts; None where the report has none.
        points: what would change the verdict; None where the rule says another thing now than it did.
        column_texts: what the columns are, by name.
        params_from: where the values of params come from, in words.
        reproduction: how load shows it, or why none does.
        why_no_path: where there is no path: why, as a sentence.
        audit: the command that audits what the run audited.
        fix: the command that fixes it once --fix follows; "" where it was read from what is saved.
        plan: the command that prints changes as commands, where hosts were read from files; "" elsewhere.
        first: the rules whose changes have to come before its fix, which is not planned without them; each with what has to be allowed.
        why_no_fix: why auditor plans no change for it, as a sentence; "" where it plans one.
        to_judge: rules whose changes may have to come first, which have to be judged before anybody knows; () where that is known.
        options: further options of the command that audits it again, with a space before them.
        day: of a finding about episodes, the day of the thing that has them.
        functions: of a finding about a pool, what its disks work for; None where that was not read.
    """

    finding_id: str
    finding: Finding
    run: str
    path: Path | None
    more_paths: int
    rule: RuleText | None
    points: tuple[TurningPoint, ...] | None
    column_texts: Mapping[str, str]
    params_from: str
    reproduction: str
    why_no_path: str = ""
    audit: str = "auditor audit --fleet fleet.yaml"
    fix: str = "auditor audit --fleet fleet.yaml"
    plan: str = ""
    first: Mapping[str, tuple[FixClass, ...]] = field(default_factory=dict)
    why_no_fix: str = ""
    to_judge: tuple[str, ...] = ()
    options: str = ""
    day: Day | None = None
    functions: Functions | None = None
