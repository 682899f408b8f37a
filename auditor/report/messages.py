"""What is wrong with a resource, as a sentence: the message of its rule, the same in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import Verdict
from auditor.report.wording import neutral, value_text

if TYPE_CHECKING:
    from auditor.model import Finding


def is_failure(finding: Finding) -> bool:
    """The verdict is fail, or was without a waiver."""
    waived = finding.verdict is Verdict.WAIVED and (finding.waiver or {}).get("verdict") == Verdict.FAIL
    return waived or finding.verdict is Verdict.FAIL


def message_of(finding: Finding) -> str:
    """What is wrong, as a sentence with the values of the finding; "" where nothing is, or it is not known whether something is.

    A rule without a message, and a run of an older auditor, get a sentence made of the title, what was observed and what is desired. Names
    stand in it as they were read: `neutral` makes it harmless to a terminal.
    """
    if not is_failure(finding):
        return ""
    values = f"observed {value_text(finding.observed)}, desired {value_text(finding.desired)}"
    return finding.message or f"{finding.resource.name}: {values}. Wanted: {finding.title}"


def message_beside_name(finding: Finding) -> str:
    """The message of the finding's rule for a row that shows the resource and its host already; "" where it has none.

    It is safe for a terminal.
    """
    resource = finding.resource
    for subject in (f"{resource.name} on {resource.host}: ", f"{resource.name}: "):
        if finding.message.startswith(subject):
            return neutral(finding.message.removeprefix(subject))
    return neutral(finding.message)
