"""What a report shows: runs, the texts of rules, and what a fix left to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.model.changes import Contradiction, Receipt
from auditor.model.readings import EndpointReading, Gap, ReadTime
from auditor.model.verdicts import Finding, Severity, Summary, Verdict

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from auditor.model.comparison import Comparison
    from auditor.model.scope import Scope


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made a run, with which program, by which rules, from which data. Digests are `sha256:` and 64 hex digits.

    Attributes:
        account: of the operating system; nothing of the endpoints' accounts.
        machine: its host name.
        version: of auditor.
        rules: the digest of the rules that judged, and of the views that they judge.
        data: the digest of the snapshot that was judged; None: it was not kept.
    """

    account: str
    machine: str
    version: str
    rules: str
    data: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """One audit from the first read to the last verdict."""

    id: str  # sortable, for example 20261121T065500Z-1a2b
    started: datetime
    finished: datetime
    endpoints: tuple[EndpointReading, ...]
    hosts: int  # ESXi hosts seen
    read: tuple[ReadTime, ...] = ()  # by endpoint and topic; by host where facts were reused from an earlier run
    origin: Origin | None = None  # None: a run of an older auditor
    waited_seconds: float | None = None  # from the start of the command to this report; None: a run of an older auditor


class DocumentKind(StrEnum):
    """Who publishes a document that a rule answers to."""

    VENDOR = "vendor"  # of the hypervisor or the array: advice, a knowledge base article, a reference
    STIG = "stig"  # a Security Technical Implementation Guide of DISA
    HARDENING = "hardening"  # a vendor's hardening guide, such as VMware's Security Configuration Guide


@dataclass(frozen=True, slots=True)
class Document:
    """A document that asks for what a rule wants, or says why.

    Attributes:
        kind: who publishes it.
        title: the publication.
        number: the publisher's own: "KB 311232", "2060-M-BP-V", "ESXI-80-000145". None: it has none.
        section: the heading, page or article. None: the number says it.
        url: where it can be read; None: it is not public, or no address of it is known.
        quoted: only an excerpt or a quotation by others was read.
    """

    kind: DocumentKind
    title: str
    number: str | None = None
    section: str | None = None
    url: str | None = None
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class RuleText:
    """The texts of a rule that a report shows."""

    id: str
    title: str
    severity: Severity
    lesson: str
    sources: tuple[tuple[str, str | None], ...]  # (what, url)
    fix_text: str
    unknown_text: str = ""  # what to do where the verdict is unknown; empty when the rule does not say
    documents: tuple[Document, ...] = ()  # of vendors and of security guides; empty: none is known, as of a run of an older auditor
    units: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # by "observed" and "desired": its unit, and the word for no value
    failure_title: str = ""  # what is so where it fails; "" where the rule does not say, as of a run of an older auditor


@dataclass(frozen=True, slots=True)
class FixCertificate:
    """What a fix left to do: the fleet was read again, and planned anew by the same rules and allowed classes."""

    read_before: str  # digest of the snapshot that the fix was planned from
    read_after: str  # digest of the snapshot that was read after it
    made: int  # changes that were made
    left: int  # changes that the second plan would make; 0: the same fix again writes nothing
    journal: str | None  # digest that the run's journal ends with; None where it has none


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """What one run found, for a drawing over time."""

    started: datetime  # aware
    fail: int
    by_severity: Mapping[str, int] = field(default_factory=dict)  # of `fail`; empty where that was not kept


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """How many verdicts of one kind there are at one place.

    Attributes:
        endpoint: that the place is of.
        cluster: None where it is in none.
        host: None where they are about no single host, or hosts were not asked for.
        topic: the first part of the rules' ids, before the "/".
        severity: of them.
        verdict: of them.
        number: of them.
    """

    endpoint: str
    cluster: str | None
    host: str | None
    topic: str
    severity: Severity
    verdict: Verdict
    number: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report shows; rendering it decides nothing."""

    run: Run
    summary: Summary
    gaps: tuple[Gap, ...]
    rules: tuple[RuleText, ...]
    findings: Callable[[], Iterator[Finding]]  # each call begins a new pass, worst first; may be millions
    receipts: tuple[Receipt, ...] = ()
    notices: tuple[str, ...] = ()  # sentences that every reader must see, for example that TLS was not verified
    contradictions: tuple[Contradiction, ...] = ()  # settings that failing rules want different; nothing is planned for them
    certificate: FixCertificate | None = None  # of a fix that made changes and read the fleet again
    snapshot: Path | None = None  # the directory of what was judged, for drawings; None: it is not kept
    listed: Callable[[], Iterator[Finding]] | None = None  # failures, unknown and waived ones of `findings`; None: only `findings` has them
    counts: Callable[[], Mapping[tuple[str, Severity, Verdict], int]] | None = None  # by rule, severity and verdict; None: count `findings`
    hosts_judged: Callable[[], int] | None = None  # hosts that got a verdict, of `run.hosts`; None: see `findings`
    by_place: Callable[[bool], Sequence[PlaceCount]] | None = (
        None  # True: all, by host; False: what is listed, by cluster; None: count them
    )
    scope: Scope | None = None  # which fleet, how much of it, and which rules; None: the run of an older auditor
    compared: Comparison | None = None  # with the run before of the same scope; None: there is none
    earlier: Callable[[], Sequence[TrendPoint]] | None = None  # runs of the same scope before this one, oldest first; None: not known

    @property
    def open_gaps(self) -> tuple[Gap, ...]:
        """What could not be read and nobody answers for."""
        return tuple(gap for gap in self.gaps if gap.accepted is None)
