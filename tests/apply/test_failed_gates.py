"""A run that a health gate stopped is remembered: such a change waits until somebody has looked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.apply.failed_gates import GATES_FOLDER, FailedGates, refuse_failed
from auditor.apply.pace import Pace
from auditor.endpoints.common.health import LATENCY, Health
from auditor.errors import GuardError
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt, Target
from tests.apply.test_settling import FINE, Hall, hall, on_hosts, watched  # noqa: F401  hall and watched are fixtures
from tests.applying import apply

Make = Callable[..., Change]
Watched = tuple[Hall, dict[str, Health], list[int]]


def slow(name: str, milliseconds: float) -> Health:
    return replace(FINE, name=name, figures={**FINE.figures, LATENCY: milliseconds})


class Site:
    """Runs of one state directory, one after another."""

    def __init__(self, of: Watched, folder: Path) -> None:
        self.hall, self.reported, _ = of
        self.folder, self.runs = folder, 0

    def run(self, *changes: Change, identity: str = "1111", **options: bool) -> tuple[dict[str, Outcome], GuardError | None]:
        for change in changes:
            self.hall.shelf.settings.setdefault(change.target["setting"], change.before)
        self.runs += 1
        receipts: list[Receipt] = []
        stopped = None
        with open_journal(self.folder / "journal", f"run-{self.runs}") as journal:
            try:
                for receipt in apply(
                    Plan(changes, identities={"vc": identity}),
                    self.hall.sessions,
                    journal,
                    allow={FixClass.ONLINE},
                    confirm=lambda _changes: True,
                    remediators=lambda _name: self.hall.shelf,
                    pace=Pace(60.0, ask_health=True, wait=lambda _seconds: self.hall.while_settling()),
                    gates=FailedGates(self.folder / GATES_FOLDER, looked=options.get("looked", False), accept=options.get("accept", False)),
                ):
                    receipts.append(receipt)  # noqa: PERF402  those before an error count
            except GuardError as error:
                stopped = error
        return {receipt.change.target["setting"]: receipt.outcome for receipt in receipts}, stopped


@pytest.fixture
def site(watched: Watched, tmp_path: Path) -> Site:  # noqa: F811  the fixture
    return Site(watched, tmp_path)


def fail(site: Site, changes: list[Change]) -> None:
    """A run after whose first host everything is slow, and stays so."""
    site.reported |= {f"esx-{place:04}": slow(f"esx-{place:04}", 1.0) for place in range(1, 10)}
    slower = {name: slow(name, 841.0) for name in site.reported}
    site.hall.while_settling = lambda: site.reported.update(slower)
    made, stopped = site.run(*changes)
    assert stopped is not None
    assert "rose from 1 ms to 841 ms" in stopped.what
    assert list(made.values()).count(Outcome.APPLIED) == 1


def test_the_same_command_again_changes_nothing(site: Site, change: Make) -> None:
    changes = on_hosts(change, 4)
    fail(site, changes)
    written = list(site.hall.shelf.writes)
    made, stopped = site.run(*changes[1:])
    assert stopped is not None
    assert stopped.what.startswith("3 changes not attempted: run run-1 was stopped after such a change, latency of esx-0001 rose")
    assert "--after-failed-gate" in stopped.do
    assert (made, site.hall.shelf.writes) == ({}, written)


def test_other_changes_and_other_clusters_go_on(site: Site, change: Make) -> None:
    changes = on_hosts(change, 2)
    fail(site, changes)
    site.hall.while_settling = lambda: None
    elsewhere = replace(on_hosts(change, 3)[2], resource=replace(changes[0].resource, cluster="silver", host="esx-0003"))
    made, stopped = site.run(changes[1], elsewhere)
    assert stopped is None
    assert made == {"d2": Outcome.PROPOSED, "d3": Outcome.APPLIED}


def test_a_cluster_that_was_renamed_is_known_by_its_hosts_and_an_endpoint_by_who_it_is(site: Site, change: Make) -> None:
    changes = on_hosts(change, 2)
    fail(site, changes)
    renamed = replace(changes[1], resource=replace(changes[1].resource, cluster="gold-new"))
    assert site.run(renamed)[1] is not None
    site.hall.while_settling = lambda: None
    gates = FailedGates(site.folder / GATES_FOLDER)
    left, held, _ = gates.without_failed([changes[1]], {"vc": "another vCenter"})
    assert (left, held) == ([changes[1]], [])


def test_after_somebody_looked_health_is_compared_with_the_last_good(site: Site, change: Make) -> None:
    changes = on_hosts(change, 3)
    fail(site, changes)
    # Slow before and after: compared with the last reading it would be well.
    made, stopped = site.run(changes[0], looked=True)
    assert stopped is None, "nothing was written, so nothing is compared"
    site.hall.shelf.settings["d1"] = 32
    made, stopped = site.run(changes[0], looked=True)
    assert stopped is not None
    assert "latency of esx-0001 rose from 1 ms to 841 ms" in stopped.what
    assert made == {"d1": Outcome.APPLIED}


def test_who_accepts_the_health_of_now_goes_on_and_the_gate_is_forgotten(site: Site, change: Make) -> None:
    changes = on_hosts(change, 3)
    fail(site, changes)
    site.hall.shelf.settings["d1"] = 32
    made, stopped = site.run(*changes, accept=True)
    assert stopped is None
    assert set(made.values()) == {Outcome.APPLIED}
    assert list((site.folder / GATES_FOLDER).glob("*.json")) == []


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        ("{", "Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ("link", "it is a link, or larger than such a file can be"),
    ],
)
def test_a_file_that_cannot_be_read_lets_nothing_be_written(site: Site, change: Make, harm: str, why: str) -> None:
    changes = on_hosts(change, 2)
    fail(site, changes)
    [file] = (site.folder / GATES_FOLDER).glob("*.json")
    if harm == "link":
        file.rename(site.folder / "elsewhere.json")
        file.symlink_to(site.folder / "elsewhere.json")
    else:
        file.write_text(harm, encoding="utf-8")
    written = list(site.hall.shelf.writes)
    _, stopped = site.run(changes[1])
    assert stopped is not None
    assert stopped.what == f"{file}: {why}"
    assert site.hall.shelf.writes == written


AT = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
KNOWN = {"vc": "1111", "other": None}


def kept(folder: Path, *written: Change, planned: list[Change] | None = None, run: str = "run-1") -> FailedGates:
    gates = FailedGates(folder / GATES_FOLDER, now=lambda: AT)
    good = {(endpoint, name): slow(name, 1.0) for endpoint in KNOWN for name in ("esx-1", f"esx-of-{endpoint}")}
    gates.keep(run, written, planned or list(written), "latency rose", KNOWN, good)
    return gates


def placed(change: Make, name: str, *, cluster: str | None = "gold", where: str = "vc", host: str = "h1", kind: str = "shelf") -> Change:
    one = change(name, cluster=cluster, where=where)
    return replace(one, remediator=kind, target=Target(where, (("host_id", host), ("setting", name))))


def test_a_gate_is_kept_for_each_kind_and_cluster_with_its_own_hosts_and_health(tmp_path: Path, change: Make) -> None:
    gold, silver, other, far = (
        placed(change, "a", host="h1"),
        placed(change, "a", cluster="silver", host="h2"),
        placed(change, "a", kind="other.kind", host="h1"),
        placed(change, "a", where="other", host="h9"),
    )
    planned = [gold, silver, other, far, placed(change, "b", host="h3")]
    found = [gate for _, gate in kept(tmp_path, gold, silver, other, far, planned=planned).all()]
    assert sorted((gate.endpoint, str(gate.identity), str(gate.cluster), gate.kind[0], gate.hosts) for gate in found) == [
        ("other", "None", "gold", "shelf", ("h9",)),
        ("vc", "1111", "gold", "other.kind", ("h1", "h3")),
        ("vc", "1111", "gold", "shelf", ("h1", "h3")),
        ("vc", "1111", "silver", "shelf", ("h2",)),
    ]
    assert {gate.endpoint: set(gate.good) for gate in found} == {"vc": {"esx-1", "esx-of-vc"}, "other": {"esx-1", "esx-of-other"}}
    assert {(gate.run, gate.at, gate.what) for gate in found} == {("run-1", AT, "latency rose")}
    assert (tmp_path / GATES_FOLDER).stat().st_mode & 0o777 == 0o700


def test_a_gate_that_fails_again_takes_the_place_of_the_first(tmp_path: Path, change: Make) -> None:
    kept(tmp_path, placed(change, "a"))
    assert [gate.run for _, gate in kept(tmp_path, placed(change, "a"), run="run-2").all()] == ["run-2"]


def test_each_change_is_held_by_the_gate_that_is_about_it(tmp_path: Path, change: Make) -> None:
    gold, silver, free = placed(change, "a"), placed(change, "a", cluster="silver", host="h2"), placed(change, "a", cluster="x", host="h5")
    gates = kept(tmp_path, gold, silver)
    left, held, by = gates.without_failed([gold, free, silver], KNOWN)
    assert left == [free]
    assert [(receipt.change, receipt.outcome, receipt.found) for receipt in held] == [
        (gold, Outcome.PROPOSED, 32),
        (silver, Outcome.PROPOSED, 32),
    ]
    assert {receipt.why for receipt in held} == {
        "not attempted: run run-1 was stopped after such a change: latency rose; look at it, then give --after-failed-gate"
    }
    assert sorted(str(gate.cluster) for gate in by) == ["gold", "silver"]
    assert refuse_failed(by, 2).what == "2 changes not attempted: run run-1 was stopped after such a change, latency rose"
    assert refuse_failed(by[:1], 1).what.startswith("1 change not attempted: ")


def test_the_last_good_health_is_of_all_that_is_written(tmp_path: Path, change: Make) -> None:
    gold, far = placed(change, "a"), placed(change, "a", where="other", host="h9")
    gates = kept(tmp_path, gold, far)
    good = gates.last_good([gold, far], KNOWN)
    assert set(good) == {("vc", "esx-1"), ("vc", "esx-of-vc"), ("other", "esx-1"), ("other", "esx-of-other")}
    assert gates.last_good([placed(change, "a", cluster="x", host="h5")], KNOWN) == {}
    assert replace(gates, accept=True).last_good([gold], KNOWN) == {}


def test_a_gate_is_forgotten_by_a_run_of_its_own_that_somebody_allowed(tmp_path: Path, change: Make) -> None:
    gold, silver = placed(change, "a"), placed(change, "a", cluster="silver", host="h2")
    gates = kept(tmp_path, gold, silver)
    gates.passed([gold], KNOWN)
    assert len(gates.all()) == 2, "nobody said that it was looked at"
    replace(gates, looked=True).passed([gold], {"vc": "another vCenter"})
    assert len(gates.all()) == 2, "it is another vCenter"
    replace(gates, looked=True).passed([gold], KNOWN)
    assert [gate.cluster for _, gate in gates.all()] == ["silver"]


def test_a_file_that_is_too_large_is_named_with_the_reason(tmp_path: Path, change: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    gates = kept(tmp_path, placed(change, "a"))
    monkeypatch.setattr("auditor.apply.failed_gates._MOST_BYTES", 10)
    with pytest.raises(GuardError, match=r"\.json: it is a link, or larger than such a file can be"):
        gates.all()
    [file] = gates.folder.glob("*.json")
    monkeypatch.setattr("auditor.apply.failed_gates._MOST_BYTES", file.stat().st_size)
    assert len(gates.all()) == 1


def test_a_gate_is_about_its_kind_on_all_hosts_of_its_cluster(tmp_path: Path, change: Make) -> None:
    gates = kept(tmp_path, placed(change, "a", host="h1"))
    neighbour, other = placed(change, "a", host="h7"), placed(change, "a", host="h1", kind="other.kind")
    left, held, _ = gates.without_failed([neighbour, other], KNOWN)
    assert (left, [receipt.change for receipt in held]) == ([other], [neighbour])


@pytest.mark.parametrize(
    ("where", "identities", "is_held"),
    [
        pytest.param("vc", {"vc": "1111"}, True, id="the same"),
        pytest.param("vc", {"vc": "2222"}, False, id="another one under its name"),
        pytest.param("vc", {"vc": None}, True, id="one that does not say who it is, under its name"),
        pytest.param("vc-new", {"vc-new": "1111"}, True, id="the same under another name"),
        pytest.param("vc-new", {"vc-new": None}, False, id="another name, and it does not say who it is"),
        pytest.param("other", {"other": "1111"}, False, id="one that did not say who it was then, under another name"),
    ],
)
def test_a_gate_is_about_the_endpoint_that_it_failed_on(
    tmp_path: Path, change: Make, where: str, identities: dict[str, str | None], is_held: bool
) -> None:
    gates = kept(tmp_path, placed(change, "a"))
    if where == "other":
        gates = kept(tmp_path / "apart", placed(change, "a", where="elsewhere"))
    one = placed(change, "a", where=where)
    assert (gates.without_failed([one], identities)[0] == []) is is_held
    assert bool(gates.last_good([one], identities)) is is_held


def test_what_is_on_no_host_and_in_no_cluster_is_kept_in_a_folder_that_is_made(tmp_path: Path, change: Make) -> None:
    volume = change("v", host=None, cluster=None)
    gates = kept(tmp_path / "state" / "new", volume, placed(change, "a"))
    assert [(gate.cluster, gate.hosts) for _, gate in sorted(gates.all(), key=lambda one: str(one[1].cluster))] == [
        (None, ()),
        ("gold", ("h1",)),
    ]
    assert {path.stat().st_mode & 0o777 for path, _ in gates.all()} == {0o600}


def test_endpoints_that_do_not_say_who_they_are_have_files_of_their_own_and_a_renamed_one_has_one(tmp_path: Path, change: Make) -> None:
    gates = FailedGates(tmp_path / GATES_FOLDER)
    first, second = placed(change, "a", where="one"), placed(change, "a", where="two")
    gates.keep("run-1", [first, second], [first, second], "it got worse", {"one": None, "two": None}, {})
    assert sorted(gate.endpoint for _, gate in gates.all()) == ["one", "two"]
    gates = FailedGates(tmp_path / "renamed")
    for name in ("one", "two"):
        one = placed(change, "a", where=name)
        gates.keep("run-1", [one], [one], "it got worse", {name: "1111"}, {})
    assert [gate.endpoint for _, gate in gates.all()] == ["two"]


def test_what_a_write_that_was_cut_off_left_is_written_over(tmp_path: Path, change: Make) -> None:
    gates = kept(tmp_path, placed(change, "a"))
    [file] = gates.folder.glob("*.json")
    file.with_suffix(".part").write_text("x" * 10_000, encoding="utf-8")
    assert len(kept(tmp_path, placed(change, "a")).all()) == 1


def test_a_gate_that_another_run_forgot_meanwhile_is_forgotten(tmp_path: Path, change: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    gates = replace(kept(tmp_path, placed(change, "a")), looked=True)
    known = gates.all()
    known[0][0].unlink()
    monkeypatch.setattr(FailedGates, "all", lambda _self: known)
    gates.passed([placed(change, "a")], KNOWN)
    assert list(gates.folder.glob("*.json")) == []


def test_a_link_that_somebody_put_in_the_way_is_not_written_through(tmp_path: Path, change: Make) -> None:
    gates = kept(tmp_path, placed(change, "a"))
    [file] = gates.folder.glob("*.json")
    (tmp_path / "another").write_text("of somebody else", encoding="utf-8")
    file.with_suffix(".part").symlink_to(tmp_path / "another")
    with pytest.raises(OSError, match="link"):
        kept(tmp_path, placed(change, "a"), run="run-2")
    assert (tmp_path / "another").read_text(encoding="utf-8") == "of somebody else"
    assert [gate.run for _, gate in gates.all()] == ["run-1"]
