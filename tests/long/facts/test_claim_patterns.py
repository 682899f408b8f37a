"""What a claim rule's texts take: a model by its beginning, and nothing known where no document describes the pattern.

Sources: ESXCLI Concepts and Examples 8.0, "Managing SATPs": --model is a name or a pattern ^mod*, which takes all that starts with mod.
vSphere storage guide: rules for drivers are searched first, then those for vendors and models, then those for transports.
"""

from typing import Any

import duckdb
import pytest

from auditor.facts.macros import create_macros
from tests.facts.judged_fleet import PE
from tests.facts.single import rows_over
from tests.facts.test_claim_views import claimed
from tests.facts.test_load_views import ON_1, one

USER = {"rule_group": "user"}
BY_TRANSPORT = {**USER, "vendor": "", "model": "", "psp_options": "iops=1"}


def named(count: int) -> tuple[bool | None, int | None]:
    return True, count


NOT_KNOWN, NONE = (None, None), (False, None)


@pytest.mark.parametrize(
    ("rules", "reported"),
    [
        pytest.param([{"model": "^SSD*", "psp_options": "iops=1"}], named(1), id="a model by its beginning"),
        pytest.param([{"model": "^SSD SAN*", "psp_options": "iops=1"}], named(1), id="all of a model, and what may follow"),
        pytest.param([{**USER, "model": "^SAN*"}], NONE, id="the beginning of another model"),
        pytest.param([{**USER, "model": "^SSD SANS*"}], NONE, id="a beginning that is longer than the model"),
        pytest.param([{**USER, "model": "SSD*"}], NOT_KNOWN, id="a star without its beginning"),
        pytest.param([{**USER, "model": "^SSD SAN"}], NOT_KNOWN, id="a beginning without its star"),
        pytest.param([{**USER, "model": "^SSD*N"}], NOT_KNOWN, id="a star in the middle"),
        pytest.param([{**USER, "model": "*"}], NOT_KNOWN, id="a star alone"),
        pytest.param([{**USER, "model": "SSD?SAN"}], NOT_KNOWN, id="another sign"),
        pytest.param([{**USER, "vendor": "^Solid*"}], NOT_KNOWN, id="a pattern in the vendor"),
        pytest.param([{**USER, "vendor": "PURE", "model": "*"}], NONE, id="a pattern for another vendor"),
        pytest.param([{**USER, "model": "ssd san"}], NOT_KNOWN, id="another case"),
        pytest.param([{**USER, "vendor": "solidfir"}], NOT_KNOWN, id="another case of the vendor"),
        pytest.param([{"model": "SSD*"}], NONE, id="a pattern of the build's own"),
        pytest.param([{**USER, "model": "*", "psp_options": "iops=1"}, {}], NOT_KNOWN, id="a pattern that may go before the build's rule"),
        pytest.param([{**USER, "model": "*"}, {}], named(1000), id="a pattern that gives the same"),
        pytest.param([{**USER, "psp_options": "iops=1"}, {"model": "*"}], named(1), id="the build's pattern comes after"),
        pytest.param([{**USER, "model": "^SSD*", "psp_options": "iops=1"}, USER], NOT_KNOWN, id="a beginning and the name, which differ"),
        pytest.param([USER, {**USER, "psp_options": "iops=1"}], NOT_KNOWN, id="two that somebody added and that differ"),
        pytest.param([{**USER, "claim_options": "inq_data[128]={0x44}"}], NOT_KNOWN, id="by an answer that is not read"),
        pytest.param([{"claim_options": "tpgs_on"}], named(1000), id="by ALUA, which its SATP shows"),
        pytest.param([{**USER, "driver": "iscsi_vmk", "vendor": "", "model": ""}, {}], named(1000), id="for a driver, and gives the same"),
        pytest.param(
            [{**USER, "driver": "iscsi_vmk", "vendor": "", "model": "", "psp_options": "iops=1"}, {}], NOT_KNOWN, id="for its driver"
        ),
        pytest.param(
            [{**USER, "driver": "qlnativefc", "vendor": "", "model": "", "psp_options": "iops=1"}, {}],
            named(1000),
            id="for a driver that the host has not",
        ),
        pytest.param([{**USER, "device": PE[0], "vendor": "", "model": "", "default_psp": "VMW_PSP_FIXED"}, {}], NOT_KNOWN, id="its own"),
        pytest.param(
            [{**USER, "device": PE[1], "vendor": "", "model": "", "default_psp": "VMW_PSP_FIXED"}, {}], named(1000), id="another's"
        ),
        pytest.param([{**BY_TRANSPORT, "transport": "iscsi"}], named(1), id="for its transport"),
        pytest.param([{**BY_TRANSPORT, "transport": "fc"}], NONE, id="for another transport"),
        pytest.param([{**BY_TRANSPORT, "transport": "iscsi"}, {}], named(1000), id="a transport comes after vendor and model"),
        pytest.param([{**BY_TRANSPORT, "transport": ""}], NOT_KNOWN, id="for everything"),
        pytest.param(
            [{**BY_TRANSPORT, "transport": "iscsi", "default_psp": "", "psp_options": ""}], NONE, id="for its transport, and gives nothing"
        ),
    ],
)
def test_a_rule_names_a_device_as_the_documents_say_and_else_it_is_not_known(
    rules: list[dict[str, Any]], reported: tuple[bool | None, int | None]
) -> None:
    given = claimed(*rules)
    given["path"] = [{**row, "transport": "iscsi"} for row in given["path"]]
    given["hba"] = [{**ON_1, "hba": hba, "driver": "iscsi_vmk"} for hba in {row["hba"] for row in given["path"]}]
    row = one("device_claim", given, **ON_1, device=PE[0])
    assert (row["has_claim_rule"], row["claimed_rr_iops"]) == reported


