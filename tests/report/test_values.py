"""Values have units, and where there is no limit it says so in words, in the table and in JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from auditor.endpoints.settings import remediator_names
from auditor.engine.rules.checked import checked_rules
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.text import text_of
from auditor.facts.catalog import view_columns
from auditor.model import Change, Fix, FixClass, Outcome, Receipt, Report, RuleText, Scalar, Target, Verdict
from auditor.pipeline.policy import shipped_rules
from auditor.report.json.report import write_json
from auditor.report.setting_values import from_to_text
from auditor.report.shown_values import no_limits, quantity_text, shown_values
from auditor.report.terminal.receipts import narrated
from auditor.report.terminal.table import write_table
from tests.report import samples
from tests.report.schemas import report_schema


def a_change(remediator: str, before: Scalar, after: Scalar, **keys: str) -> Change:
    target = Target("vc-east", tuple(sorted(keys.items())))
    return Change(remediator, FixClass.ONLINE, target, before, after, ("a/rule",), samples.pe_finding().resource, "why")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        pytest.param(a_change("device.dsnro", 32, 256), "32 -> 256 commands", id="a queue"),
        pytest.param(a_change("vm.disk_limit", -1, 200), "unlimited -> 200 IOPS", id="no limit that is a number"),
        pytest.param(a_change("vm.disk_limit", 1000, -1), "1000 IOPS -> unlimited", id="a limit that goes"),
        pytest.param(a_change("flasharray.volume_limit", None, 5000, field="iops_limit"), "unlimited -> 5000 IOPS", id="no value"),
        pytest.param(a_change("host.option", 512, 128, option="ISCSI.MaxIoSizeKB"), "512 -> 128 KiB", id="an option in KB"),
        pytest.param(
            a_change("host.module_option", None, 256, parameter="iscsivmk_LunQDepth"),
            "absent -> 256 commands",
            id="a parameter that is not set",
        ),
        pytest.param(a_change("host.option", 8, 32, option="Net.TcpipHeapSize"), "8 -> 32 MB", id="a heap"),
        pytest.param(a_change("iscsi.target_option", 5, 30, option="LoginTimeout"), "5 -> 30 s", id="seconds"),
        pytest.param(a_change("datastore.sioc", before=True, after=False), "true -> false", id="a switch has no unit"),
        pytest.param(a_change("host.option", 1, 0, option="VMFS3.HardwareAcceleratedLocking"), "1 -> 0", id="nor has a 1 that is a switch"),
    ],
)
def test_a_change_shows_its_values_with_their_unit(change: Change, text: str) -> None:
    assert from_to_text(change) == text


def test_a_value_that_could_not_be_read_back_is_not_called_unlimited() -> None:
    change = a_change("flasharray.volume_limit", None, 5000, field="iops_limit")
    line = narrated(Receipt(change, Outcome.UNVERIFIED, None, "the array did not answer"))
    assert "UNVERIFIED; found absent" in line


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (80.02, "%", "80.02 %"),
        (0.25, "share", "25 %"),
        (1500, "us", "1.5 ms"),
        (3, "/s", "3/s"),
        (8388608, "bytes/s", "8 MiB/s"),
        (512, "bytes", "512 bytes"),
    ],
)
def test_a_quantity_in_words(value: float, unit: str, text: str) -> None:
    assert quantity_text(value, unit) == text


@pytest.fixture(scope="module")
def shipped() -> dict[str, RuleText]:
    rules = load_rules([shipped_rules()], view_columns(), remediator_names(), checked_rules())
    return {rule.id: text_of(rule) for rule in rules.rules.values()}


@pytest.mark.parametrize(
    ("rule", "observed", "desired"),
    [
        ("vvol/pe-dsnro-headroom", "commands", "commands"),
        ("ontap/disk-busy", "%", "%"),
        ("diag/davg", "ms", "ms"),
        ("iscsi/login-timeout", "s", "s"),
        ("iscsi/max-io-size", "KiB", "KiB"),
        ("vm/iops-limits", "IOPS", ""),
        ("queue/raise-both", "commands", "commands"),
    ],
)
def test_a_shipped_rule_knows_the_units_of_what_it_observes(shipped: dict[str, RuleText], rule: str, observed: str, desired: str) -> None:
    units = shipped[rule].units
    assert (units["observed"][0], units.get("desired", ("", ""))[0]) == (observed, desired)


def test_a_limit_that_is_not_there_is_unlimited() -> None:
    rule = replace(samples.DSNRO, units={"observed": ("IOPS", "unlimited")})
    one = samples.pe_finding(observed=None)
    evidence = {"qos_max_iops": None, "is_capped": False, "iops_limit": None}
    finding = replace(one, resource=replace(one.resource, kind="vvol_disk"), evidence=evidence)
    assert shown_values(finding, rule) == {"observed": "unlimited"}
    assert no_limits(finding, rule) == {"observed": "unlimited", "qos_max_iops": "unlimited"}, "of iops_limit nothing says so"


def test_an_observed_value_has_its_unit_in_words() -> None:
    rule = replace(samples.DSNRO, units={"observed": ("commands", ""), "desired": ("commands", "")})
    assert shown_values(samples.pe_finding(), rule) == {"observed": "32 commands", "desired": "256 commands"}


def test_a_rule_without_a_message_shows_its_values_with_their_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    rule = replace(samples.DSNRO, units={"observed": ("commands", ""), "desired": ("commands", "")})
    out = io.StringIO()
    write_table(replace(samples.report_of([samples.pe_finding()]), rules=(rule,)), out)
    assert "32 commands -> 256 commands" in out.getvalue()


def test_what_was_not_read_has_no_text() -> None:
    rule = replace(samples.DSNRO, units={"observed": ("IOPS", "unlimited")})
    assert shown_values(samples.pe_finding(verdict=Verdict.UNKNOWN), rule) == {}


def as_json(report: Report) -> Any:
    out = io.StringIO()
    write_json(report, out)
    return json.loads(out.getvalue())


def test_json_has_units_and_the_words_beside_the_values() -> None:
    fix = Fix("vm.disk_limit", FixClass.ONLINE, -1, 200, Outcome.PROPOSED)
    change = a_change("vm.disk_limit", -1, 200)
    report = samples.report_of([samples.pe_finding(fix=fix, observed=None)], receipts=[Receipt(change, Outcome.APPLIED, 200)])
    rule = replace(samples.DSNRO, units={"observed": ("IOPS", "unlimited"), "desired": ("IOPS", "")})
    document = as_json(replace(report, rules=(rule,)))
    [finding] = document["findings"]
    assert (finding["observed"], finding["text"]) == (None, {"observed": "unlimited"})
    assert document["rules"][0]["units"]["desired"] == {"unit": "IOPS", "absent": ""}
    words = {"before": "unlimited", "after": "200 IOPS"}
    assert (finding["fix"]["before"], finding["fix"]["unit"], finding["fix"]["text"]) == (-1, "IOPS", words)
    assert (document["receipts"][0]["unit"], document["receipts"][0]["text"]) == ("IOPS", words)
    jsonschema.validate(document, report_schema())
