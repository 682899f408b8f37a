"""The JSON report keeps its published contract, is written as it is read, and can be read back."""

from __future__ import annotations

import io
import json
import math
import re
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, TextIO

import jsonschema
import pytest

from auditor.errors import SnapshotError
from auditor.model import Finding, FixCertificate, ReadTime, Report, Verdict
from auditor.report.html.report import write_html
from auditor.report.json.reading import load_report
from auditor.report.json.report import write_full_json, write_json
from auditor.report.terminal.table import write_table
from tests.report import samples
from tests.report.schemas import report_schema

VALIDATOR = jsonschema.Draft202012Validator(report_schema(), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)


def rendered(report: Report, write: Callable[[Report, TextIO], None] = write_full_json) -> str:
    out = io.StringIO()
    write(report, out)
    return out.getvalue()


def test_the_schema_is_itself_sound() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())


@pytest.mark.parametrize(
    "report",
    [samples.bad_night, samples.clean, samples.blind, samples.hostile, lambda: samples.report_of([])],
    ids=["drift", "clean", "unread fleet", "hostile names", "nothing judged"],
)
@pytest.mark.parametrize("write", [write_json, write_full_json], ids=["json", "json-full"])
def test_a_real_report_obeys_the_schema(report: Callable[[], Report], write: Callable[[Report, TextIO], None]) -> None:
    VALIDATOR.validate(json.loads(rendered(report(), write)))


def test_json_lists_what_somebody_has_to_read_and_counts_the_rest_by_rule() -> None:
    full, short = (json.loads(rendered(samples.bad_night(), write)) for write in (write_full_json, write_json))
    assert short["listed"] == ["fail", "unknown", "waived"]
    assert [finding["verdict"] for finding in short["findings"]] == ["fail"] * 3 + ["unknown", "waived"]
    assert short["findings"] == full["findings"][:5]
    nothing = {"fail": 0, "unknown": 0, "waived": 0, "pass": 0, "not_applicable": 0}
    assert short["by_rule"] == [
        {**nothing, "rule": "vvol/pe-dsnro-headroom", "fail": 2, "unknown": 1, "waived": 1, "not_applicable": 1},
        {**nothing, "rule": "sioc/overlap-array-qos", "fail": 1, "pass": 5},
        {**nothing, "rule": "vaai/uniform"},
    ]
    assert {**full, "listed": None, "findings": None} == {**short, "listed": None, "findings": None}
    assert sorted(full["listed"]) == sorted(Verdict)


@pytest.mark.long
def test_a_thousand_hosts_with_ten_thousand_findings_are_below_31_mb() -> None:
    """Each a tenth larger than the mean of the lab's incidents, which was 2,234 bytes on 2026-11-23 (the largest: 4,462)."""
    huge = samples.huge(10_000)
    read = tuple(
        ReadTime("vc-east", f"topic-{topic}", f"esx-{number:04}.dc1.example.net", samples.STARTED, samples.FINISHED)
        for number in range(1_000)
        for topic in range(10)
    )

    def findings() -> Iterator[Finding]:
        quiet = {"not_computed": "no command is known to wait in the queues that it is about"}
        for number, finding in enumerate(huge.findings()):
            evidence = {**finding.evidence, **{f"evidence_{place}": "x" * 60 for place in range(20)}}
            yield replace(finding, evidence=evidence, impact=quiet if number % 10 else finding.impact)  # a tenth of the queues is full

    text = rendered(replace(huge, findings=findings, run=replace(huge.run, hosts=1_000, read=read)), write_json)
    assert len(text.splitlines()[1]) > 2_457
    assert len(text) < 31_000_000  # an impact says its direction, and whether its size is known


