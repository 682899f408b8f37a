"""Failures that would move one setting to different values are one contradiction, written or by hand; nothing is planned for it."""

from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.planning import plan
from auditor.model import FixClass, Plan
from tests.engine.bench import fleet, pe, rule_text, rules_from
from tests.facts.fleets import Facts, hosts, on_all_hosts, seen, snapshot
from tests.facts.judged import evaluated

pytestmark = pytest.mark.long

_FIX = "{remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro"
_LOWER = rule_text("local/lower", holds="dsnro = 32", desired="32", fix=f"{_FIX}, set: '32', class: online, reason: The default}}")
LUN = "naa.624a93705a1f77c29b3e4d1000011011"


def advising(value: int, column: str = "dsnro") -> str:
    """A rule that advises a person to set DSNRO to `value`, as it reads `column`."""
    where = _FIX.replace("column: dsnro", f"column: {column}")
    fix = f"{where}, set: '{value}', class: manual, reason: Measured}}"
    return rule_text("local/advice", holds=f"{column} = {value}", desired=str(value), fix=fix)


def planned(folder: Path, *texts: str, **columns: Any) -> Plan:
    return plan(evaluate(fleet([pe(**columns)]), rules_from(folder, *texts)))


def test_advice_to_a_person_against_a_change_is_one_contradiction_with_both_reasons(tmp_path: Path) -> None:
    found = planned(tmp_path, _LOWER, advising(96), dsnro=256)
    [clash] = found.contradictions
    assert clash.wants == (("local/advice", 96), ("local/lower", 32))
    assert clash.reasons == ("Measured", "The default")
    assert clash.resource is not None
    assert (found.changes, found.by_hand) == ((), ())


def test_two_pieces_of_advice_to_a_person_contradict_each_other_as_well(tmp_path: Path) -> None:
    other = advising(64).replace("local/advice", "local/other")
    found = planned(tmp_path, other, advising(96), dsnro=256)
    assert [clash.wants for clash in found.contradictions] == [(("local/advice", 96), ("local/other", 64))]
    assert found.by_hand == ()


def test_advice_that_agrees_with_a_change_stays_beside_it(tmp_path: Path) -> None:
    found = planned(tmp_path, _LOWER, advising(32), dsnro=256)
    assert found.contradictions == ()
    assert [change.after for change in found.changes] == [32]
    assert [hand.rule for hand in found.by_hand] == ["local/advice"]


@pytest.mark.parametrize(
    ("in_effect", "contradict"),
    [
        pytest.param(16, True, id="the change lowers what the advice raises"),
        pytest.param(128, False, id="both lower"),
    ],
)
def test_advice_about_what_is_in_effect_contradicts_only_what_goes_the_other_way(tmp_path: Path, in_effect: int, contradict: bool) -> None:
    found = planned(tmp_path, _LOWER, advising(64, "queue_depth"), dsnro=64, queue_depth=in_effect)
    assert bool(found.contradictions) is contradict
    assert bool(found.changes) is not contradict


def of_the_demo(module: str, configured: int, in_effect: int, dsnro: int) -> Facts:
    """One host whose driver's depth was configured and is not in effect; a FlashArray volume behind it."""
    parameter = {"iscsi_vmk": "iscsivmk_LunQDepth", "nfnic": "lun_queue_depth_per_path"}[module]
    given = hosts(1)
    on_all_hosts(given, seen(LUN, "flasharray", is_protocol_endpoint=False, queue_depth=in_effect))
    one = {"host_id": "host-1"}
    given["hba"] = [{**one, "hba": "vmhba1", "kind": "fc", "driver": module}]
    given["path"] = [{**one, "device": LUN, "hba": "vmhba1", "transport": "fc", "target": "52", "state": "active"}]
    given["host_module"] = [{**one, "module": module, "loaded": True, "option_string": f"{parameter}={configured}"}]
    given["host_module_parameter"] = [{**one, "module": module, "name": parameter, "type": "int", "value": str(configured)}]
    given["device_scheduling"] = [{**one, "device": LUN, "dsnro": dsnro, "queue_full_sample_size": 0, "queue_full_threshold": 0}]
    return given


def judged(given: Facts, *rules: str) -> Plan:
    """The plan that the shipped rules make of these facts."""
    return plan(evaluated(given, *rules))


def test_a_driver_depth_that_is_taken_back_is_not_brought_into_effect_as_well() -> None:
    found = judged(of_the_demo("iscsi_vmk", configured=256, in_effect=128, dsnro=32), "queue/driver-depth", "queue/pending-reboot")
    assert found.contradictions == ()
    assert [(change.rules, change.after) for change in found.changes] == [(("queue/driver-depth",), 128)]
    assert [hand.rule for hand in found.by_hand] == ["queue/pending-reboot"]


def test_a_dsnro_that_is_set_back_to_the_default_is_not_advised_to_be_the_depth_as_well() -> None:
    given = of_the_demo("nfnic", configured=96, in_effect=96, dsnro=256)
    found = judged(given, "queue/default-unless-justified", "queue/dsnro-effective")
    assert found.contradictions == ()
    assert [(change.rules, change.after) for change in found.changes] == [(("queue/default-unless-justified",), 32)]
    assert found.by_hand == ()


def test_a_driver_that_only_waits_for_its_reboot_takes_that_alone() -> None:
    found = judged(of_the_demo("iscsi_vmk", configured=128, in_effect=256, dsnro=32), "queue/pending-reboot")
    assert [(change.rules, change.after, change.classes) for change in found.changes] == [
        (("queue/pending-reboot",), 128, (FixClass.REBOOT,))
    ]
    assert (found.by_hand, found.contradictions) == ((), ())


def test_a_depth_that_another_rule_would_not_leave_is_not_brought_into_effect_without_a_person() -> None:
    found = judged(of_the_demo("iscsi_vmk", configured=256, in_effect=128, dsnro=32), "queue/pending-reboot")
    assert [one.rule for one in found.by_hand] == ["queue/pending-reboot"]
    assert found.changes == ()


def test_rules_conflicts_finds_them_over_the_facts_of_a_fleet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "rules" / "local" / "advice.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(advising(96).replace("over: protocol_endpoint", "over: device"), encoding="utf-8")
    snapshot(of_the_demo("nfnic", configured=32, in_effect=32, dsnro=256)).save(tmp_path / "sick")
    snapshot(of_the_demo("nfnic", configured=32, in_effect=32, dsnro=32)).save(tmp_path / "well")
    asked = ["rules", "conflicts", "--rules", str(own.parents[1]), "--from"]
    assert run([*asked, str(tmp_path / "sick")]) == 3
    out = capsys.readouterr().out
    assert "queue/default-unless-justified wants 32 (" in out
    assert "local/advice wants 96 (" in out
    assert "1 conflict in" in out
    assert run([*asked, str(tmp_path / "well")]) == 0
