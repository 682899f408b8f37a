"""Counts rows while an endpoint is read, and shows the counts now and then."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from auditor.facts.schema import HOST_TOPICS, Batch
from auditor.text.counts import Counted, Counts

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint, Gap
    from auditor.text.counts import ShowText

EVERY_SECONDS = 0.5
"""How often counts are shown: by items; a large vCenter gives a thousand a second."""


class Counting:
    """Counts hosts and devices of one endpoint in the facts that pass by.

    A host is done when each topic that it is asked for has its row of `reading`, whole or not; of files, when its first one is there.
    """

    def __init__(self, endpoint: Endpoint, needs: Needs, text: str, show: ShowText) -> None:
        self._part, self._text, self._show = endpoint.share.number, text, show
        self._of_each = len(needs.topics_of(endpoint.kind).intersection(HOST_TOPICS))
        self._is_of_files = endpoint.evidence is not None
        self._readings: defaultdict[str, int] = defaultdict(int)
        self._hosts = self._known = self._devices = self._steps = 0
        self._next = time.monotonic() + EVERY_SECONDS

    def __call__(self, item: Batch | Gap) -> None:
        """Count `item`, and show all counts where they were not for a while."""
        if isinstance(item, Batch):
            self._add(item)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY_SECONDS
            self._show(Counted(self._text, self.counts))

    @property
    def counts(self) -> Counts:
        """What was counted so far."""
        known = 0 if self._is_of_files else self._known
        return Counts(self._part, self._hosts, known, self._devices, self._steps, known * self._of_each)

    def _add(self, batch: Batch) -> None:
        if batch.table == "reading":
            enough = 1 if self._is_of_files else self._of_each
            for scope in batch.columns["scope"]:
                if scope:
                    self._steps += 1
                    self._readings[scope] += 1
                    self._hosts += self._readings[scope] == enough
        elif batch.table in ("host", "device"):
            rows = len(next(iter(batch.columns.values()), ()))
            if batch.table == "host":
                self._known += rows
            else:
                self._devices += rows
