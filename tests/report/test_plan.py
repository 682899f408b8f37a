"""A plan is read before it is confirmed: what changes, from what to what, where, why, and what is left out."""

import io
from dataclasses import replace

import pytest

from auditor.model import Change, Contradiction, FixClass, Plan, Resource, Scalar, Target, Unmet, Unusual
from auditor.report.terminal.plan import write_plan


def change(host: str, device: str, *, after: Scalar = 256, fix_class: FixClass = FixClass.ONLINE_CAUTION) -> Change:
    target = Target("vc", (("device", device), ("host_id", f"host-{host}")))
    resource = Resource("protocol_endpoint", f"{host}/{device}", device, "vc", "gold", host)
    return Change("device.dsnro", fix_class, target, 32, after, ("vvol/pe-dsnro-headroom",), resource, "A deeper shared queue")


def written(plan: Plan, monkeypatch: pytest.MonkeyPatch, *allow: FixClass, columns: int = 80) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    write_plan(plan, allow, out)
    return out.getvalue()


def test_equal_changes_share_one_heading_with_every_place(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((change("esx-1", "naa.a"), change("esx-22", "naa.b")))
    assert written(plan, monkeypatch, FixClass.ONLINE_CAUTION).splitlines() == [
        "Plan: 2 changes.",
        "",
        "device.dsnro  32 -> 256 commands  (online-caution, 2 places)",
        "  A deeper shared queue",
        "  esx-1   naa.a",
        "  esx-22  naa.b",
    ]


def test_a_change_that_is_not_allowed_is_counted_with_the_option_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((change("esx-1", "naa.a"), change("esx-1", "naa.b", fix_class=FixClass.REBOOT)))
    assert written(plan, monkeypatch, FixClass.ONLINE).splitlines() == [
        "Plan: nothing to change.",
        "",
        "Not made without more --allow:",
        "     1 x device.dsnro 32 -> 256 commands (--allow online-caution)",
        "     1 x device.dsnro 32 -> 256 commands (--allow reboot)",
    ]


def test_what_is_not_made_goes_on_where_it_began_when_the_line_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(Plan((change("esx-1", "naa.a"),)), monkeypatch, FixClass.ONLINE, columns=50)
    [first, second] = text.splitlines()[3:]
    assert first == "     1 x device.dsnro 32 -> 256 commands (--allow"
    assert second == f"{' ' * 9}online-caution)"


def test_rules_that_disagree_are_named_with_what_each_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target("vc", (("device", "naa.a"),))
    plan = Plan(contradictions=(Contradiction("device.dsnro", target, (("own/low", 32), ("vvol/pe-dsnro-headroom", 256))),))
    text = " ".join(written(plan, monkeypatch).split())
    assert "Contradiction, not changed: device.dsnro naa.a: own/low wants 32, vvol/pe-dsnro-headroom wants 256" in text


def test_a_contradiction_names_the_host_and_not_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    made = change("esx-1", "naa.a")
    clash = Contradiction("device.dsnro", made.target, (("own/low", 32), ("own/high", 64)), (), made.resource)
    text = " ".join(written(Plan(contradictions=(clash,)), monkeypatch).split())
    assert "device.dsnro naa.a of esx-1: own/low wants 32, own/high wants 64" in text
    assert "host-esx-1" not in text


def test_a_long_place_goes_on_beneath_where_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    long = replace(change("esx-1.lab.example", "naa.a"), number=7, collateral="the other disks on a datastore with a very long name indeed")
    rows = written(Plan((long,)), monkeypatch, FixClass.ONLINE_CAUTION).splitlines()[4:]
    assert rows[0].startswith("  7  esx-1.lab.example  naa.a")
    assert len(rows) == 2
    assert rows[1].startswith("     ")
    assert rows[1][5] != " "


def test_a_limit_that_is_none_is_called_unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted = replace(change("esx-1", "naa.a", after=-1), remediator="vm.disk_limit")
    assert "vm.disk_limit  32 IOPS -> unlimited" in written(Plan((lifted,)), monkeypatch, FixClass.ONLINE_CAUTION)
    assert "device.dsnro  32 -> -1" in written(Plan((change("esx-1", "naa.a", after=-1),)), monkeypatch, FixClass.ONLINE_CAUTION)


def test_what_is_unusual_stands_there_with_what_the_fleet_has(monkeypatch: pytest.MonkeyPatch) -> None:
    unusual = Unusual("queue/own", "host.option", (("option", "Disk.X"),), 1, "8 to 16", (1, 2))
    text = " ".join(written(Plan(unusual=(unusual,)), monkeypatch).split())
    assert "Unusual, needs --allow-unusual: host.option Disk.X 1 in 2 places; the fleet has 8 to 16 (queue/own)" in text


def test_a_thousand_places_do_not_scroll_the_question_away(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(tuple(change(f"esx-{n}", "naa.a") for n in range(1000)))
    lines = written(plan, monkeypatch, FixClass.ONLINE_CAUTION).splitlines()
    assert lines[0] == "Plan: 1,000 changes."
    assert lines[-1] == "  ... and 950 more"
    assert len(lines) < 60


def test_a_name_cannot_write_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in written(Plan((change("esx\x1b[2J", "naa.a"),)), monkeypatch, FixClass.ONLINE_CAUTION)


def test_a_planned_change_has_its_number_and_the_numbers_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((replace(change("esx-1", "naa.a"), number=9), replace(change("esx-22", "naa.b"), number=10, waits_for=(3, 9))))
    assert written(plan, monkeypatch, FixClass.ONLINE_CAUTION).splitlines()[-2:] == [
        "   9  esx-1   naa.a",
        "  10  esx-22  naa.b  (after 3, 9)",
    ]


def test_what_lacks_another_change_is_left_to_a_person_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(unmet=tuple(Unmet(change(f"esx-{n}", "naa.a"), "the queue has to come first") for n in range(7)))
    text = " ".join(written(plan, monkeypatch).split())
    assert "Left to a person: device.dsnro of device naa.a of esx-0, device naa.a of esx-1," in text
    assert text.endswith("device naa.a of esx-4 and 2 more: the queue has to come first")
