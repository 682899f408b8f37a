"""Devices are looked at again and again; what cannot be read says since when, and costs nobody else's row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import run
from auditor.endpoints.vcenter.device_watch import DeviceSample, WatchedDevice, WatchRow
from auditor.endpoints.vcenter.move_watch import MoveSample
from auditor.errors import ConfigurationError, CredentialsError, EndpointUnreachableError, PermissionMissingError
from auditor.fleet.loading import Fleet, load_fleet
from auditor.inspect import watching
from auditor.inspect.watching import STALE_SECONDS, Watch
from auditor.model import Endpoint
from auditor.report.terminal.watch_rows import move_text, watch_line, watch_view
from tests.report.test_path_drawing import rendered_at

NOW = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)
DOWN = EndpointUnreachableError("endpoint vc-2: no answer", why="w", do="d")


class World:
    """Two vCenters whose answers a test decides."""

    def __init__(self) -> None:
        self.now = NOW
        self.has: dict[str, Sequence[tuple[str, str]]] = {"vc-1": [("a", "d")], "vc-2": [("b", "d")]}
        self.kavg_ms = 5.0
        self.down: dict[str, Exception] = {}
        self.silent: set[str] = set()
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.held: list[Any] = []
        self.moves: dict[str, list[tuple[str, str, int | None]]] = {}
        self.moves_refused: Exception | None = None

    def open(self, endpoint: Endpoint) -> Any:
        self.held.append(self._session(endpoint))  # or Python would end what nobody closed
        return self.held[-1]

    @contextmanager
    def _session(self, endpoint: Endpoint) -> Iterator[str]:
        self.raise_for(endpoint.name)
        self.opened.append(endpoint.name)
        try:
            yield endpoint.name
        finally:
            self.closed.append(endpoint.name)

    def raise_for(self, name: str) -> None:
        if name in self.down:
            raise self.down[name]

    def find(self, name: str, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], WatchedDevice]:
        return {pair: WatchedDevice(f"{name}-host", *pair) for pair in wanted if pair in self.has[name]}

    def read(self, name: str, watched: Sequence[WatchedDevice]) -> Mapping[WatchedDevice, DeviceSample]:
        self.raise_for(name)
        return {one: DeviceSample(self.now, 100.0, 15.0, 10.0, self.kavg_ms, 32, None) for one in watched if one.host not in self.silent}

    def moving(self, name: str, now: datetime) -> tuple[MoveSample, ...]:
        if self.moves_refused is not None:
            raise self.moves_refused
        return tuple(MoveSample(task, machine, percent, now) for task, machine, percent in self.moves.get(name, ()))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(watching, "find_devices", made.find)
    monkeypatch.setattr(watching, "read_samples", made.read)
    monkeypatch.setattr(watching, "read_moves", made.moving)
    return made


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    listed = "\n".join(
        f"  - {{name: {name}, kind: vcenter, address: 127.0.0.1, username: u, password: {{env: X}}}}" for name in ("vc-1", "vc-2")
    )
    (tmp_path / "fleet.yaml").write_text(f"endpoints:\n{listed}\n", encoding="utf-8")
    return load_fleet(tmp_path / "fleet.yaml")


def watch(world: World, fleet: Fleet, *names: str) -> Watch:
    opener: Any = world.open
    return Watch(fleet, names, opener=opener, now=lambda: world.now)


def test_every_device_has_its_row_in_the_order_of_the_names_and_sessions_are_closed(world: World, fleet: Fleet) -> None:
    with watch(world, fleet, "b/d", "a/d") as watched:
        first = watched.look()
        world.kavg_ms = 90.0
        watched.look()
        world.kavg_ms = 2.0
        last = watched.look()
    assert [(row.name, row.endpoint) for row in first] == [("b/d", "vc-2"), ("a/d", "vc-1")]
    assert [row.worst_kavg_ms for row in last] == [90.0, 90.0]
    assert last[0].sample is not None
    assert last[0].sample.kavg_ms == 2.0
    assert sorted(world.opened) == sorted(world.closed) == ["vc-1", "vc-2"]


def test_sessions_are_closed_when_somebody_interrupts(world: World, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_name: str, _listed: Sequence[WatchedDevice]) -> Mapping[WatchedDevice, DeviceSample]:
        raise KeyboardInterrupt

    monkeypatch.setattr(watching, "read_samples", interrupted)
    with pytest.raises(KeyboardInterrupt), watch(world, fleet, "a/d") as watched:
        watched.look()
    assert world.opened
    assert sorted(world.closed) == sorted(world.opened)


def test_a_dead_vcenter_costs_its_own_row_says_since_when_and_comes_back(world: World, fleet: Fleet) -> None:
    with watch(world, fleet, "a/d", "b/d") as watched:
        watched.look()
        world.now, world.down = NOW + timedelta(seconds=20), {"vc-2": DOWN}
        watched.look()
        world.now = NOW + timedelta(seconds=40)
        alive, dead = watched.look()
        assert (alive.unread_since, dead.unread_since, dead.why) == (None, NOW + timedelta(seconds=20), DOWN.what)
        assert dead.sample is not None  # as it was last seen
        assert "vc-2" in world.closed
        world.down = {}
        assert watched.look()[1].unread_since is None


def test_a_vcenter_that_was_never_reached_is_tried_again_and_says_why(world: World, fleet: Fleet) -> None:
    world.down = {"vc-2": DOWN}
    with watch(world, fleet, "a/d", "b/d") as watched:
        first = watched.look()[1]
        world.now = NOW + timedelta(seconds=20)
        second = watched.look()[1]
        assert (first.sample, second.unread_since, second.why) == (None, NOW, DOWN.what)
        world.down = {}
        assert watched.look()[1].unread_since is None


def test_a_refused_password_is_not_tried_again(world: World, fleet: Fleet) -> None:
    world.down = {"vc-2": CredentialsError("endpoint vc-2: refused", why="w", do="d")}
    tried = []
    open_as_before = world.open

    def opener(endpoint: Endpoint) -> Any:
        tried.append(endpoint.name)
        return open_as_before(endpoint)

    with Watch(fleet, ["a/d", "b/d"], opener=opener, now=lambda: world.now) as watched:
        watched.look()
        row = watched.look()[1]
    assert tried.count("vc-2") == 1
    assert "refused the password" in row.why


def test_a_name_that_no_vcenter_has_is_refused(world: World, fleet: Fleet) -> None:
    with watch(world, fleet, "a/d", "c/d") as watched, pytest.raises(ConfigurationError, match="no vCenter of the fleet has c/d"):
        watched.look()


@pytest.mark.parametrize("name", ["a", "a/", "/d", ""])
def test_a_name_is_a_host_and_a_device(world: World, fleet: Fleet, name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not HOST/DEVICE"):
        watch(world, fleet, name)


def test_no_sample_and_an_old_one_are_not_of_now(world: World, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    with watch(world, fleet, "a/d") as watched:
        watched.look()
        world.silent = {"a"}
        [silent] = watched.look()
        assert (silent.unread_since, silent.why) == (NOW, "its host has no sample of it")
    old = DeviceSample(NOW, 1.0, 1.0, 1.0, 1.0, 32, None)
    monkeypatch.setattr(watching, "read_samples", lambda _name, listed: dict.fromkeys(listed, old))
    world.now = NOW + timedelta(seconds=STALE_SECONDS + 1)
    with watch(world, fleet, "a/d") as watched:
        [row] = watched.look()
    assert row.why == "its newest sample is old"
    assert row.sample is None


ROW = WatchRow("esx-1/naa.6f47", "vc", DeviceSample(NOW, 104.0, 600.0, 300.0, 300.0, 32, 95.0), 310.0)


def test_a_line_says_how_full_how_long_and_who_throttles() -> None:
    assert watch_line(ROW, NOW) == (
        "03:00:00Z esx-1/naa.6f47: [##########] 31.2 of 32, 31.2 wait, KAVG 300 ms (worst 310 ms), DAVG 300 ms, 104/s, SIOC 95 %"
    )
    unread = WatchRow("esx-1/x", "", unread_since=NOW, why="no \x1b[31m answer")
    assert watch_line(unread, NOW) == "03:00:00Z esx-1/x: not read since 03:00:00Z: no \\x1b[31m answer"
    nothing = WatchRow("esx-1/x", "vc", DeviceSample(NOW, None, None, None, None, None, None, carries_vmfs=False))
    assert watch_line(nothing, NOW).endswith(
        "not read of not read, not read wait, KAVG not read (worst not read), DAVG not read, not read, SIOC no VMFS"
    )


@pytest.mark.parametrize("width", [60, 80, 118, 160])
def test_a_terminal_of_any_width_shows_every_figure(width: int) -> None:
    text = rendered_at(watch_view([ROW, WatchRow("esx-1/x", "", unread_since=NOW, why="no answer")], width), width)
    assert max(map(len, text.splitlines())) <= width
    together = " ".join(text.split())
    for part in ("31.2 of 32", "300 ms", "310 ms", "104/s", "95 %", "not read since 03:00:00Z: no answer"):
        assert part in together, part


def test_on_a_narrow_terminal_what_wraps_stands_below_its_figures() -> None:
    name, *figures = rendered_at(watch_view([ROW], 60), 60).splitlines()
    assert not name.startswith(" ")
    assert len(figures) > 1
    assert all(re.match("  [^ ]", line) for line in figures), figures


@pytest.mark.parametrize("width", [130, 150, 170])
def test_the_bar_of_a_queue_takes_what_is_left_of_a_wide_terminal(width: int) -> None:
    text = rendered_at(watch_view([ROW], width), width)
    longest = max(map(len, text.splitlines()))
    [bar] = re.findall(r"\[[#-]+\]", text)
    assert 10 < len(bar) - 2 <= 60
    assert width - 2 < longest <= width or len(bar) - 2 == 60


def test_a_move_that_advances_and_one_that_stands_still_look_different(world: World, fleet: Fleet) -> None:
    with watch(world, fleet, "a/d") as watched:
        world.moves = {"vc-1": [("task-1", "files", 40), ("task-2", "mail", 40), ("task-3", "web", None)]}
        watched.look()
        assert [move_text(one) for one in watched.moves()] == [
            "files is being moved: 40 %, not watched for long enough to say how fast",
            "mail is being moved: 40 %, not watched for long enough to say how fast",
            "web is being moved: its progress is not reported",
        ]
        world.now += timedelta(minutes=4)
        world.moves = {"vc-1": [("task-1", "files", 42), ("task-2", "mail", 40)]}
        watched.look()
        # 2 % in 4 minutes: the other 58 take 116 minutes.
        first, second = watched.moves()
        assert move_text(first) == "files is being moved: 42 %, 0.5 % a minute, 1 h 56 min left"
        assert not second.stands_still, "not for long enough"
        world.now += timedelta(minutes=1)
        watched.look()
        assert [move_text(one) for one in watched.moves()][1] == "mail is being moved: 40 %, and stands still for 5 min"
        world.moves = {}
        watched.look()
        assert watched.moves() == ()


def test_moves_that_cannot_be_read_leave_the_devices_as_they_are(world: World, fleet: Fleet) -> None:
    with watch(world, fleet, "a/d") as watched:
        world.moves = {"vc-1": [("task-1", "files", 40)]}
        watched.look()
        world.moves_refused = PermissionMissingError("no privilege System.Read", why="w", do="d")
        [row] = watched.look()
        assert (row.unread_since, watched.moves()) == (None, ())
        assert watched.moves_unread() == ("vc-1: no privilege System.Read",)
        world.moves_refused = None
        watched.look()
        assert [one.machine for one in watched.moves()] == ["files"]
        assert watched.moves_unread() == ()


def test_one_look_prints_devices_and_moves_and_ends_with_2_where_something_was_not_read(
    world: World, fleet: Fleet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opener: Any = world.open
    monkeypatch.setattr(watching, "Watch", lambda listed, names: Watch(listed, names, opener=opener, now=lambda: world.now))
    world.moves = {"vc-1": [("task-1", "files\x1b[31m", 40)]}
    once = ["watch", "a/d", "--fleet", str(fleet.path), "--once"]
    assert run(once) == 0
    device, move = capsys.readouterr().out.splitlines()
    assert " a/d: [" in device
    assert move.endswith(r"Z files\x1b[31m is being moved: 40 %, not watched for long enough to say how fast")
    world.moves_refused = PermissionMissingError("no privilege", why="w", do="d")
    assert run(once) == 2
    assert capsys.readouterr().out.splitlines()[1].endswith("Z moves not read: vc-1: no privilege")