def test_a_report_that_lists_some_verdicts_only_is_not_shown_again_as_if_it_had_all(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(rendered(samples.bad_night(), write_json))
    with pytest.raises(SnapshotError, match="--reporter json-full has all"):
        load_report(path)


def _as_version_1(text: str) -> str:
    """The same report as auditor wrote it before version 2."""
    lines = text.splitlines()
    head, tail = json.loads(lines[0].removesuffix(', "findings": [') + "}"), json.loads("{" + lines[-1].removeprefix("],"))
    del head["listed"], tail["by_rule"]
    first = json.dumps({**head, "schema_version": 1})[:-1]
    return "\n".join([f'{first}, "findings": [', *lines[1:-1], f"], {json.dumps(tail)[1:]}"]) + "\n"


def test_a_report_of_version_1_is_read_as_it_was_and_keeps_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    night = samples.bad_night()
    night = replace(night, findings=lambda: (replace(one, impact={}) for one in samples.bad_night().findings()))  # it had none then
    path.write_text(_as_version_1(rendered(night)))
    text = (resources.files("auditor.report") / "report.v1.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(json.loads(text)).validate(json.loads(path.read_text()))
    assert rendered(load_report(path)) == rendered(night)


def _without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.pop(name)


def _first(change: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["findings"][0].update(change)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(_without("findings"), id="no findings"),
        pytest.param(_without("coverage"), id="no coverage"),
        pytest.param(_without("listed"), id="which verdicts it lists is not said"),
        pytest.param(lambda document: document["by_rule"][0].pop("unknown"), id="a rule whose unknown verdicts are not counted"),
        pytest.param(lambda document: document["summary"].pop("waived"), id="a verdict left uncounted"),
        pytest.param(lambda document: document.update(schema_version=1), id="another version"),
        pytest.param(lambda document: document["coverage"].update(ratio=1.5), id="more than everything judged"),
        pytest.param(lambda document: document["summary"].update(fail="3"), id="a count that is text"),
        pytest.param(lambda document: document["summary"]["by_severity"].update(urgent=1), id="an unknown severity"),
        pytest.param(lambda document: document["run"].update(started="21.11.2026"), id="a time that is not ISO 8601"),
        pytest.param(_first({"verdict": "ok"}), id="an unknown verdict"),
        pytest.param(_first({"resource": {"kind": "host"}}), id="a resource without a name"),
        pytest.param(_first({"evidence": {"dsnro": [32]}}), id="evidence that is not a scalar"),
        pytest.param(_first({"fix": {"remediator": "device.dsnro"}}), id="half a fix"),
        pytest.param(lambda document: document["findings"][0]["fix"].update(outcome="done"), id="an unknown outcome"),
        pytest.param(lambda document: document["gaps"][0].pop("why"), id="a gap without a reason"),
    ],
)
def test_a_broken_report_is_refused(spoil: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(rendered(samples.bad_night()))
    spoil(document)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)


def test_fields_that_a_later_version_adds_are_accepted() -> None:
    document = json.loads(rendered(samples.bad_night()))
    document["added"] = document["findings"][0]["added"] = document["run"]["added"] = 1
    VALIDATOR.validate(document)


def test_a_report_of_an_auditor_that_knew_no_documents_is_read_without(tmp_path: Path) -> None:
    text = rendered(samples.bad_night())
    older = re.sub(r', "documents": \[[^\]]*\]', "", text)
    assert len(json.loads(text)["rules"][1]["documents"]) == 2
    assert all("documents" not in rule for rule in json.loads(older)["rules"])
    path = tmp_path / "report.json"
    path.write_text(older)
    assert [rule.documents for rule in load_report(path).rules] == [(), (), ()]


def test_a_finding_says_what_the_contract_promises() -> None:
    document = json.loads(rendered(samples.bad_night()))
    assert document["coverage"] == {"judged": 9, "unknown": 1, "ratio": 0.9}
    assert document["summary"] == {
        "fail": 3,
        "pass": 5,
        "unknown": 1,
        "not_applicable": 1,
        "waived": 1,
        "by_severity": {"critical": 1, "high": 2},
        "waived_unknown": 0,
        "accepted_unknown": 0,
    }
    assert document["findings"][1] == {
        "id": "28289e63bcf0",  # sha256 of rule, endpoint, kind and resource id with zero bytes between them, made by another program
        "rule": "vvol/pe-dsnro-headroom",
        "title": "One throttled disk cannot fill a protocol endpoint's queue",
        "message": "naa.6f47acc100000000612e3f4d00000001: observed 32, desired 256. "
        "Wanted: One throttled disk cannot fill a protocol endpoint's queue",
        "verdict": "fail",
        "severity": "high",
        "resource": {
            "kind": "protocol_endpoint",
            "id": "esx-01.example.net/naa.6f47acc100000000612e3f4d00000001",
            "name": "naa.6f47acc100000000612e3f4d00000001",
            "endpoint": "vc-east",
            "cluster": "gold",
            "host": "esx-01.example.net",
        },
        "observed": 32,
        "desired": 256,
        "evidence": {"dsnro": 32, "queue_depth": 128, "deepest_disk_queue": 64, "per_object_qos": True, "family": "solidfire"},
        "missing": [],
        "impact": samples.IMPACT,
        "fix": {
            "remediator": "device.dsnro",
            "class": "online-caution",
            "before": 32,
            "after": 256,
            "outcome": "proposed",
            "why": "",
            "pending": None,
            "target": {"device": "naa.6f47acc100000000612e3f4d00000001", "host_id": "host-1"},
            "unit": "commands",
        },
        "waiver": None,
        "lapsed_waiver": None,
        "since": None,
    }
    assert [finding["verdict"] for finding in document["findings"]].count("pass") == 5, "passes are findings too"
    assert document["findings"][3]["missing"] == ["dsnro"]
    assert document["gaps"] == [
        {
            "endpoint": "vc-east",
            "what": "esxcli storage core device list on esx-03.example.net",
            "why": "the host is disconnected",
            "accepted": None,
        }
    ]


@pytest.mark.parametrize(("value", "name"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")])
def test_a_number_that_json_does_not_have_is_named(value: float, name: str) -> None:
    finding = replace(samples.pe_finding(), observed=value, evidence={"ratio": value})
    read = json.loads(rendered(samples.report_of([finding])), parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
    assert read["findings"][0]["observed"] == read["findings"][0]["evidence"]["ratio"] == name


@pytest.mark.long
def test_findings_are_written_as_they_come_and_none_is_held() -> None:
    written: list[int] = []

    class Out(io.StringIO):
        def write(self, text: str) -> int:
            written.append(len(text))
            return len(text)

    seen_before_the_last = 0

    def findings() -> Iterator[Finding]:
        nonlocal seen_before_the_last
        for number in range(5_000):
            seen_before_the_last = sum(written) if number == 4_999 else 0
            yield samples.pe_finding(f"esx-{number}", Verdict.PASS)

    report = replace(samples.clean(), findings=findings)
    tracemalloc.start()
    try:
        write_full_json(report, Out())
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen_before_the_last > 2_500_000
    assert peak_bytes < 1_500_000


@pytest.mark.parametrize("report", [samples.bad_night, samples.clean, samples.hostile], ids=["drift", "clean", "hostile names"])
def test_a_report_reads_back_as_it_was_written(tmp_path: Path, report: Callable[[], Report]) -> None:
    first = rendered(report())
    path = tmp_path / "report.json"
    path.write_text(first)
    again = load_report(path)
    assert rendered(again) == first
    assert rendered(again) == first, "a second pass over the findings differs"
    assert list(again.findings()) == list(report().findings())
    assert (again.run, again.summary, again.gaps, again.receipts) == (report().run, report().summary, report().gaps, report().receipts)
    assert again.scope == report().scope


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        pytest.param(lambda text: text[: len(text) // 2], "do not end", id="torn"),
        pytest.param(lambda text: "", "does not open", id="empty"),
        pytest.param(lambda text: json.dumps(json.loads(text), indent=1), "does not open", id="laid out anew"),
        pytest.param(lambda text: text.replace('"schema_version": 2', '"schema_version": 9'), "version 9", id="a later version"),
    ],
)
def test_a_report_that_cannot_be_read_back_says_why(tmp_path: Path, spoil: Callable[[str], str], why: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(spoil(rendered(samples.bad_night())))
    with pytest.raises(SnapshotError, match=why):
        load_report(path)


def test_an_incomplete_finding_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(rendered(samples.bad_night()).replace('"verdict": "unknown"', '"verdict": "unkn'))
    with pytest.raises(SnapshotError, match="a finding is incomplete"):
        list(load_report(path).findings())


def test_a_report_says_who_each_endpoint_is_and_one_of_an_older_auditor_is_read_without(tmp_path: Path) -> None:
    report = samples.clean()
    readings = (replace(report.run.endpoints[0], identity="4c4c-11"), *report.run.endpoints[1:])
    text = rendered(replace(report, run=replace(report.run, endpoints=readings)))
    VALIDATOR.validate(json.loads(text))
    kept = tmp_path / "report.json"
    kept.write_text(text)
    assert load_report(kept).run.endpoints[0].identity == "4c4c-11"
    kept.write_text(text.replace(', "identity": "4c4c-11"', "").replace(', "identity": null', ""))
    assert load_report(kept).run.endpoints[0].identity is None


@pytest.mark.parametrize(("left", "text"), [(0, "would change nothing more."), (3, "would make 3 further changes.")])
def test_a_fix_says_in_every_format_what_it_left_to_do(tmp_path: Path, left: int, text: str) -> None:
    certificate = FixCertificate("sha256:" + "a" * 64, "sha256:" + "b" * 64, 12, left, "c" * 64)
    report = replace(samples.bad_night(), certificate=certificate)
    document = json.loads(rendered(report))
    VALIDATOR.validate(document)
    assert document["certificate"] == {
        "read_before": "sha256:" + "a" * 64,
        "read_after": "sha256:" + "b" * 64,
        "made": 12,
        "left": left,
        "journal": "c" * 64,
    }
    (tmp_path / "report.json").write_text(rendered(report), encoding="utf-8")
    assert load_report(tmp_path / "report.json").certificate == certificate
    for write in (write_table, write_html):
        out = io.StringIO()
        write(report, out)
        assert text in " ".join(out.getvalue().split())
        assert "12 changes made" in " ".join(out.getvalue().split())


def test_what_a_plugin_read_is_said_in_every_form_and_read_back(tmp_path: Path) -> None:
    before = samples.clean()
    acme = replace(samples.reading("a1", "acme"), plugin="auditor-acme 1.2")
    report = replace(before, run=replace(before.run, endpoints=(*before.run.endpoints, acme, replace(acme, name="a2"))))
    document = json.loads(rendered(report))
    VALIDATOR.validate(document)
    assert [one.get("plugin") for one in document["run"]["endpoints"]][-2:] == ["auditor-acme 1.2"] * 2
    assert all("plugin" not in one for one in document["run"]["endpoints"][:-2])
    assert "acme, read by auditor-acme 1.2" in rendered(report, write_html)
    sentence = "The kind acme is read by auditor-acme 1.2, which is no part of auditor: a1, a2."
    for write in (write_html, write_table):
        assert " ".join(rendered(report, write).split()).count(sentence) == 1
    (tmp_path / "report.json").write_text(rendered(report), encoding="utf-8")
    assert load_report(tmp_path / "report.json").run.endpoints[-1].plugin == "auditor-acme 1.2"
