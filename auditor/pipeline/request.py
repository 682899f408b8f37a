"""What is requested of an audit, a fix and an undo: plain values with defaults, checked when they are made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.apply.limits import Excess, never
from auditor.errors import ConfigurationError
from auditor.model import FixClass
from auditor.model.scope import option_texts
from auditor.store.address import Address

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.fleet.loading import Fleet
    from auditor.history.incremental import Incremental
    from auditor.model import BulkTransport, Severity, Span
    from auditor.store.address import Place

Progress = Callable[[str, str], None]
"""Called with the name of an endpoint and what is being done there, from several threads; `Counted` where it is said how much is done."""
NO_ENDPOINT = ""
"""The name under which a `Progress` is called with what is done here, at no endpoint."""


class Result(str):
    """What became of one change, as text of a `Progress`: a line that stays."""

    __slots__ = ()


SETTLE_SECONDS = 60.0
"""After each wave of a fix: three samples of the hosts' real-time counters (docs/domain/facts.md#9-1)."""


def no_progress(_endpoint: str, _text: str) -> None:
    """Show nothing."""


def no_warning(_text: str) -> None:
    """Show nothing: each warning is a notice of the report as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixLimits:
    """How far a fix may go, and how fast.

    Attributes:
        allow: the classes of changes that may be made.
        max_hosts: the most hosts that may be changed, and the most objects that are on no host: a number, or a share of the hosts of the
            fleet such as "10%".
        max_changes: the most writes. Neither of both: 10 % of the hosts of each cluster and 5 % of those of the fleet, one at least. A run
            that is larger makes its first host alone (`auditor.apply.limits`).
        decide: asked about a run that is larger; whether it is made whole.
        settle_seconds: waited after each wave, before its settings are read again and the health of what was touched is asked.
        allow_unusual: make changes to values that are nowhere in the fleet and that no shipped rule wants by itself.
        allow_unmatched_protection: make changes although an entry of `protect:` in fleet.yaml fits nothing that was read.
        retry_put_back: plan settings once more that something put back after an earlier run.
        after_failed_gate: make changes of a kind after which a health gate failed: somebody has looked at what got worse.
        accept_health: compare with the health of now, not with the one before a gate failed.
        confirm_within_seconds: undo the run unless it is confirmed within this time after its end; None: it stays.
        reboot: reboot hosts whose changes of the class `reboot` are allowed; False: such values wait for the next boot.
    """

    allow: Collection[FixClass] = (FixClass.ONLINE,)
    max_hosts: str | None = None
    max_changes: str | None = None
    decide: Callable[[Excess], bool] = never
    settle_seconds: float = SETTLE_SECONDS
    reboot: bool = True
    allow_unusual: bool = False
    allow_unmatched_protection: bool = False
    retry_put_back: bool = False
    after_failed_gate: bool = False
    accept_health: bool = False
    confirm_within_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What to audit, and by what.

    Attributes:
        fleet: the path of a fleet.yaml, or a fleet that was loaded.
        snapshot: a saved snapshot, to be judged instead of a fleet: its directory, or an `Address` on an object store. Several are those
            of collectors, and are judged as one fleet.
        rules: directories of rules besides the shipped ones.
        only: ids of rules to judge by, or globs of them; empty: all.
        tags: tags of rules to judge by; empty: all rules but those that are judged on request only.
        endpoints: globs of their names; only those are read. Empty: all. Of a saved snapshot, findings about the others are left out.
        clusters: globs of their names; the fleet is read and judged as without them, and only findings and fixes of these are left. A
            datastore, device or volume that a chosen host uses is among them; what is of an array as a whole is not. Empty: all.
        hosts: likewise; the cluster's own findings are left out as well.
        severity: only rules whose failures weigh as much or more; None: all.
        exclude: globs of ids of rules not to judge by.
        waivers: a file of waivers; None: waivers.yaml beside fleet.yaml, where there is one.
        compare: the kept run that the report is compared with: its id, the beginning of one, or "last"; None: the newest one before of the
            same scope.
        incremental: reuse answers of an earlier run for hosts that did not change; None: ask every host.
        history: the span whose counters are read as well, and by whose rules is judged; None: only counters of now are read.
        workers: the address of a scheduler of Dask whose workers read the fleet (docs/workers.md); None: this process does, in threads.
            Only the first reading is theirs: a fix writes, and reads again what it wrote, from here.
        workers_certificates: the folder with the certificates of a client of that scheduler; None: `$AUDITOR_WORKERS_CERTIFICATES`, else
            ~/.config/auditor/workers.
        transport: how every vCenter is read in bulk; None: as fleet.yaml says, or the fastest that each offers.
        state: the state directory, for runs and journals, or, of an audit without `fix`, an `Address` on an object store; None: the XDG
            state directory.
        fix: set where `fix` is to be called with the answer. Waivers have to be sound then, and the run is unfinished until `fix` ends.
        is_demo: the fleet is simulated for a demonstration: its run is never the last one, no baseline, and compared with demos alone.
        again: the words of the command that audits the same again, paths absolute; (): `auditor audit` with the fleet's file does. They are
            kept with the run, so that what is said of it later names a command that works.
        progress: called while endpoints are read and changed.
        warn: called, before anything is read, with what somebody should know before an hour is spent on reading.
        began: since when somebody waits for the report, aware; None: since `audit` was called.

    Raises:
        ConfigurationError: there is not exactly one of `fleet` and `snapshot`, or a snapshot was to be read or fixed, or there are
            certificates and no address of workers.
    """

    fleet: Fleet | Path | None = None
    snapshot: Place | Sequence[Place] | None = None
    rules: Collection[Path] = ()
    only: Collection[str] = ()
    tags: Collection[str] = ()
    endpoints: Collection[str] = ()
    clusters: Collection[str] = ()
    hosts: Collection[str] = ()
    severity: Severity | None = None
    exclude: Collection[str] = ()
    waivers: Path | None = None
    compare: str | None = None
    incremental: Incremental | None = None
    history: Span | None = None
    transport: BulkTransport | None = None
    workers: str | None = None
    workers_certificates: Path | None = None
    state: Place | None = None
    fix: FixLimits | None = None
    is_demo: bool = False
    again: tuple[str, ...] = ()
    progress: Progress = no_progress
    warn: Callable[[str], None] = no_warning
    began: datetime | None = None

    @property
    def snapshots(self) -> tuple[Place, ...]:
        """The saved snapshots that are judged; () where a fleet is."""
        if self.snapshot is None:
            return ()
        return (self.snapshot,) if isinstance(self.snapshot, Path | Address) else tuple(self.snapshot)

    @property
    def directory(self) -> Path | None:
        """The directory of the saved snapshot that is judged, of an audit that has fetched it; None where a fleet is."""
        return self.snapshot if isinstance(self.snapshot, Path) else None

    @property
    def narrowed_by(self) -> tuple[str, ...]:
        """The options of `auditor audit` that leave out rules or part of the fleet, as in a `Scope`."""
        given = {"--only": self.only, "--tag": self.tags, "--exclude": self.exclude, "--endpoint": self.endpoints}
        severity = [] if self.severity is None else [self.severity.value]
        return option_texts({**given, "--cluster": self.clusters, "--host": self.hosts, "--severity": severity})

    @property
    def is_of_hosts(self) -> bool:
        """Whether it is about chosen clusters or hosts, so that it has to be known what is theirs."""
        return bool(self.clusters or self.hosts)

    def __post_init__(self) -> None:
        if (self.fleet is None) != bool(self.snapshots):
            raise ConfigurationError(
                "an audit needs either a fleet or a saved snapshot", why="nothing was read.", do='AuditRequest(fleet=Path("fleet.yaml"))'
            )
        if self.snapshots and (self.fix, self.incremental, self.transport, self.workers, self.history) != (None, None, None, None, None):
            raise ConfigurationError(
                "fix, incremental, transport, workers and history do not go with a saved snapshot",
                why="a saved snapshot is judged as it is; nothing is read or changed.",
                do="leave them out, or audit the fleet.",
            )
        if self.workers is None and self.workers_certificates is not None:
            raise ConfigurationError(
                "certificates for workers go with the address of their scheduler",
                why="nothing was read: this process would read the fleet by itself.",
                do="give --workers ADDRESS as well, or leave --workers-certificates out.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyRequest:
    """Which plan to make, and how far.

    Attributes:
        plan: the file that `auditor plan` wrote.
        fleet: the path of a fleet.yaml, or a fleet that was loaded.
        limits: the classes that may be made, and how many resources may be touched.
        waivers: the file of waivers that the plan was made with; None: waivers.yaml beside fleet.yaml, where there is one.
        state: the state directory, for the journal; None: the XDG state directory.
        progress: called before each change.
    """

    plan: Path
    fleet: Fleet | Path
    limits: FixLimits = FixLimits()
    waivers: Path | None = None
    state: Path | None = None
    progress: Progress = no_progress


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequest:
    """Which run to go on with.

    Attributes:
        run: the id of a run that writes (a fix, apply, undo or resume) and was stopped or killed.
        fleet, waivers, state, progress: as in an `ApplyRequest`.
        allow: the classes that may be made; None: those that the run allowed.
        max_hosts, max_changes: as in `FixLimits`; neither: all that is left, as the run was limited when it began.
        settle_seconds, after_failed_gate, accept_health: as in `FixLimits`.
    """

    run: str
    fleet: Fleet | Path
    allow: Collection[FixClass] | None = None
    max_hosts: str | None = None
    max_changes: str | None = None
    settle_seconds: float = SETTLE_SECONDS
    after_failed_gate: bool = False
    accept_health: bool = False
    waivers: Path | None = None
    state: Path | None = None
    progress: Progress = no_progress


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRequest:
    """Which run to undo, and how far.

    Attributes:
        run: the id of the run whose changes are put back.
        fleet: the path of a fleet.yaml, or a fleet that was loaded.
        state: the state directory that holds the journal of that run; None: the XDG state directory.
        max_hosts: the most hosts, and the most objects that are on no host: a number, or a share of those hosts of the run such as "10%".
        max_changes: the most writes. Neither: all, as the run was limited when it was made, and has to be put back whole.
        progress: called before each change.
        trust_names: fleet.yaml's names of endpoints are enough where the run, of an older auditor, did not record who they were.
        only: ids of rules, names of hosts, or numbers of changes in the plan: what is put back; empty: everything.
        reboot: reboot hosts whose values take effect at a boot, one after another; False: such values wait for the next boot.
    """

    run: str
    fleet: Fleet | Path
    state: Path | None = None
    max_hosts: str | None = None
    max_changes: str | None = None
    progress: Progress = no_progress
    trust_names: bool = False
    only: Collection[str] = ()
    reboot: bool = False
