"""A dry run checks what the run checks, writes nothing, and ends with the exit code that the run would."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from auditor.cli import run
from auditor.history.folders import JOURNAL_FOLDER
from auditor.journal import open_journal
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from tests.audits import Place, only, writes

RULE = "vvol/pe-dsnro-headroom"
Situation = Callable[[Place], AbstractContextManager[None]]
FIX = ("--fix", "--allow", "online-caution", "--settle", "0", "--max-hosts", "100%", *only(RULE))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A lab that no test here changes: each situation stops the run before its first write."""
    folder = tmp_path_factory.mktemp("lab")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield Place(lab, folder, None)  # type: ignore[arg-type]  # each test has a capsys of its own


def entry(text: str) -> Situation:
    """fleet.yaml with this besides."""

    @contextmanager
    def added(place: Place) -> Iterator[None]:
        before = place.fleet.read_text(encoding="utf-8")
        place.fleet.write_text(before + text, encoding="utf-8")
        yield
        place.fleet.write_text(before, encoding="utf-8")

    return added


@contextmanager
def read_only(place: Place) -> Iterator[None]:
    [vcenter] = place.lab.vcenters.values()
    before = vcenter.privileges
    vcenter.privileges = READ_ONLY
    yield
    vcenter.privileges = before


@contextmanager
def another_writer(place: Place) -> Iterator[None]:
    with open_journal(place.state / JOURNAL_FOLDER, "another-run"):
        yield


OPTION = ("--fix", "--allow", "online", "--settle", "0", "--max-hosts", "100%", *only("vvol/pe-default-option"))
NOW = datetime.now(UTC)
CLOSED = f"{NOW + timedelta(hours=3):%H}:00', to: '{NOW + timedelta(hours=4):%H}:30"
SITUATIONS = [
    pytest.param(entry(f"maintenance: [{{from: '{CLOSED}', time_zone: UTC}}]\n"), (), 5, id="no window is open"),
    pytest.param(entry("protect: [{cluster: sf-nowhere, reason: no}]\n"), (), 5, id="a protection that fits nothing"),
    pytest.param(read_only, OPTION, 5, id="a missing privilege"),
    pytest.param(another_writer, (), 5, id="another run writes"),
    pytest.param(entry("protect: [{cluster: sf-vvol, reason: no}]\n"), (), 1, id="a protected cluster"),
    pytest.param(entry(""), ("--fix", "--settle", "0", *only(RULE)), 1, id="a class that is not allowed"),
]


@pytest.mark.parametrize(("situation", "instead", "code"), SITUATIONS)
def test_a_dry_run_ends_as_the_run_does(
    shared: Place,
    capsys: pytest.CaptureFixture[str],
    situation: Situation,
    instead: tuple[str, ...],
    code: int,
) -> None:
    place = Place(shared.lab, shared.folder, capsys)
    words = instead or FIX
    with situation(place):
        rehearsed = place.audit(*words, "--dry-run")
        made = place.audit(*words, "--yes")
    assert writes(place) == []
    assert (rehearsed.code, made.code) == (code, code)
    if code == 5:
        assert [line for line in rehearsed.err.splitlines() if line.startswith("error: ")] == [
            line for line in made.err.splitlines() if line.startswith("error: ")
        ]
    else:
        assert "It would be: " in rehearsed.out
        assert " applied" not in rehearsed.out


def test_plans_and_undos_are_rehearsed_too(vvols: Place) -> None:
    plan, where = vvols.folder / "plan.json", ["--fleet", str(vvols.fleet), "--state-dir", str(vvols.state)]
    run(["plan", *where, "--only", RULE, "--out", str(plan)])
    make = ["apply", str(plan), *where, "--allow", "online-caution", "--max-hosts", "100%", "--settle", "0"]
    vvols.capsys.readouterr()
    assert run([*make, "--dry-run"]) == 0
    assert "It would be: 13 applied." in vvols.capsys.readouterr().out
    assert writes(vvols) == []
    assert run([*make, "--yes"]) == 0
    made = len(writes(vvols))
    assert made == 13
    assert run([*make, "--dry-run"]) == 0
    assert "It would be: 13 already as wanted." in " ".join(vvols.capsys.readouterr().out.split())
    [vcenter] = vvols.lab.vcenters.values()
    with vcenter.state.lock:
        held = next(one for host in vcenter.state.hosts.values() for one in host.device_settings.values() if one.get("dsnro") == 256)
        held["dsnro"] = 64
        vcenter.state.changed()
    undo = ["undo", "last", *where]
    assert run([*undo, "--dry-run"]) == run([*undo, "--yes"]) == 1
    printed = " ".join(vvols.capsys.readouterr().out.split())
    assert re.search(r"It would be: 1 stale[^.]*, 12 applied\.", printed)
    assert "the plan saw 256, it is now 64; nothing was written" in printed


def test_a_larger_run_is_rehearsed_with_its_limit(vvols: Place) -> None:
    larger = [word for word in FIX if word not in ("--max-hosts", "100%")]
    rehearsed = vvols.audit(*larger, "--dry-run", "--yes")
    assert rehearsed.code == 5
    assert "it would make its first host alone, and stop: 13 changes on 4 hosts of cluster sf-vvol" in rehearsed.err
    assert writes(vvols) == []
    assert vvols.audit(*larger, "--dry-run").code == 1
