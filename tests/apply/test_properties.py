"""Any order of plans, faults, kills and other people's changes: what must hold all the same."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.apply import recover, undo
from auditor.apply.values import same
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import ConfigurationError
from auditor.journal import history, open_intents, open_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Plan, Resource, Scalar, Secret, Target
from tests.applying import apply

NAMES = ("a", "b", "c")
VALUES = st.sampled_from([32, 64, 256, None, "32", True, 1, 1.0])
FAULTS = st.sampled_from(
    [
        "",
        "deaf",
        "clamps",
        "stores text",
        "refuses",
        "refuses and changes",
        "unreadable",
        "answer lost, stored",
        "answer lost, not stored",
        "dies after the write",
    ]
)
STEPS = st.one_of(
    st.tuples(st.just("somebody sets"), st.sampled_from(NAMES), VALUES),
    st.tuples(st.just("fault"), st.sampled_from(NAMES), FAULTS),
    st.tuples(st.just("kill"), st.sampled_from(["before the write", "after the write"]), st.just(None)),
    st.tuples(st.just("plan"), st.just(""), VALUES),
    st.tuples(st.sampled_from(["apply", "recover", "undo"]), st.just(""), st.just(None)),
)


class KilledError(BaseException):
    """SIGKILL as far as one process can play it: nothing of ours runs after it but what the kernel does."""


class World:
    """The settings, everybody who changes them, and a journal directory."""

    def __init__(self, shelf: Any, directory: Path) -> None:
        self.shelf, self.directory = shelf, directory
        self.shelf.settings = dict.fromkeys(NAMES, 32)
        self.last_by_us: dict[str, bool] = {}
        self.plan = Plan()
        self.kill = ""
        self.runs = 0
        self.kind = EndpointKind.VCENTER

    # The remediator of this world: the shelf's, watched.

    def read(self, session: object, target: Target) -> Any:
        return self.shelf.read(session, target)

    def write(self, session: object, target: Target, value: Scalar) -> None:
        name = target["setting"]
        now = self.shelf.settings.get(name)
        announced = open_intents(self.directory)[-1].change
        assert (announced.target, announced.after) == (target, value), "the write is the one that was announced"
        assert same(now, announced.before), "a value the plan did not see was about to be overwritten"
        kill, self.kill = self.kill, ""
        if kill == "before the write":
            raise KilledError
        try:
            self.shelf.write(session, target, value)
        finally:
            if not same(now, self.shelf.settings.get(name)):
                self.last_by_us[name] = True
        if kill:
            raise KilledError

    def opened(self, endpoint: Endpoint) -> AbstractContextManager[SessionBase]:
        session = SessionBase(endpoint)
        session.known_identity = "1111"
        return nullcontext(session)

    # What can happen.

    def happen(self, what: str, name: str, value: Any) -> None:
        match what:
            case "somebody sets":
                if not same(self.shelf.settings.get(name), value):
                    self.last_by_us[name] = False
                self.shelf.settings[name] = value
            case "fault":
                self.shelf.faults[name] = value
                self.shelf.writes.clear()  # the dead answer again until the next write
            case "kill":
                self.kill = name
            case "plan":
                self.plan = Plan(tuple(self.change(each, value) for each in NAMES), identities={"vc": "1111"})
            case _:
                with suppress(KilledError):
                    self.run(what)

    def change(self, name: str, after: Scalar) -> Change:
        resource = Resource("device", name, name, "vc", name, f"esx-{name}")
        target = Target("vc", (("setting", name),))
        return Change("shelf", FixClass.ONLINE, target, self.shelf.settings[name], after, ("rule",), resource, "reason")

    def run(self, what: str) -> Any:
        self.runs += 1
        endpoint = Endpoint("vc", EndpointKind.VCENTER, "127.0.0.1", 443, "audit", Secret("env", ("NONE",)))
        with (
            Sessions({"vc": endpoint}, {EndpointKind.VCENTER: self.opened}) as sessions,
            open_journal(self.directory, f"run-{self.runs:03}") as journal,
        ):
            remediators: Any = lambda _name: self  # noqa: E731
            match what:
                case "recover":
                    return recover(journal, sessions, remediators)
                case "apply":
                    options: Any = {"confirm": lambda _: True, "remediators": remediators}
                    return list(apply(self.plan, sessions, journal, allow=[FixClass.ONLINE], **options))
                case _:
                    entries = history(self.directory).entries
                    with suppress(ConfigurationError):
                        run = entries[-1].intent.run if entries else "none"
                        return list(undo(run, sessions, journal, confirm=lambda _: True, remediators=remediators))

    def explained(self) -> None:
        """Where the last to change a setting was us, the journal's last word on it is what the setting is."""
        last = {entry.intent.change.target["setting"]: entry for entry in history(self.directory).entries}
        for name, by_us in self.last_by_us.items():
            if by_us:
                now, entry = self.shelf.settings.get(name), last[name]
                assert not entry.settled or (entry.receipt is not None and same(entry.receipt.found, now))


@pytest.mark.long
@settings(max_examples=150)
@given(steps=st.lists(STEPS, max_size=14))
def test_no_unseen_value_is_overwritten_and_the_journal_explains_what_is_there(
    tmp_path_factory: pytest.TempPathFactory, new_shelf: Any, steps: list[tuple[str, str, Any]]
) -> None:
    world = World(new_shelf(), tmp_path_factory.mktemp("world"))
    for step in steps:
        world.happen(*step)
        world.explained()
    world.shelf.faults.clear()
    world.run("recover")
    world.explained()
    assert open_intents(world.directory) == [], "once everything can be read again, nothing stays unexplained"
