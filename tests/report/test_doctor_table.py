"""The doctor's table fits a narrow terminal, keeps what is to be pasted, and is harmless; its JSON obeys the published schema."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from importlib import resources

import jsonschema
import pytest

from auditor.model import Check, Diagnosis, Endpoint, EndpointKind, Health, Secret
from auditor.report.terminal.doctor import write_diagnosis, write_diagnosis_json

STARTED = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
PIN = f"sha256:{'0123456789abcdef' * 4}"


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


def endpoint(name: str, kind: EndpointKind = EndpointKind.VCENTER) -> Endpoint:
    return Endpoint(name, kind, f"{name}.example.net", 443, "audit", Secret("env", ("X",)))


def diagnosis(*checks: Check, names: tuple[str, ...] = ("vc-east", "vc-west")) -> Diagnosis:
    return Diagnosis(STARTED, STARTED + timedelta(seconds=1.5), tuple(endpoint(name) for name in names), checks)


ILL = diagnosis(
    Check("vc-east", "name", Health.OK, "vc-east.example.net is 192.0.2.7", facts={"addresses": "192.0.2.7"}),
    Check(
        "vc-east",
        "tls",
        Health.PROBLEM,
        "its certificate does not verify: self-signed certificate; for CN=vc-east, issued by CN=vc-east",
        "somebody else may be answering at that address.",
        f'compare with the certificate on the endpoint itself, then write `tls: {{fingerprint: "{PIN}"}}`.',
        facts={"fingerprint": PIN},
    ),
    Check("vc-east", "login", Health.UNKNOWN, "not asked: its certificate does not verify"),
    Check("vc-east", "version", Health.UNKNOWN, "not asked: its certificate does not verify"),
    Check("vc-east", "hosts", Health.UNKNOWN, "not asked: its certificate does not verify"),
    Check("vc-west", "clock", Health.WARNING, "5 min 0 s behind this machine", "times are compared.", "set both by NTP."),
    Check("", "rules", Health.OK, "18 rules, and endpoints of every kind that they need"),
)

TABLE = f"""\
 NOT READY  1 of 2 endpoints would not be audited completely: vc-east.
2026-11-21 06:55:00 UTC, took 1.5 s; nothing was written.

vc-east  vcenter, vc-east.example.net:443  problem
  ok      name      vc-east.example.net is 192.0.2.7
  problem tls       its certificate does not verify: self-signed certificate;
                    for CN=vc-east, issued by CN=vc-east
                    why: somebody else may be answering at that address.
                    do:  compare with the certificate on the endpoint itself,
                         then write `tls: {{fingerprint:
                         "{PIN[:54]}
                         {PIN[54:]}"}}`.
  unknown login, version, hosts
                    not asked: its certificate does not verify

vc-west  vcenter, vc-west.example.net:443  warning
  warning clock     5 min 0 s behind this machine
                    why: times are compared.
                    do:  set both by NTP.

fleet.yaml
  ok      rules     18 rules, and endpoints of every kind that they need
"""


def table(of: Diagnosis) -> str:
    out = io.StringIO()
    write_diagnosis(of, out)
    return out.getvalue()


def test_an_ill_fleet_reads_like_this_at_eighty_columns() -> None:
    assert table(ILL) == TABLE


def test_a_wide_terminal_keeps_what_is_to_be_pasted_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert f'then write `tls: {{fingerprint: "{PIN}"}}`.' in table(ILL)


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_nothing_runs_over_the_edge_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = table(ILL)
    assert max(map(len, text.splitlines())) <= columns
    flat = "".join(text.split())
    for check in ILL.checks:
        assert all("".join(part.split()) in flat for part in (check.what, check.why, check.do))


@pytest.mark.parametrize(
    ("state", "line"),
    [
        pytest.param(Health.OK, " READY  All 2 endpoints can be audited.", id="well"),
        pytest.param(Health.WARNING, " READY  All 2 endpoints can be audited, with 1 warning.", id="a warning"),
        pytest.param(Health.UNKNOWN, " NOT READY  1 of 2 endpoints would not be audited completely: vc-east.", id="unknown"),
        pytest.param(Health.PROBLEM, " NOT READY  1 of 2 endpoints would not be audited completely: vc-east.", id="a problem"),
    ],
)
def test_the_first_line_says_whether_the_fleet_can_be_audited(state: Health, line: str) -> None:
    assert table(diagnosis(Check("vc-east", "login", state, "as audit"))).splitlines()[0] == line


def test_of_many_endpoints_some_are_named_and_the_rest_is_counted() -> None:
    names = tuple(f"vc-{number}" for number in range(7))
    ill = diagnosis(*(Check(name, "port", Health.PROBLEM, "refused") for name in names), names=names)
    assert "7 of 7 endpoints would not be audited completely: vc-0, vc-1, vc-2, vc-3, vc-4 and 2 more." in " ".join(table(ill).split())


def test_what_endpoints_say_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in table(diagnosis(Check("vc-east", "version", Health.OK, "\x1b[2Jnothing to see")))


def test_the_json_obeys_the_published_schema_and_keeps_every_word() -> None:
    out = io.StringIO()
    write_diagnosis_json(ILL, out)
    document = json.loads(out.getvalue())
    schema = json.loads((resources.files("auditor.report") / "doctor.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert document["schema_version"] == 1
    assert document["summary"] == {"problem": 1, "unknown": 3, "warning": 1, "ok": 2}
    assert [(one["name"], one["state"]) for one in document["endpoints"]] == [("vc-east", "problem"), ("vc-west", "warning")]
    assert document["endpoints"][0]["checks"][1]["facts"] == {"fingerprint": PIN}
    assert [check["topic"] for check in document["fleet"]] == ["rules"]
    words = [(check["what"], check["why"], check["do"]) for one in document["endpoints"] for check in one["checks"]]
    assert words == [(check.what, check.why, check.do) for check in ILL.checks if check.endpoint]
