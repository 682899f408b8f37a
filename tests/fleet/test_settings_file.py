"""settings.yaml: what it declares, which mistakes are named, and what an editor is told."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from auditor.errors import ConfigurationError
from auditor.fleet.loading import load_fleet
from auditor.fleet.settings_file import load_settings
from auditor.fleet.settings_schema import settings_schema
from auditor.yaml.reading import load_yaml

WHOLE = """
hosts:
  - options: {Disk.QFullSampleSize: 32, Misc.APDHandlingEnable: true, Syslog.global.logHost: "tcp://log"}
  - endpoint: VC-1
    cluster: "Prod*"
    host: esx-1.
    modules: {iscsi_vmk: {iscsivmk_LunQDepth: 128}}
    claim_rules: [{satp: VMW_SATP_ALUA, vendor: 3PARdata, model: VV, claim_options: tpgs_on, policy: VMW_PSP_RR iops=1}]
volumes:
  - {volume: "batch-*", max_iops: 5000, endpoint: fa}
  - {volume: one, max_iops: 100}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_value_is_a_setting_with_its_line_and_rank(tmp_path: Path) -> None:
    found = load_settings(written(tmp_path, WHOLE))
    assert [(one.kind, one.thing, one.setting, one.value, one.rank, one.place) for one in found if one.kind != "claim_rule"] == [
        ("option", "", "Disk.QFullSampleSize", "32", 0, "settings.yaml:3"),
        ("option", "", "Misc.APDHandlingEnable", "true", 0, "settings.yaml:3"),
        ("option", "", "Syslog.global.logHost", "tcp://log", 0, "settings.yaml:3"),
        ("parameter", "iscsi_vmk", "iscsivmk_LunQDepth", "128", 7, "settings.yaml:7"),
        ("volume_limit", "batch-*", "max_iops", "5000", 1, "settings.yaml:10"),
        ("volume_limit", "one", "max_iops", "100", 2, "settings.yaml:11"),
    ]
    [rule] = [one for one in found if one.kind == "claim_rule"]
    assert (rule.value, rule.endpoint, rule.cluster, rule.host) == ("VMW_PSP_RR iops=1", "vc-1", "prod*", "esx-1")


def test_a_fleet_has_the_settings_of_the_file_beside_it(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("endpoints: [{name: vc, kind: vcenter, address: vc, username: a, password: {env: P}}]\n", encoding="utf-8")
    assert load_fleet(fleet).settings == ()
    written(tmp_path, WHOLE)
    assert len(load_fleet(fleet).settings) == 7


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hosts: [{cluster: a}]", "declares nothing: give options, modules or claim_rules"),
        ("hosts: [{clusters: a, options: {A.B: 1}}]", 'unknown key "clusters"; did you mean "cluster"?'),
        ("hosts: [{options: {'A.B; reboot': 1}}]", "A.B; reboot"),
        ("hosts: [{modules: {iscsi_vmk: {a: -1}}}]", "a whole number from 0 up"),
        ("hosts: [{modules: {'x -p y': {a: 1}}}]", "x -p y"),
        ("hosts: [{modules: {m: {'a=1 b': 1}}}]", "a=1 b"),
        ("hosts: [{claim_rules: [{satp: VMW_SATP_ALUA, vendor: A, policy: 'VMW_PSP_RR iops=1 --force'}]}]", "absent, or a path policy"),
        ("hosts: [{claim_rules: [{satp: X, vendor: A, policy: absent}]}]", "a plug-in such as VMW_SATP_ALUA"),
        ("volumes: [{volume: a, max_iops: 0}]", "a whole number from 1 up"),
        (
            "hosts: [{claim_rules: [{satp: VMW_SATP_AA, vendor: A, policy: absent}, {satp: VMW_SATP_AA, vendor: A, policy: VMW_PSP_RR}]}]",
            "the claim rule stands there twice",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line_and_nothing_is_read(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load_settings(written(tmp_path, text))
    assert words in str(raised.value)
    assert "settings.yaml:1" in str(raised.value)


def test_the_schema_of_editors_takes_what_is_read_and_refuses_what_is_not(tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(settings_schema())

    def mistakes(text: str) -> list[Any]:
        return list(validator.iter_errors(load_yaml(written(tmp_path, text), ConfigurationError, why="").data))

    assert mistakes(WHOLE) == []
    assert mistakes("hosts: [{cluster: a}]")
    assert mistakes("volumes: [{volume: a, max_iops: 0}]")
    assert mistakes("hosts: [{claim_rules: [{satp: VMW_SATP_ALUA, vendor: A, policy: FIXED}]}]")
    template = Path(__file__).parents[2] / "auditor" / "fleet" / "settings_template.yaml"
    text = template.read_text(encoding="utf-8")
    assert mistakes(text) == []
    told = text.replace("\n#  - ", "\n  - ").replace("\n#    ", "\n    ").replace("\n#  ", "\n  ").replace("\n#volumes", "\nvolumes")
    assert mistakes(told) == []
    assert {one.kind for one in load_settings(written(tmp_path, told))} == {"option", "parameter", "claim_rule", "volume_limit"}
