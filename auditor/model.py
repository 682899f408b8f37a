"""The values that one stage of an audit hands to the next; all are frozen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

Scalar: TypeAlias = bool | int | float | str | None


class EndpointKind(StrEnum):
    """The kind of product at an endpoint's address; the folder of that name in `auditor.endpoints` holds everything about it."""

    VCENTER = "vcenter"
    ELEMENT = "element"
    DELL_SC = "dell-sc"
    FLASHARRAY = "flasharray"
    ONTAP = "ontap"
    ETERNUS = "eternus"


class BulkTransport(StrEnum):
    """A way of reading a vCenter in bulk, fastest first; all give the same rows. The key `lane` of fleet.yaml and reports holds it."""

    VIJSON = "vijson"  # vCenter 8.0 U1 and later
    SOAP = "soap"  # the answers decoded by our own parser
    PYVMOMI = "pyvmomi"  # the answers decoded by pyVmomi: the reference


class Verdict(StrEnum):
    """The result of judging one resource by one rule."""

    FAIL = "fail"
    UNKNOWN = "unknown"
    WAIVED = "waived"
    PASS = "pass"  # noqa: S105  a verdict
    NOT_APPLICABLE = "not_applicable"


class Severity(StrEnum):
    """How much a failure can hurt, worst first (docs/rule-catalogue.md#severity)."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for critical, 4 for info."""
        return list(Severity).index(self)


class FixClass(StrEnum):
    """What a fix costs the running fleet; `--allow` names these."""

    ONLINE = "online"
    ONLINE_CAUTION = "online-caution"
    REMOUNT = "remount"
    RECLAIM = "reclaim"
    REBOOT = "reboot"
    ARRAY = "array"
    GUEST = "guest"
    MANUAL = "manual"
    RETUNE = "retune"  # reverts what somebody tuned; implied by no other class, and needed besides the class of what it takes


class Outcome(StrEnum):
    """The result of a change."""

    PROPOSED = "proposed"  # planned, not attempted in this run
    APPLIED = "applied"  # written, and read back as wanted
    ALREADY = "already"  # had the wanted value before, so nothing was written
    STALE = "stale"  # differs from what the plan saw: nothing written
    UNVERIFIED = "unverified"  # written, and not read back as wanted
    REFUSED = "refused"  # a guard, an interlock or the endpoint refused it
    BY_HAND = "by_hand"  # no remediator, or the class is manual
    REVERTED = "reverted"  # written and read back as wanted, and put back by something before the run ended


@dataclass(frozen=True, slots=True)
class Secret:
    """A reference to a credential; the credential itself is looked up when a session opens.

    `repr` shows only where the credential comes from.
    """

    way: str  # "env", "file", "keyring" or "command"
    argument: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tls:
    """How an endpoint's certificate is verified; by default against the system's certificate authorities."""

    ca: str | None = None  # path of a PEM bundle
    fingerprint: str | None = None  # "sha256:<64 hex digits>", lower case, no colons
    verify: bool = True  # every report mentions False


@dataclass(frozen=True, slots=True)
class Ssh:
    """How the host key of an SSH endpoint is verified; by default against the user's known_hosts file."""

    known_hosts: str | None = None  # path of a file in OpenSSH's form
    fingerprint: str | None = None  # "SHA256:<base64>", as ssh-keygen -l prints it
    verify: bool = True  # every report mentions False


@dataclass(frozen=True, slots=True)
class Limits:
    """The load that one endpoint may be put under."""

    concurrency: int = 16  # requests in flight
    timeout_seconds: float = 30.0  # to connect, between two reads, and for the head of an answer; ten times that for the whole of it


@dataclass(frozen=True, slots=True)
class RebootLimits:
    """How long each step of a host's reboot may take, in seconds; policy, and fleet.yaml may change it."""

    evacuate_seconds: float = 3600.0  # to move the machines away and be in maintenance mode
    return_seconds: float = 1800.0  # from the reboot until the host is connected again
    in_force_seconds: float = 300.0  # until every setting reads as in force
    leave_seconds: float = 600.0  # to leave maintenance mode


