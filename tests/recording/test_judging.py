"""What a fleet is judged by goes into the bundle with masked names, or not at all."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.engine.waivers.file import Waivers, load_waivers
from auditor.fleet.loading import Fleet, ParamOverride, SeverityOverride
from auditor.model import Severity
from auditor.recording.judging import NOBODY, masked_policy
from auditor.recording.masking import Fate, Masker
from auditor.recording.pseudonyms import Pseudonyms
from auditor_lab.recorded.serving import params_of

RULES = frozenset(("vm/iops-limits", "vvol/pe-uniform", "diag/davg"))


@pytest.fixture
def masker() -> Masker:
    """One that has seen three hosts and a device."""
    found = Masker(Pseudonyms(b"k" * 32))
    for name in ("esxprod01.corp.example", "esxprod02.corp.example", "esxtest01.corp.example", "naa.624a9370aaaabbbbccccddddeeeeffff"):
        found.text(name, Fate.NAME)
    return found


def fleet(*params: ParamOverride, severities: tuple[SeverityOverride, ...] = ()) -> Fleet:
    return Fleet(Path("fleet.yaml"), (), (), params, severities)


def override(value: str | float | tuple[str, ...], rule: str = "vm/iops-limits", endpoint: str | None = None) -> ParamOverride:
    return ParamOverride("fleet.yaml:3", rule, "meant", value, endpoint)


@pytest.mark.parametrize("value", [5, 0.5, True, "", "flasharray|solidfire", "VMW_PSP_FIXED|VMW_PSP_MRU|FIXED", ("ontap", "other")])
def test_a_number_and_a_word_of_products_stay(masker: Masker, value: str | float | tuple[str, ...]) -> None:
    [entry] = masked_policy(fleet(override(value)), None, RULES, masker).params
    assert entry["value"] == (list(value) if isinstance(value, tuple) else value)


def test_a_name_in_a_parameter_is_replaced_as_it_is_elsewhere(masker: Masker) -> None:
    [entry] = masked_policy(fleet(override(("gold-tenant",), endpoint="vc-corp")), None, RULES, masker).params
    assert entry["value"] == [masker.text("gold-tenant", Fate.NAME)]
    assert entry["endpoint"] == masker.text("vc-corp", Fate.NAME)
    assert "gold" not in str(entry)


def test_a_regular_expression_of_whole_words_fits_the_replaced_names(masker: Masker) -> None:
    [entry] = masked_policy(fleet(override(r"^db-\d+ Hard disk 2$")), None, RULES, masker).params
    assert entry["value"] == rf"^{masker.text('db', Fate.NAME)}-\d+ Hard disk 2$"
    [entry] = masked_policy(fleet(override(r"(?:db|web)-\d{2}-.* Hard disk [12]")), None, RULES, masker).params
    assert entry["value"] == rf"(?:{masker.text('db', Fate.NAME)}|{masker.text('web', Fate.NAME)})-\d{{2}}-.* Hard disk [12]"


@pytest.mark.parametrize("value", [r"^db0\d$", "^db-0[12]$", "(?i)^DB$|x", "db*"])
def test_a_pattern_with_a_part_of_a_word_is_left_out_and_named(masker: Masker, value: str) -> None:
    policy = masked_policy(fleet(override(value)), None, RULES, masker)
    assert policy.params == []
    assert policy.left_out == ["fleet.yaml:3: meant of vm/iops-limits"]


def test_what_belongs_to_a_rule_of_ones_own_is_left_out(masker: Masker) -> None:
    severities = (
        SeverityOverride("fleet.yaml:9", "corp/secret-rule", Severity.LOW),
        SeverityOverride("fleet.yaml:10", "vvol/*", Severity.LOW),
    )
    policy = masked_policy(fleet(override(5, rule="corp/secret-rule"), severities=severities), None, RULES, masker)
    assert (policy.params, policy.severity) == ([], {"vvol/*": "low"})
    assert len(policy.left_out) == 2


def waivers(tmp_path: Path, resources: str, rule: str = "vvol/*") -> Waivers:
    path = tmp_path / "w.yaml"
    answered = "owner: Jane Doe, reason: tenant Gold, ticket: CHG-1, expires: 2027-03-31, also_unknown: true"
    path.write_text(f'waivers:\n- {{rule: "{rule}", resources: {resources}, {answered}}}\n', encoding="utf-8")
    return load_waivers(path, datetime(2026, 11, 22, tzinfo=UTC), required=True)


@pytest.mark.parametrize(
    ("glob", "originals"),
    [
        pytest.param("esxprod01.*", ["esxprod01.*"], id="whole words"),
        pytest.param("*", ["*"], id="everything"),
        pytest.param("esxprod*", ["esxprod01.corp.example", "esxprod02.corp.example"], id="a part of a word"),
        pytest.param("naa.624a9370*", ["naa.624a9370aaaabbbbccccddddeeeeffff"], id="the beginning of a device"),
        pytest.param("naa.624a9370aaaabbbbccccddddeeeeffff", ["naa.624a9370aaaabbbbccccddddeeeeffff"], id="a device"),
    ],
)
def test_a_waiver_covers_what_it_covered_and_says_nothing_of_people(
    tmp_path: Path, masker: Masker, glob: str, originals: list[str]
) -> None:
    [entry] = masked_policy(fleet(), waivers(tmp_path, f'{{host: "{glob}"}}'), RULES, masker).waivers
    assert entry["resources"] == {"host": sorted(masker.text(one, Fate.NAME) for one in originals)}
    assert (entry["owner"], entry["reason"], entry["ticket"]) == (NOBODY, NOBODY, NOBODY)
    assert (entry["expires"], entry["also_unknown"]) == ("2027-04-01T00:00:00Z", True), "the end of the day that was named"


@pytest.mark.parametrize(
    ("resources", "rule"),
    [
        pytest.param('{tag: "tier:gold"}', "vvol/*", id="by a tag"),
        pytest.param('{host: "mail*"}', "vvol/*", id="a part of no word that was read"),
        pytest.param('{host: "esx-1"}', "corp/secret-rule", id="of a rule of one's own"),
        pytest.param("{}", "vvol/*", id="malformed"),
    ],
)
def test_a_waiver_that_cannot_be_masked_is_left_out_and_named(tmp_path: Path, masker: Masker, resources: str, rule: str) -> None:
    policy = masked_policy(fleet(), waivers(tmp_path, resources, rule), RULES, masker)
    assert policy.waivers == []
    assert policy.left_out == ["w.yaml:2: a waiver"]


def test_parameters_go_back_to_where_they_counted() -> None:
    written: list[dict[str, Any]] = [
        {"rule": "a/b", "name": "x", "value": 1},
        {"rule": "a/b", "name": "y", "value": [1, 2], "endpoint": "vc"},
        {"rule": "a/b", "name": "x", "value": 3, "endpoint": "vc", "cluster": "gold"},
    ]
    assert params_of(written, None) == {"params": {"a/b": {"x": 1}}}
    assert params_of(written, "vc") == {"params": {"a/b": {"y": [1, 2]}}, "clusters": {"gold": {"params": {"a/b": {"x": 3}}}}}
    assert params_of(written, "other") == {}
