"""Reports to render: a fleet after a bad night, a clean one, one that could not be read, and a huge one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from auditor.model import (
    Change,
    Document,
    DocumentKind,
    DriftAge,
    EndpointReading,
    Finding,
    Fix,
    FixClass,
    Gap,
    Origin,
    Outcome,
    Receipt,
    Report,
    Resource,
    RuleText,
    Run,
    Severity,
    Summary,
    Target,
    TrendPoint,
    Verdict,
)
from auditor.model.comparison import ChangedFinding, ChangeKind, Comparison
from auditor.model.scope import Scope

SCOPE = Scope("2b4d6f8091a3c5e7", "fleet.yaml", ("vc-east", "sf-01"), 2, 3, 116, ("--tag qos", "--tag vvol"))
STARTED = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
FINISHED = STARTED + timedelta(minutes=2, seconds=5)

DSNRO = RuleText(
    "vvol/pe-dsnro-headroom",
    "One throttled disk cannot fill a protocol endpoint's queue",
    Severity.HIGH,
    "All virtual volumes behind a protocol endpoint share one queue, so one throttled VM makes its neighbours wait.\n\n"
    "The array enforces a cap by delaying that volume's I/O. Users saw 300-400 ms where 3-4 ms was promised.",
    (("SolidFire, vVols and QoS, incident report 2018", None), ("Disk.SchedNumReqOutstanding", "https://example.net/kb/1268")),
    "Set DSNRO of the device to 256, one host at a time.",
)
SIOC = RuleText(
    "sioc/overlap-array-qos",
    "Storage I/O Control and array QoS do not throttle the same datastore",
    Severity.CRITICAL,
    "Two governors on one road: each takes the other's braking for congestion. A Storage vMotion hung twice.",
    (("Dell SCv3020 migration report", "https://example.net/scv3020"),),
    "Disable Storage I/O Control on the datastore.",
    documents=(
        Document(DocumentKind.VENDOR, "Resource Management", "GUID-1", "Requirements", "https://example.net/requirements"),
        Document(DocumentKind.HARDENING, "Guide 8", "esxi-8.sioc", quoted=True),
    ),
)
UNIFORM = RuleText(
    "vaai/uniform", "Every host of a cluster offloads alike", Severity.LOW, "A cluster behaves as its slowest host does.", (), "By hand."
)
RULES = (DSNRO, SIOC, UNIFORM)
ORIGIN = Origin("audit-svc", "jump-01.example.net", "0.1.0", "sha256:" + "ab" * 32, "sha256:" + "cd" * 32)
IMPACT = {
    "model": "queue",
    "queue": "esx-01.example.net/naa.1",
    "victims": ["vm-2 Hard disk 1", "vm-3 Hard disk 1"],
    "victims_count": 2,
    "behind": ["vm-1 Hard disk 1"],
    "quantity": "latency_ms",
    "now": [266.9, 382.7],
    "after": [0.9, 1.6],
    "worst_after": [0.9, 80.4],
    "inputs": [
        {"name": "depth now", "value": [32.0, 32.0], "unit": "commands", "basis": "measured", "source": "device_queue.depth_in_effect"}
    ],
}


def reading(name: str = "vc-east", kind: str = "vcenter", tls: str = "verified", *, complete: bool = True) -> EndpointReading:
    version = "VMware vCenter Server 8.0.3 build-24322831" if kind == "vcenter" else "Element 12.7"
    return EndpointReading(name, kind, f"{name}.example.net:443", version, tls, STARTED, FINISHED, complete)


def run(*endpoints: EndpointReading, hosts: int = 4, started: datetime = STARTED) -> Run:
    name = f"{started:%Y%m%dT%H%M%SZ}-1a2b"
    return Run(name, started, started + (FINISHED - STARTED), endpoints or (reading(), reading("sf-01", "element")), hosts)


def pe_finding(
    host: str = "esx-01.example.net",
    verdict: Verdict = Verdict.FAIL,
    *,
    name: str = "naa.6f47acc100000000612e3f4d00000001",
    cluster: str | None = "gold",
    observed: int | str | None = 32,
    fix: Fix | None = None,
    endpoint: str = "vc-east",
) -> Finding:
    if fix is None and verdict is Verdict.FAIL:
        fix = Fix("device.dsnro", FixClass.ONLINE_CAUTION, 32, 256, Outcome.PROPOSED, target=(("device", name), ("host_id", "host-1")))
    unknown = verdict is Verdict.UNKNOWN
    return Finding(
        DSNRO.id,
        DSNRO.title,
        verdict,
        DSNRO.severity,
        Resource("protocol_endpoint", f"{host}/{name}", name, endpoint, cluster, host),
        None if unknown else observed,
        None if unknown else 256,
        {
            "dsnro": None if unknown else observed,
            "queue_depth": 128,
            "deepest_disk_queue": 64,
            "per_object_qos": True,
            "family": "solidfire",
        },
        missing=("dsnro",) if unknown else (),
        fix=fix,
        impact=IMPACT if verdict is Verdict.FAIL else {},
        waiver={
            "verdict": "fail",
            "owner": "storage team",
            "reason": "replaced in May",
            "ticket": "CHG-77",
            "expires": "2027-06-01T00:00:00Z",
            "where": "waivers.yaml:2",
        }
        if verdict is Verdict.WAIVED
        else None,
    )


def sioc_finding(name: str = "ds-gold-07", verdict: Verdict = Verdict.FAIL) -> Finding:
    return Finding(
        SIOC.id,
        SIOC.title,
        verdict,
        SIOC.severity,
        Resource("datastore", f"datastore-{name}", name, "vc-east", "gold", None),
        verdict is Verdict.FAIL,
        desired=False,
        evidence={"sioc_enabled": verdict is Verdict.FAIL, "array_qos": True},
        fix=Fix("datastore.sioc", FixClass.ONLINE, before=True, after=False, outcome=Outcome.PROPOSED) if verdict is Verdict.FAIL else None,
    )


def receipt(outcome: Outcome = Outcome.APPLIED, *, found: int | None = 256, why: str = "", pending: str | None = None) -> Receipt:
    finding = pe_finding()
    target = Target("vc-east", (("device", finding.resource.name), ("host_id", "host-11")))
    change = Change("device.dsnro", FixClass.ONLINE_CAUTION, target, 32, 256, (DSNRO.id,), finding.resource, "gives neighbours room")
    return Receipt(change, outcome, found, why, pending)


def summary_of(findings: Iterable[Finding]) -> Summary:
    counts: Counter[Verdict] = Counter()
    severities: Counter[str] = Counter()
    for finding in findings:
        counts[finding.verdict] += 1
        if finding.verdict is Verdict.FAIL:
            severities[finding.severity] += 1
    return Summary(
        fail=counts[Verdict.FAIL],
        passed=counts[Verdict.PASS],
        unknown=counts[Verdict.UNKNOWN],
        not_applicable=counts[Verdict.NOT_APPLICABLE],
        waived=counts[Verdict.WAIVED],
        by_severity=dict(severities),
    )


def report_of(
    findings: Sequence[Finding], *, gaps: Sequence[Gap] = (), receipts: Sequence[Receipt] = (), run_: Run | None = None
) -> Report:
    return Report(run_ or run(), summary_of(findings), tuple(gaps), RULES, lambda: iter(findings), tuple(receipts))


def bad_night() -> Report:
    """Two rules fail, one host did not answer, one array was trusted blindly, one write did not stick."""
    findings = [
        sioc_finding(),
        *(pe_finding(f"esx-0{number}.example.net") for number in (1, 2)),
        pe_finding("esx-03.example.net", Verdict.UNKNOWN),
        pe_finding("esx-04.example.net", Verdict.WAIVED),
        *(sioc_finding(f"ds-{number}", Verdict.PASS) for number in range(5)),
        pe_finding("esx-05.example.net", Verdict.NOT_APPLICABLE),
    ]
    gap = Gap("vc-east", "esxcli storage core device list on esx-03.example.net", "the host is disconnected")
    receipts = (
        receipt(),
        receipt(Outcome.UNVERIFIED, found=32, why="the host took it and did nothing"),
        replace(receipt(pending="reboot"), change=replace(receipt().change, remediator="host.module_option", before=None)),
    )
    endpoints = replace(run(reading(complete=False), reading("sf-01", "element", "NOT VERIFIED"), hosts=5), origin=ORIGIN)
    return replace(report_of(findings, gaps=[gap], receipts=receipts, run_=endpoints), scope=SCOPE)


def clean() -> Report:
    return report_of([pe_finding(f"esx-0{number}.example.net", Verdict.PASS, observed=256) for number in (1, 2, 3, 4)])


def blind() -> Report:
    """No failure, because the vCenter could not be read."""
    gap = Gap("vc-east", "the endpoint", "no answer within 30 s")
    findings = [sioc_finding("ds-1", Verdict.PASS), pe_finding("esx-03.example.net", Verdict.UNKNOWN)]
    return report_of(findings, gaps=[gap], run_=run(reading(complete=False), reading("sf-01", "element")))


def huge(failing: int = 100_000, passing: int = 0, clusters: int = 200) -> Report:
    """Made anew at each pass: nothing of it is held."""
    rules = [
        replace(DSNRO, id=f"vvol/rule-{number:02}", severity=list(Severity)[number % 5], title=f"Lesson number {number}")
        for number in range(20)
    ]

    def findings() -> Iterator[Finding]:
        for number in range(failing):
            rule = rules[number * len(rules) // failing]
            host = f"esx-{number % 997:04}.dc{number % 7}.example.net"
            finding = pe_finding(host, name=f"naa.6f47acc1{number:024x}", cluster=f"cluster-{number % clusters:05}")
            yield replace(finding, rule=rule.id, title=rule.title, severity=rule.severity)
        passed = pe_finding(verdict=Verdict.PASS, observed=256)
        for _ in range(passing):
            yield passed

    severities = Counter(rules[number * len(rules) // failing].severity.value for number in range(failing))
    summary = Summary(fail=failing, passed=passing, by_severity=dict(severities))
    return Report(run(hosts=997), summary, (), (*rules, *RULES), findings)


def large_audit(failing: int = 250, rules: int = 60) -> Report:
    """As many failures as a real fleet has on a bad day, of many rules, with names and messages of a real length; and changes since."""
    texts = tuple(
        replace(
            DSNRO, id=f"topic-{n % 9}/a-rule-with-a-name-{n:02}", title=f"What rule {n} wants of a device, in a sentence", severity=severity
        )
        for n in range(rules)
        for severity in (list(Severity)[n * 5 // rules],)
    )
    findings = []
    for n in range(failing):
        text, host, name = texts[n * rules // failing], f"esx-{n % 40:02}.site-{n % 3}.example.net", f"naa.6f47acc1{n:024x}"
        message = f"{name} on {host}: the queue holds 32 commands (DSNRO 256, device 32), and {n} throttled disks send 256"
        finding = replace(pe_finding(host, name=name, cluster=f"cluster-{n % 7}"), rule=text.id, title=text.title, severity=text.severity)
        findings.append(replace(finding, message=message, impact=IMPACT if n % 2 else {}))
    gaps = [Gap("vc-east", f"esxcli storage core device list on esx-{n}", "the host is disconnected") for n in range(8)]
    notices = tuple(
        f"vc-east: rules contradict each other about device {n}: one wants 32, another 96, so nothing is planned." for n in range(3)
    )
    changed = [ChangedFinding(ChangeKind.NEW, None, one, "it passed then") for one in findings[:9]]
    fixed = ChangedFinding(ChangeKind.FIXED, sioc_finding(), sioc_finding(verdict=Verdict.PASS), "it passes now")
    counts = {ChangeKind.NEW: 9, ChangeKind.FIXED: 1}
    compared = Comparison(
        "20261120T065500Z-0a0a", STARTED - timedelta(days=1), counts, same_scope=True, listed=lambda: iter([*changed, fixed])
    )
    report = report_of(findings, gaps=gaps, run_=replace(run(hosts=40), origin=ORIGIN))
    scope = replace(SCOPE, rules=116, options=())
    earlier = [TrendPoint(STARTED - timedelta(days=30 - day), failing + 30 - day) for day in range(30)]
    return replace(report, rules=(*texts, *RULES), notices=notices, scope=scope, compared=compared, earlier=lambda: earlier)


HOSTILE_NAMES = (
    "<script>window.pwned=1</script>",
    "</script><img src=x onerror=window.pwned=1>",
    "<!-- <script ",
    '"\' onmouseover="window.pwned=1',
    "{{ 7*7 }}[bold]&amp;",
    "\x1b[31mred\x1b[0m\x07",
    "esx\r\nDRIFT: none",
    "مضيف-01",
    "txt.\u202eexe\u2066",
    "line\u2028end",
    "half \ud800",
    "x" * 3000,
)


def hostile() -> Report:
    """Everything a fleet, an account on it or a rule file can name, named by somebody who means harm."""
    findings, gaps, receipts = [], [], []
    for name in HOSTILE_NAMES:
        finding = pe_finding(name, name=name, cluster=name, observed=name, endpoint=name)
        unknown = replace(pe_finding(name, Verdict.UNKNOWN, name=name, cluster=name), missing=(name,))
        waived = replace(unknown, verdict=Verdict.WAIVED, waiver={"owner": name, "reason": name, "ticket": name})
        drifted = {"changed_at": name, "changed_by": name}
        failed = replace(
            finding, impact={"not_computed": name}, lapsed_waiver={"why": name}, drift_age=DriftAge(name, STARTED, at_least=True)
        )
        findings += [replace(failed, evidence={**finding.evidence, **drifted}), replace(unknown, waiver={"owner": name}), waived]
        gaps.append(Gap(name, name, name))
        change = replace(receipt().change, resource=finding.resource, before=name, after=name)
        receipts.append(Receipt(change, Outcome.REFUSED, name, name))
    findings.sort(key=lambda finding: finding.verdict is not Verdict.FAIL)
    endpoints = [replace(reading(), name=name, address=name, version=name) for name in HOSTILE_NAMES]
    report = report_of(findings, gaps=gaps, receipts=receipts, run_=run(*endpoints))
    sources = tuple((name, f"javascript:{name}") for name in HOSTILE_NAMES)
    text = replace(DSNRO, lesson="\n".join(HOSTILE_NAMES), sources=sources, fix_text=HOSTILE_NAMES[0])
    return replace(report, notices=HOSTILE_NAMES, rules=(text,))
