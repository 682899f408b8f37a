"""A plan is read before it is confirmed: what changes, from what to what, where, why, and what is left out."""

import io

import pytest

from auditor.model import Change, Contradiction, FixClass, Plan, Resource, Scalar, Target, Unmet, Unusual
from auditor.report.plan import write_plan


def change(host: str, device: str, *, after: Scalar = 256, fix_class: FixClass = FixClass.ONLINE_CAUTION) -> Change:
    target = Target("vc", (("device", device), ("host_id", f"host-{host}")))
    resource = Resource("protocol_endpoint", f"{host}/{device}", device, "vc", "gold", host)
    return Change("device.dsnro", fix_class, target, 32, after, ("vvol/pe-dsnro-headroom",), resource, "A deeper shared queue")


def written(plan: Plan, monkeypatch: pytest.MonkeyPatch, *allow: FixClass) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    out = io.StringIO()
    write_plan(plan, allow, out)
    return out.getvalue()


def test_equal_changes_share_one_heading_with_every_place(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan((change("esx-1", "naa.a"), change("esx-22", "naa.b")))
    assert written(plan, monkeypatch, FixClass.ONLINE_CAUTION).splitlines() == [
        "Plan: 2 changes.",
        "",
        "device.dsnro  32 -> 256  (online-caution, 2 places)",
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
        "     1 x device.dsnro 32 -> 256 (--allow online-caution)",
        "     1 x device.dsnro 32 -> 256 (--allow reboot)",
    ]


def test_rules_that_disagree_are_named_with_what_each_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target("vc", (("device", "naa.a"),))
    plan = Plan(contradictions=(Contradiction("device.dsnro", target, (("own/low", 32), ("vvol/pe-dsnro-headroom", 256))),))
    text = " ".join(written(plan, monkeypatch).split())
    assert "Contradiction, not changed: device.dsnro on naa.a: own/low wants 32, vvol/pe-dsnro-headroom wants 256" in text


def test_what_is_unusual_and_what_is_left_to_a_person_stand_there_with_their_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    unusual = Unusual("queue/own", "host.option", (("option", "Disk.X"),), 1, "8 to 16", (1, 2))
    left = tuple(Unmet(change("esx-1", f"naa.{number}"), "run A wrote 256, and it is 32 again") for number in range(12))
    text = " ".join(written(Plan(unmet=left, unusual=(unusual,)), monkeypatch).split())
    assert "Unusual, needs --allow-unusual: host.option Disk.X 1 in 2 places; the fleet has 8 to 16 (queue/own)" in text
    assert text.count("Left to a person: device.dsnro on naa.") == 10
    assert "run A wrote 256, and it is 32 again" in text
    assert text.endswith("... and 2 more left to a person")


def test_a_thousand_places_do_not_scroll_the_question_away(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(tuple(change(f"esx-{n}", "naa.a") for n in range(1000)))
    lines = written(plan, monkeypatch, FixClass.ONLINE_CAUTION).splitlines()
    assert lines[0] == "Plan: 1,000 changes."
    assert lines[-1] == "  ... and 950 more"
    assert len(lines) < 60


def test_a_name_cannot_write_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in written(Plan((change("esx\x1b[2J", "naa.a"),)), monkeypatch, FixClass.ONLINE_CAUTION)
