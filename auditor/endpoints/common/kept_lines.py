"""What a recording keeps of the answers of a command line, as a kind names it by `kept_lines` of its `TYPE`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class KeptLines:
    """What is kept as it is; all else is masked.

    Attributes:
        identifying: of the machine's form: the columns of a record that identify something, from 0, by what the command shows. Of another
            command, all but short numbers.
        keys: a key with its opening bracket, whose value is kept.
        words: what the headings and messages of the command line say, in lower case.
        values: what cells hold, in lower case.
        products: likewise, as a pattern: names of models, parts and errors.
    """

    identifying: Mapping[str, tuple[int, ...]]
    keys: re.Pattern[str]
    words: frozenset[str]
    values: frozenset[str]
    products: re.Pattern[str]
