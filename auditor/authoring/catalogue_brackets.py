"""Writes what stands in brackets behind each rule of docs/rule-catalogue.md: its severity, and the class of its fix.

Run as ``python -m auditor.authoring.catalogue_brackets FILE`` (`make rule-catalogue`) behind engine/checked_rules.json, which it reads.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_text
from auditor.engine.rules.checked import checked_rules

if TYPE_CHECKING:
    from auditor.engine.rules.rule import Rule

_SECTION = re.compile(r'^## <a id="(rows|beside)"></a>', re.MULTILINE)
_LISTING = {"rows": 2, "beside": 0}
"""Section -> which cell of its lines lists rules; elsewhere on the page a rule is only mentioned."""
_LISTED = re.compile(r"`(?P<id>[a-z0-9-]+/[a-z0-9-]+)`(?: \([^()]*\))?")


def main() -> None:
    """Bring the page given up to date."""
    path = Path(sys.argv[1])
    text = read_text(path)
    written = with_brackets(text, {rule_id: checked.rule for rule_id, checked in checked_rules().items()})
    if written != text:
        path.write_text(written, encoding="utf-8")


def with_brackets(text: str, rules: Mapping[str, Rule]) -> str:
    """The page with brackets behind each rule that it lists; a rule that is not among `rules` stays as it is."""
    lines, section = [], ""
    for line in text.splitlines(keepends=True):
        if line.startswith("## "):
            found = _SECTION.match(line)
            section = found[1] if found else ""
        lines.append(_line(line, _LISTING[section], rules) if section and line.startswith("|") else line)
    return "".join(lines)


def _line(line: str, listing: int, rules: Mapping[str, Rule]) -> str:
    def bracketed(match: re.Match[str]) -> str:
        rule = rules.get(match["id"])
        return match[0] if rule is None else f"`{match['id']}` ({_brackets(rule)})"

    cells = line.split("|")  # the first is what stands before the first bar: nothing
    cells[listing + 1] = _LISTED.sub(bracketed, cells[listing + 1])
    return "|".join(cells)


def _brackets(rule: Rule) -> str:
    if rule.fix is None:
        return f"{rule.severity}; by hand"
    return f"{rule.severity}; {rule.fix.fix_class}{', retune' if rule.fix.retunes is not None else ''}"


if __name__ == "__main__":
    main()
