"""The nouns: frozen values that one stage hands to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime

Scalar: TypeAlias = bool | int | float | str | None


class EndpointKind(StrEnum):
    """What answers at an endpoint's address; the folder of `auditor.endpoints` of that name says all about it."""

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
    """What one rule says of one resource."""

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


class Outcome(StrEnum):
    """What became of a change."""

    PROPOSED = "proposed"  # planned, not attempted in this run
    APPLIED = "applied"  # written, and read back as wanted
    ALREADY = "already"  # was as wanted before we wrote
    STALE = "stale"  # differs from what the plan saw: nothing written
    UNVERIFIED = "unverified"  # written, and not read back as wanted
    REFUSED = "refused"  # a guard, an interlock or the endpoint said no
    BY_HAND = "by_hand"  # no remediator, or the class is manual


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential by reference; the text is looked up only when a session opens.

    Exactly one way is set. `repr` never shows a value, only where it would come from.
    """

    way: str  # "env", "file", "keyring" or "command"
    argument: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tls:
    """How an endpoint's certificate is checked; the default is the system's authorities."""

    ca: str | None = None  # path of a PEM bundle
    fingerprint: str | None = None  # "sha256:<64 hex digits>", lower case, no colons
    verify: bool = True  # False is said in every report


@dataclass(frozen=True, slots=True)
class Ssh:
    """How the host key of an endpoint that speaks SSH is checked; the default is the user's own known_hosts file."""

    known_hosts: str | None = None  # path of a file in OpenSSH's form
    fingerprint: str | None = None  # "SHA256:<base64>", as ssh-keygen -l prints it
    verify: bool = True  # False is said in every report


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard one endpoint may be asked."""

    concurrency: int = 16  # requests in flight
    timeout_seconds: float = 30.0  # to connect, and between two reads


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One management address we log in to.

    Attributes:
        username: empty where an API token is all there is (FlashArray).
        password: where the password, or the API token, comes from.
        tls: how an endpoint proves who it is that speaks HTTPS.
        ssh: likewise of one that speaks SSH (ETERNUS); None where it speaks HTTPS.
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
    lane: BulkTransport | None = None  # a vCenter only; None is the fastest that it offers

    @property
    def trust(self) -> str:
        """How it proves who it is, as reports say it: verified, pinned or NOT VERIFIED."""
        way = self.ssh or self.tls
        if not way.verify:
            return "NOT VERIFIED"
        return "pinned" if way.fingerprint else "verified"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be read, and why; never a pass."""

    endpoint: str
    what: str  # the topic and the object, for example "esxcli storage core device list on esx-03"
    why: str


@dataclass(frozen=True, slots=True)
class Resource:
    """What a verdict is about."""

    kind: str  # the view a rule ranges over
    id: str  # unique within (kind, endpoint) and stable between runs
    name: str
    endpoint: str
    cluster: str | None  # vCenter cluster; None for array objects
    host: str | None  # host name; None where no single host is meant


@dataclass(frozen=True, slots=True)
class Target:
    """Where a setting lives: what a remediator needs to find it, by name."""

    endpoint: str
    keys: tuple[tuple[str, str], ...]  # sorted (name, value), for example ("device", "naa.6f47...")

    def __getitem__(self, name: str) -> str:
        """The value of one key.

        Raises:
            KeyError: the rule that made the change did not name this key.
        """
        return dict(self.keys)[name]


@dataclass(frozen=True, slots=True)
class Change:
    """One setting, from what was seen to what is wanted."""

    remediator: str
    fix_class: FixClass
    target: Target
    before: Scalar  # as the snapshot read it; None means the setting was absent
    after: Scalar
    rules: tuple[str, ...]  # every rule that asked for it
    resource: Resource
    reason: str  # one sentence for the person who confirms


@dataclass(frozen=True, slots=True)
class ByHand:
    """A failure that no remediator mends, or must not: what a person has to do."""

    rule: str
    resource: Resource
    why: str
    fix_class: FixClass = FixClass.MANUAL


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two rules want one setting different; neither is applied."""

    remediator: str
    target: Target
    wants: tuple[tuple[str, Scalar], ...]  # (rule, value)


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """Failures of one rule that no fix is planned for, because a waiver covers them."""

    rule: str
    count: int
    waiver: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Held:
    """A setting that failures of some rules want changed, while a failure of another rule over it is waived; it is left as it is."""

    remediator: str
    target: Target
    wanted_by: tuple[str, ...]  # rules
    waived: str  # the other rule
    waiver: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Plan:
    """What could be changed, in the order it would be: a value that can be saved and read."""

    changes: tuple[Change, ...] = ()
    by_hand: tuple[ByHand, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a change, and what was read back."""

    change: Change
    outcome: Outcome
    found: Scalar  # the last value read from the endpoint; None also when nothing could be read
    why: str = ""
    pending: str | None = None  # "reboot" when the value is stored but not yet in effect