@dataclass(frozen=True, slots=True)
class Protection:
    """What is never written, whatever a rule asks for; what is given of the globs has to fit, all of it."""

    reason: str
    resource: str | None = None  # its name or id
    host: str | None = None
    cluster: str | None = None
    endpoint: str | None = None
    tag: str | None = None  # of vCenter, TAG or CATEGORY:TAG, on what is written or on its cluster


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to an endpoint and its whole answer, as they went over the wire, before anything was understood or masked.

    Attributes:
        operation: the method of the API, or the command line.
        method: of HTTP; "SSH" for a command line.
        path: with the query; empty for a command line.
        status: of HTTP; 0 for a command line.
        headers: of the answer, names in lower case.
        seconds: how long the answer took; 0 where that was not measured.
    """

    operation: str
    method: str
    path: str
    request: bytes
    status: int
    headers: Mapping[str, str]
    answer: bytes
    seconds: float = 0.0


Tap: TypeAlias = Callable[[Exchange], None]
"""Called with every exchange of an endpoint that is recorded, from several threads."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One management address that auditor logs in to.

    Attributes:
        username: empty where an API token is used alone (FlashArray).
        password: the reference to the password or the API token.
        tls: how the certificate of an HTTPS endpoint is verified.
        ssh: how the host key of an SSH endpoint (ETERNUS) is verified; None where it speaks HTTPS.
        tap: called with every exchange; None where nothing is recorded.
    """

    name: str
    kind: EndpointKind
    address: str  # host or IP, no scheme
    port: int
    username: str
    password: Secret
    tls: Tls = Tls()
    limits: Limits = Limits()
    ssh: Ssh | None = None
    lane: BulkTransport | None = None  # for a vCenter only; None: the fastest that it offers
    tap: Tap | None = field(default=None, compare=False, repr=False)

    @property
    def trust(self) -> str:
        """How the endpoint's identity is verified, as reports show it: verified, pinned or NOT VERIFIED."""
        way = self.ssh or self.tls
        if not way.verify:
            return "NOT VERIFIED"
        return "pinned" if way.fingerprint else "verified"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be read, and why; what depends on it is never a pass."""

    endpoint: str
    what: str  # the topic and the object, for example "esxcli storage core device list on esx-03"
    why: str


@dataclass(frozen=True, slots=True)
class Resource:
    """The object that a verdict is about."""

    kind: str  # the view a rule ranges over
    id: str  # unique within (kind, endpoint) and stable between runs
    name: str
    endpoint: str
    cluster: str | None  # vCenter cluster; None for array objects
    host: str | None  # host name; None where no single host is meant


@dataclass(frozen=True, slots=True)
class Target:
    """The place of one setting: the names and ids that a remediator needs to find it."""

    endpoint: str
    keys: tuple[tuple[str, str], ...]  # sorted (name, value), for example ("device", "naa.6f47...")

    def __getitem__(self, name: str) -> str:
        """The value of one key.

        Raises:
            KeyError: the target has no such key, because the rule's fix does not give it.
        """
        return dict(self.keys)[name]


@dataclass(frozen=True, slots=True)
class Change:
    """One setting with its value in the snapshot and the wanted value."""

    remediator: str
    fix_class: FixClass
    target: Target
    before: Scalar  # the value in the snapshot; None means the setting was absent
    after: Scalar
    rules: tuple[str, ...]  # every rule that wants it
    resource: Resource
    reason: str  # one sentence for the person who confirms
    takes: FixClass | None = None  # of class RETUNE: the class of what it takes, which has to be allowed as well
    collateral: str = ""  # what else a change reaches than it is meant for; '' where nothing
    number: int = field(default=0, compare=False)  # its place in the plan, from 1; 0: it was not planned, or by an older auditor
    waits_for: tuple[int, ...] = field(default=(), compare=False)  # the numbers of changes of that plan that have to end well before
    before_inherited: bool = False  # `before` came from a parent; known when it is written, so only a journal says so
    after_inherited: bool = False  # it is to come from the parent again, whatever that holds; `after` is what it was when it last did
    messages: tuple[str, ...] = field(
        default=(), compare=False
    )  # what is wrong, as its failures say; () of an undo, or by an older auditor

    @property
    def classes(self) -> tuple[FixClass, ...]:
        """Every class that has to be allowed."""
        return _classes(self)


@dataclass(frozen=True, slots=True)
class ByHand:
    """A failure that a person has to fix, because there is no remediator for it or it must not be fixed automatically."""

    rule: str
    resource: Resource
    why: str
    fix_class: FixClass = FixClass.MANUAL


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Rules want different values of one setting, to be written or by a person; none is applied."""

    remediator: str
    target: Target
    wants: tuple[tuple[str, Scalar], ...]  # (rule, value)
    reasons: tuple[str, ...] = field(default=(), compare=False)  # why, as many as `wants`
    resource: Resource | None = field(default=None, compare=False)  # what one of the failures is about


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """The failures of one rule that are not fixed because one waiver covers them."""

    rule: str
    count: int
    waiver: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Held:
    """A setting that stays as it is: some rules want it changed, but a failure of another rule about it is waived."""

    remediator: str
    target: Target
    wanted_by: tuple[str, ...]  # rules
    waived: str  # the other rule
    waiver: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A change that is left to a person: another one has to come first and is not in the plan, or something put it back before."""

    change: Change
    why: str


SETTING_KEYS = frozenset({"module", "option", "parameter", "field"})
"""The keys of a target that name a setting; the others name the place where it is."""


@dataclass(frozen=True, slots=True)
class Unusual:
    """Changes of one setting to a value that is nowhere in the fleet yet.

    Attributes:
        rule: the first that wants it.
        setting: the keys of their targets that name it; empty where the remediator has one setting.
        seen: what the fleet has, in words.
        numbers: of the changes, in their plan.
    """

    rule: str
    remediator: str
    setting: tuple[tuple[str, str], ...]
    wanted: Scalar
    seen: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to make, in their order, and what is left out; a plan can be saved and read."""

    changes: tuple[Change, ...] = ()
    by_hand: tuple[ByHand, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()
    held: tuple[Held, ...] = ()
    identities: Mapping[str, str | None] = field(default_factory=dict)  # by endpoint: whom the changes are meant for; None: not known
    unmet: tuple[Unmet, ...] = ()
    unusual: tuple[Unusual, ...] = ()
    arrays: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """By endpoint and host id, of hosts with changes: the arrays of fleet.yaml that carry its devices, as far as they were read."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a change, and the value read back."""

    change: Change
    outcome: Outcome
    found: Scalar  # the last value read from the endpoint; None also when nothing could be read
    why: str = ""
    pending: str | None = None  # "reboot" when the value is stored but not yet in effect


@dataclass(frozen=True, slots=True)
class DriftAge:
    """How long a drift has existed: the first of the consecutive saved runs that saw it."""

    run: str  # the id of that run
    at: datetime  # when that run began to read, UTC
    at_least: bool  # True when no earlier saved run saw another verdict: the drift may be older


@dataclass(frozen=True, slots=True)
class Fix:
    """The fix of one finding, as reports show it."""

    remediator: str | None
    fix_class: FixClass
    before: Scalar
    after: Scalar
    outcome: Outcome
    why: str = ""
    pending: str | None = None  # "reboot" when stored but not yet in effect
    target: tuple[tuple[str, str], ...] = ()  # where the setting lives, as Target.keys; empty when there is no remediator
    takes: FixClass | None = None  # as Change.takes
    collateral: str = ""  # as Change.collateral

    @property
    def classes(self) -> tuple[FixClass, ...]:
        """Every class that has to be allowed."""
        return _classes(self)


def _classes(one: Change | Fix) -> tuple[FixClass, ...]:
    return (one.fix_class,) if one.takes is None else (one.fix_class, one.takes)


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict of one rule on one resource, with the evidence."""

    rule: str
    title: str
    verdict: Verdict
    severity: Severity
    resource: Resource
    observed: Scalar
    desired: Scalar
    evidence: Mapping[str, Scalar]  # every column the rule read, and its value
    missing: tuple[str, ...] = ()  # for UNKNOWN: the columns that could not be read
    fix: Fix | None = None
    impact: Mapping[str, Any] = field(default_factory=dict)  # what it costs, docs/queue-model.md#report; empty where nothing computes it
    waiver: Mapping[str, Scalar] | None = None  # of a waived verdict: the verdict without the waiver, its owner and expiry
    lapsed_waiver: Mapping[str, Scalar] | None = None  # of another verdict: a waiver that matches, and why it is not in force
    drift_age: DriftAge | None = None  # of failures of drift rules only
    message: str = ""  # of failures, waived ones too: what is wrong with the resource; "" where its rule has no message


@dataclass(frozen=True, slots=True)
class EndpointReading:
    """The result of reading one endpoint."""

    name: str
    kind: str
    address: str
    version: str | None  # product and build; None when the endpoint never answered
    tls: str  # "verified", "pinned", or "NOT VERIFIED"
    started: datetime  # aware, UTC
    finished: datetime
    complete: bool  # False when there is a gap
    lane: str | None = None  # the BulkTransport that read a vCenter; None for arrays, and when the endpoint never answered
    notes: tuple[str, ...] = ()  # sentences that every reader must see and that are no gaps
    clock: str | None = None  # ISO 8601, a vCenter's own time before it was read; None when it was not read
    identity: str | None = None  # who it is by what it says of itself (auditor/identity.py); None when that is not known
    bug: str | None = None  # where a bug of ours ended the reading; None: none did


@dataclass(frozen=True, slots=True)
class ReadTime:
    """When an endpoint answered the requests of one topic; times are aware, UTC."""

    endpoint: str
    topic: str
    host: str | None  # the host whose facts were read; None: the endpoint's own, or those of all its hosts
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """One audit from the first read to the last verdict."""

    id: str  # sortable, for example 20261121T065500Z-1a2b
    started: datetime
    finished: datetime
    endpoints: tuple[EndpointReading, ...]
    hosts: int  # ESXi hosts seen
    read: tuple[ReadTime, ...] = ()  # by endpoint and topic; by host where facts were reused from an earlier run


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of verdicts; `by_severity` counts failures only."""

    fail: int = 0
    passed: int = 0
    unknown: int = 0
    not_applicable: int = 0
    waived: int = 0
    by_severity: Mapping[str, int] = field(default_factory=dict)
    waived_unknown: int = 0  # those of `waived` that would be unknown without the waiver

    @property
    def judged(self) -> int:
        """How many verdicts were reached: passes, failures, and failures that are waived."""
        return self.fail + self.passed + self.waived - self.waived_unknown

    @property
    def unjudged(self) -> int:
        """How many verdicts could not be reached, waived or not."""
        return self.unknown + self.waived_unknown

    @property
    def coverage(self) -> float:
        """The share of applicable verdicts that could be reached, 0 to 1; 0 when nothing applied."""
        applicable = self.judged + self.unjudged
        return self.judged / applicable if applicable else 0.0


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


@dataclass(frozen=True, slots=True)
class FixCertificate:
    """What a fix left to do: the fleet was read again, and planned anew by the same rules and allowed classes."""

    read_before: str  # digest of the snapshot that the fix was planned from
    read_after: str  # digest of the snapshot that was read after it
    made: int  # changes that were made
    left: int  # changes that the second plan would make; 0: the same fix again writes nothing
    journal: str | None  # digest that the run's journal ends with; None where it has none


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


class Health(StrEnum):
    """The state of one check of the doctor, worst first."""

    PROBLEM = "problem"  # something will not be audited, or the endpoint is not the one it seems to be
    UNKNOWN = "unknown"  # it could not be checked
    WARNING = "warning"  # it will be audited, and somebody should look at it
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the doctor on one endpoint.

    Attributes:
        endpoint: its name; empty for a check of fleet.yaml as a whole.
        topic: what was checked, for example "tls"; see `auditor.doctor.TOPICS`.
        what: the result, in words.
        why: what the reader loses because of it; empty where nothing is lost.
        do: what to do about it; something to paste where possible.
        facts: the result for programs.
    """

    endpoint: str
    topic: str
    state: Health
    what: str
    why: str = ""
    do: str = ""
    facts: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Every check of the doctor: by endpoint in the order of fleet.yaml, then those of the fleet as a whole."""

    started: datetime  # aware, UTC
    finished: datetime
    endpoints: tuple[Endpoint, ...]
    checks: tuple[Check, ...]

    def of(self, endpoint: str) -> tuple[Check, ...]:
        """The checks of one endpoint in the order they were made; "" means the fleet as a whole."""
        return tuple(check for check in self.checks if check.endpoint == endpoint)

    def count(self, state: Health) -> int:
        """How many checks have this state."""
        return sum(check.state is state for check in self.checks)