def test_devices_of_one_kind_that_are_reached_by_two_transports_go_by_rules_of_their_own() -> None:
    kind = {"satp": "ALUA", "vendor": "V", "model": "M"}
    rule = {**kind, "endpoint": "vc", "host_id": "h", "device": "", "driver": "", "rule_group": "system", "psp_options": ""}
    rules = [{**rule, "transport": "fc", "default_psp": "RR"}, {**rule, "model": "", "transport": "", "default_psp": "MRU"}]
    rows = rows_over(
        "step_claim",
        {
            "fact.satp_rule": rules,
            "step_host_number": [{"endpoint": "vc", "host_id": "h", "host_number": 1}],
            "step_inquiry": [{"inquiry_number": 1, "vendor": "V", "model": "M"}],
            "step_device_path": [{"host_number": 1, "device_number": n, "inquiry_number": 1, "set_key": n} for n in (1, 2)],
            "step_path_set": [{"set_key": n, "satp": "ALUA", "transport": transport} for n, transport in ((1, "fc"), (2, "iscsi"))],
        },
    )
    assert {row["transport"]: (row["is_named"], row["default_psp"]) for row in rows} == {"fc": (True, "RR"), "iscsi": (True, "MRU")}


# vendor, model of a rule -> the families it takes, and whether it takes nothing else that is known here.
FAMILIES: dict[tuple[str | None, str | None], tuple[str | None, bool | None]] = {
    ("PURE", "FlashArray"): ("flasharray", True),
    ("PURE", "^FlashArray*"): ("flasharray", True),
    ("PURE", "^Flash*"): ("flasharray", False),
    ("PURE", ""): ("flasharray", False),
    ("", "FlashArray"): ("flasharray", False),
    ("NETAPP", "^LUN*"): ("ontap", True),
    ("NETAPP", "LUN C-Mode"): ("ontap", True),
    ("IBM", ""): ("ds8000, ibm-ds, ramsan, svc, xiv", False),
    ("IBM", "^2145*"): ("svc", True),
    ("IBM", "^1814*"): ("ibm-ds", True),
    ("IBM", "^1999*"): ("other", True),
    ("DGC", "^RA*"): ("clariion", False),
    ("LIO-ORG", ""): ("lio", True),
    ("LIO-ORG", "disk01"): ("lio", True),
    ("LIO-ORG", "^disk*"): ("lio", True),
    ("LIO-ORG", "*"): (None, None),
    ("lio-org", "disk01"): (None, None),
    ("LIO", ""): ("other", True),
    ("COMPELNT", "Compellent*"): (None, None),
    ("PURE", "*"): (None, None),
    ("PURE", "^FlashArray"): (None, None),
    ("^PUR*", "FlashArray"): (None, None),
    ("^PUR*", "ST9300"): ("other", True),
    ("pure", "FlashArray"): (None, None),
    ("ACME", "*"): ("other", True),
    (None, "FlashArray"): (None, None),
    ("PURE", None): (None, None),
}


def test_the_families_of_a_rule_are_those_whose_devices_it_takes() -> None:
    connection = duckdb.connect()
    create_macros(connection)
    alone = "family_of_inquiry(v, claimed_model(m)) = family"
    texts = "(SELECT CAST(? AS VARCHAR) AS v, CAST(? AS VARCHAR) AS m)"
    asked = f"SELECT family, {alone} FROM (SELECT v, m, families_of_claim(v, m) AS family FROM {texts})"
    assert {rule: connection.execute(asked, list(rule)).fetchone() for rule in FAMILIES} == FAMILIES