@dataclass(frozen=True, slots=True)
class DriftAge:
    """Since when a failure of drift is there."""

    run: str  # the first kept run of an unbroken line of runs that saw it fail
    at: datetime  # when that run began to read, UTC
    at_least: bool  # no earlier run is kept, or looked at, that saw it otherwise: it may be there for longer


@dataclass(frozen=True, slots=True)
class Fix:
    """The fix of one finding as reports show it."""

    remediator: str | None
    fix_class: FixClass
    before: Scalar
    after: Scalar
    outcome: Outcome
    why: str = ""
    pending: str | None = None  # "reboot" when stored but not yet in effect
    target: tuple[tuple[str, str], ...] = ()  # where the setting lives, as Target.keys; empty when there is no remediator


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule's verdict on one resource, with the evidence."""

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
    impact: Mapping[str, Scalar] = field(default_factory=dict)
    waiver: Mapping[str, Scalar] | None = None  # of a waived verdict: what it was, and who answers for it until when
    lapsed_waiver: Mapping[str, Scalar] | None = None  # of one that is not: a waiver that is for it, and why it is not in force
    drift_age: DriftAge | None = None  # of failures of drift only


@dataclass(frozen=True, slots=True)
class EndpointReading:
    """How the reading of one endpoint went."""

    name: str
    kind: str
    address: str
    version: str | None  # product and build; None when it never answered
    tls: str  # "verified", "pinned", or "NOT VERIFIED"
    started: datetime  # aware, UTC
    finished: datetime
    complete: bool  # False when it left a gap
    lane: str | None = None  # by which a vCenter was read in bulk; None for arrays, and for what never answered
    notes: tuple[str, ...] = ()  # what every reader must be told of it and is no gap, in sentences
    clock: str | None = None  # ISO 8601, what a vCenter's own clock said before it was read; None when that was not asked


@dataclass(frozen=True, slots=True)
class ReadTime:
    """When an endpoint answered one topic of the reading; instants aware, UTC."""

    endpoint: str
    topic: str
    host: str | None  # whose answer it is; None: the endpoint's own, or those of all its hosts
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
    read: tuple[ReadTime, ...] = ()  # by endpoint and topic; of one host where its answer was taken over from an earlier run


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of verdicts; `by_severity` counts failures only."""

    fail: int = 0
    passed: int = 0
    unknown: int = 0
    not_applicable: int = 0
    waived: int = 0
    by_severity: Mapping[str, int] = field(default_factory=dict)
    waived_unknown: int = 0  # those of `waived` that could not be judged: somebody answers for it, and nobody knows any more for that

    @property
    def judged(self) -> int:
        """Verdicts that say something: fail, pass, and failures that are waived."""
        return self.fail + self.passed + self.waived - self.waived_unknown

    @property
    def unjudged(self) -> int:
        """Verdicts that could not be reached, waived or not."""
        return self.unknown + self.waived_unknown

    @property
    def coverage(self) -> float:
        """The share of applicable verdicts that could be reached, 0 to 1; 0 when nothing applied."""
        asked = self.judged + self.unjudged
        return self.judged / asked if asked else 0.0


@dataclass(frozen=True, slots=True)
class RuleText:
    """What a report shows of a rule."""

    id: str
    title: str
    severity: Severity
    lesson: str
    sources: tuple[tuple[str, str | None], ...]  # (what, url)
    fix_text: str
    unknown_text: str = ""  # what to do where the verdict is unknown; empty when the rule does not say


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reporter renders; nothing is decided after it is made."""

    run: Run
    summary: Summary
    gaps: tuple[Gap, ...]
    rules: tuple[RuleText, ...]
    findings: Callable[[], Iterator[Finding]]  # a fresh pass each call, worst first; may be millions
    receipts: tuple[Receipt, ...] = ()
    notices: tuple[str, ...] = ()  # what every reader must be told, for example that TLS was not verified


class Health(StrEnum):
    """What the doctor says of one thing, worst first."""

    PROBLEM = "problem"  # something will not be audited, or not by whom it seems
    UNKNOWN = "unknown"  # it could not be asked
    WARNING = "warning"  # it will be audited, and somebody should look
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at, on one endpoint.

    Attributes:
        endpoint: its name; empty for what is about fleet.yaml as a whole.
        topic: what was looked at, for example "tls"; see `auditor.doctor.TOPICS`.
        what: what was found, in words.
        why: what the reader loses by it; empty where nothing is lost.
        do: what to do about it, to paste where that is possible.
        facts: what was found, for programs.
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
    """Everything the doctor found, endpoint by endpoint in the order of fleet.yaml, then what is about the fleet."""

    started: datetime  # aware, UTC
    finished: datetime
    endpoints: tuple[Endpoint, ...]
    checks: tuple[Check, ...]

    def of(self, endpoint: str) -> tuple[Check, ...]:
        """The checks of one endpoint, in the order they were made; "" is the fleet as a whole."""
        return tuple(check for check in self.checks if check.endpoint == endpoint)

    def count(self, state: Health) -> int:
        """How many checks ended so."""
        return sum(check.state is state for check in self.checks)
