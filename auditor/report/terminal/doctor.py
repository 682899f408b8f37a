"""Writes the doctor's checks for a person at a terminal, and as JSON for programs."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, TextIO

from auditor.model import Check, Diagnosis, Health
from auditor.report.json.values import json_scalar, utc_text
from auditor.report.terminal.console import write_parts
from auditor.report.wording import lasted, moment, neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from auditor.model import Endpoint

SCHEMA_VERSION = 1
FLEET = "fleet.yaml"
"""The heading of checks on the fleet as a whole."""

_STYLES = {Health.PROBLEM: "bold red", Health.UNKNOWN: "bold yellow", Health.WARNING: "yellow", Health.OK: "green"}
_STATE_WIDTH = max(map(len, Health))
_TOPIC_WIDTH = 9
_ENDPOINTS_NAMED = 5


def write_diagnosis(diagnosis: Diagnosis, out: TextIO, *, everything: bool = True) -> None:
    """Write `diagnosis` for people: for each endpoint its checks, why each matters and what to do.

    Without `everything` only checks that are not well are shown; the others are counted.
    """
    write_parts(lambda _width: _parts(diagnosis, everything=everything), out)


def write_diagnosis_json(diagnosis: Diagnosis, out: TextIO) -> None:
    """Write `diagnosis` for programs: JSON, schema version 1 (doctor.schema.json). Fields are only ever added."""
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "started": utc_text(diagnosis.started),
        "finished": utc_text(diagnosis.finished),
        "summary": {state.value: diagnosis.count(state) for state in Health},
        "endpoints": [
            {
                "name": endpoint.name,
                "kind": endpoint.kind.value,
                "address": f"{endpoint.address}:{endpoint.port}",
                "trust": endpoint.trust,
                "state": _worst(diagnosis.of(endpoint.name)).value,
                "checks": [_object(check) for check in diagnosis.of(endpoint.name)],
            }
            for endpoint in diagnosis.endpoints
        ],
        "fleet": [_object(check) for check in diagnosis.of("")],
    }
    json.dump(document, out, allow_nan=False, indent=2)
    out.write("\n")


def _object(check: Check) -> dict[str, Any]:
    return {
        "topic": check.topic,
        "state": check.state.value,
        "what": check.what,
        "why": check.why,
        "do": check.do,
        "facts": {name: json_scalar(value) for name, value in check.facts.items()},
    }


def _worst(checks: Sequence[Check]) -> Health:
    order = list(Health)
    return min((check.state for check in checks), key=order.index, default=Health.OK)


def _parts(diagnosis: Diagnosis, *, everything: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    yield _headline(diagnosis)
    yield Text(f"{moment(diagnosis.started)}, took {lasted(diagnosis.started, diagnosis.finished)}; nothing was written.", style="dim")
    for endpoint in diagnosis.endpoints:
        if shown := _shown(diagnosis.of(endpoint.name), everything=everything):
            yield ""
            yield _heading(endpoint, diagnosis.of(endpoint.name))
            yield from _checks(shown)
    if fleet := _shown(diagnosis.of(""), everything=everything):
        yield ""
        yield Text(FLEET, style="bold")
        yield from _checks(fleet)
    if not everything and (well := diagnosis.count(Health.OK)):
        yield ""
        yield Text(f"{count_of(well, 'check is', 'checks are')} well and not shown: --all shows them.", style="dim")


def _shown(checks: Sequence[Check], *, everything: bool) -> Sequence[Check]:
    return checks if everything else [check for check in checks if check.state is not Health.OK]


def _headline(diagnosis: Diagnosis) -> RenderableType:
    from rich.text import Text

    number = len(diagnosis.endpoints)
    worst = {endpoint.name: _worst(diagnosis.of(endpoint.name)) for endpoint in diagnosis.endpoints}
    not_ready = [name for name, state in worst.items() if state in (Health.PROBLEM, Health.UNKNOWN)]
    warnings = diagnosis.count(Health.WARNING)
    if not_ready:
        more = f" and {len(not_ready) - _ENDPOINTS_NAMED} more" if len(not_ready) > _ENDPOINTS_NAMED else ""
        names = neutral(", ".join(not_ready[:_ENDPOINTS_NAMED]))
        sentence = f"{len(not_ready)} of {count_of(number, 'endpoint')} would not be audited completely: {names}{more}."
        return Text.assemble((" NOT READY ", "bold white on red"), " ", sentence)
    with_warnings = f", with {count_of(warnings, 'warning')}" if warnings else ""
    sentence = f"{'The endpoint' if number == 1 else f'All {number} endpoints'} can be audited{with_warnings}."
    return Text.assemble((" READY ", "bold white on green"), " ", sentence)


def _heading(endpoint: Endpoint, checks: Sequence[Check]) -> RenderableType:
    from rich.text import Text

    state = _worst(checks)
    return Text.assemble(
        (neutral(endpoint.name), "bold"),
        f"  {endpoint.kind}, {neutral(endpoint.address)}:{endpoint.port}  ",
        (state.value, _STYLES[state]),
    )


def _checks(checks: Sequence[Check]) -> Iterator[RenderableType]:
    """One row for each check; checks skipped for the same reason share a row."""
    for (state, what, silent), several in groupby(checks, key=lambda check: (check.state, check.what, not check.why and not check.do)):
        same = list(several)
        if len(same) > 1 and silent:
            yield _row(state, ", ".join(check.topic for check in same), "", fold=True)
            yield _row(None, "", what)
            continue
        for check in same:
            yield _row(state, check.topic, what)
            yield from (_row(None, "", text, label) for label, text in (("why", check.why), ("do", check.do)) if text)


def _row(state: Health | None, topic: str, text: str, label: str = "", *, fold: bool = False) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(width=_STATE_WIDTH, style=_STYLES[state] if state else "")
    if fold:
        grid.add_column(overflow="fold")
        grid.add_row("", state.value if state else "", Text(topic))
        return grid
    grid.add_column(width=_TOPIC_WIDTH)
    if label:
        grid.add_column(width=4, style="dim")
    grid.add_column(overflow="fold")
    cells = [f"{label}:"] if label else []
    grid.add_row("", state.value if state else "", topic, *cells, Text(neutral(text), style="" if state or label else "dim"))
    return grid
