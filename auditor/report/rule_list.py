"""The list of rules: one a line for programs, wrapped to the terminal's width for people."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, TextIO

from auditor.engine.rule import ON_REQUEST

if TYPE_CHECKING:
    from auditor.engine.rule import RuleSet

_SEVERITY = 9  # characters of the longest severity and a mark
_LEAST_TITLE = 30  # characters


def write_rule_list(rules: RuleSet, out: TextIO) -> None:
    """Write id, severity and title of each rule; on a terminal titles are wrapped, and rules judged on request are marked."""
    width = max((len(rule.id) for rule in rules), default=0)
    if not out.isatty():
        for rule in rules:
            print(f"{rule.id:<{width}}  {rule.severity:<{_SEVERITY}}  {rule.title}", file=out)
        return
    indent = width + _SEVERITY + 4
    columns = max(shutil.get_terminal_size().columns, indent + _LEAST_TITLE)
    for rule in rules:
        mark = "*" if ON_REQUEST in rule.tags else ""
        text = f"{rule.id:<{width}}  {rule.severity + mark:<{_SEVERITY}}  {rule.title}"
        print(textwrap.fill(text, columns, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False), file=out)
    later = sum(ON_REQUEST in rule.tags for rule in rules)
    packs = sorted({f"--tag {tag}" for rule in rules if ON_REQUEST in rule.tags for tag in rule.tags[:1]})
    footer = f"{len(rules)} rules. `auditor rules show RULE` says why, and what to do."
    footer += f" {later} marked * are judged on request: {', '.join(packs)}, or --tag all." if later else ""
    print(f"\n{textwrap.fill(footer, columns)}", file=out)
