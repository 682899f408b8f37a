"""Receipts for a terminal: the result of each change, grouped by what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.model import Outcome
from auditor.report.rule_words import flat
from auditor.report.setting_values import found_text, from_to_text
from auditor.report.terminal.console import ROWS_A_LIST, hanging, write_parts
from auditor.report.wording import OUTCOME_WORDS, neutral, outcome_text, place_texts, setting_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from auditor.model import Receipt

_ORDER = (
    Outcome.UNVERIFIED,
    Outcome.REVERTED,
    Outcome.REFUSED,
    Outcome.STALE,
    Outcome.APPLIED,
    Outcome.ALREADY,
    Outcome.PROPOSED,
    Outcome.BY_HAND,
)


def write_receipts(receipts: Sequence[Receipt], out: TextIO) -> None:
    """Write the results of changes as a report shows them."""
    write_parts(lambda _width: receipt_parts(receipts), out)


def counts_text(receipts: Sequence[Receipt]) -> str:
    """How many receipts there are of each outcome, what needs a person first; "" without any."""
    counts = ((sum(one.outcome is outcome for one in receipts), OUTCOME_WORDS[outcome]) for outcome in _ORDER)
    return ", ".join(f"{number:,} {word}" for number, word in counts if number)


def narrated(receipt: Receipt) -> str:
    """One line: the host or endpoint and the object on it, the setting, from, to, and the result. Safe for a terminal."""
    place = "  ".join(part for part in place_texts(receipt.change) if part)
    setting, values, result = _texts(receipt)
    return f"{place}  {setting}  {values}  {result}"


def receipt_parts(receipts: Sequence[Receipt]) -> Iterator[RenderableType]:
    """The results of the changes, grouped by outcome; those not attempted are only counted."""
    from rich.text import Text

    if not receipts:
        return
    yield ""
    yield Text(f"CHANGES: {counts_text(receipts)}", style="bold")
    groups: dict[tuple[str, str, str], list[Receipt]] = {}
    for receipt in sorted(receipts, key=lambda one: _ORDER.index(one.outcome)):
        groups.setdefault(_texts(receipt), []).append(receipt)
    for (setting, values, result), same in groups.items():
        good = same[0].outcome in {Outcome.APPLIED, Outcome.ALREADY}
        attempted = same[0].outcome is not Outcome.PROPOSED
        style = "green" if good else "bold red" if attempted else "dim"
        number = "" if len(same) == 1 else f" ({count_of(len(same), 'place')})"
        yield hanging(" ", Text.assemble(f"{setting}  ", (values, "bold"), "  ", (f"{result}{number}", style)))
        yield from _places(same if attempted else [])


def _texts(receipt: Receipt) -> tuple[str, str, str]:
    """The setting, its values before and after, and the result."""
    change = receipt.change
    result = outcome_text(receipt.outcome, change.fix_class, receipt.pending)
    if receipt.outcome in {Outcome.UNVERIFIED, Outcome.STALE, Outcome.REVERTED}:
        result = f"{result}; found {found_text(change, receipt.found)}"
    if receipt.why:
        result = f"{result}: {neutral(flat(receipt.why))}"
    return setting_text(change), from_to_text(change), result


def _places(receipts: Sequence[Receipt]) -> Iterator[RenderableType]:
    from rich.text import Text

    places = [place_texts(one.change) for one in receipts[:ROWS_A_LIST]]
    widest = max((len(where) for where, _ in places), default=0)
    for where, what in places:
        yield hanging("   ", Text(f"{where:<{widest}}  {what}".rstrip()))
    if len(receipts) > ROWS_A_LIST:
        yield Text(f"    +{len(receipts) - ROWS_A_LIST:,} more, see --reporter json:PATH or --reporter html:PATH", style="italic")
