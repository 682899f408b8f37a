"""The rows that a collector gave, by table, and every text of an error that could be shown."""

from __future__ import annotations

import socket
import traceback
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import auditor
from auditor.facts.schema import TABLES
from auditor.model import Gap


class Collected:
    """Rows by table, and gaps.

    Args:
        items: from a collector.
        topics: exactly those that have to be reported complete or not; None checks only that none is reported twice.
    """

    def __init__(self, items: Iterable[Any], topics: Iterable[str] | None = None) -> None:
        self.items = list(items)
        self.gaps = [item for item in self.items if isinstance(item, Gap)]
        self.tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.largest_batch = 0
        for item in self.items:
            if isinstance(item, Gap):
                continue
            lengths = {len(values) for values in item.columns.values()}
            assert len(lengths) == 1
            assert set(item.columns) <= set(TABLES[item.table].names)
            self.largest_batch = max(self.largest_batch, *lengths)
            for row in zip(*item.columns.values(), strict=True):
                self.tables[item.table].append(dict(zip(item.columns, row, strict=True)))
        reported = [row["topic"] for row in self.tables["reading"]]
        assert sorted(reported) == sorted(set(reported) if topics is None else topics), "each topic that was asked for exactly once"
        self.complete: dict[str, bool] = {row["topic"]: row["complete"] for row in self.tables["reading"]}

    def incomplete(self) -> set[str]:
        """The topics that were not read whole."""
        return {topic for topic, complete in self.complete.items() if not complete}

    def by(self, table: str, key: str = "name") -> dict[Any, dict[str, Any]]:
        """The rows of a table by a column that tells them apart."""
        rows = {row[key]: row for row in self.tables[table]}
        assert len(rows) == len(self.tables[table]), "the key tells the rows apart"
        return rows

    def column(self, table: str, *names: str) -> list[Any]:
        """The values of one column, or tuples of those of several."""
        rows = [tuple(row[name] for name in names) for row in self.tables[table]]
        return [each[0] for each in rows] if len(names) == 1 else rows

    def gap_text(self) -> str:
        """Every gap, a line each."""
        return "\n".join(f"{gap.what}: {gap.why}" for gap in self.gaps)


def closed_port() -> int:
    """A port of loopback where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def shown_by(error: BaseException, *, local_values: bool = False) -> str:
    """All that could be shown of an error: messages, arguments and requests of every exception behind it, perhaps the product's locals."""
    shown = "".join(traceback.format_exception(error))
    if local_values:
        product = str(Path(auditor.__file__).parent)
        stack = traceback.TracebackException.from_exception(error, capture_locals=True).stack
        shown += "".join(repr(frame.locals) for frame in stack if frame.filename.startswith(product))
    behind: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in behind:
        behind.append(following)
        request = getattr(following, "_request", None)
        shown += repr(following) + repr(vars(following)) + repr(request and dict(request.headers))
        following = following.__cause__ or following.__context__
    return shown
