"""Hosts in memory whose settings take effect at a boot."""

from __future__ import annotations

from datetime import UTC, datetime

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.sessions import SessionBase
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Target

BOOTED = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
IN, OUT, BOOT = "in", "out", "boot"


def setting(
    name: str = "depth",
    host: str = "1",
    *,
    where: str = "vc",
    cluster: str | None = "gold",
    number: int = 0,
    waits_for: tuple[int, ...] = (),
) -> Change:
    resource = Resource("host_module", f"{host}/{name}", name, where, cluster, f"esx-{host}")
    target = Target(where, (("host_id", f"host-{host}"), ("setting", name)))
    rules = (f"b/{name}", "a/rule")
    return Change("shelf", FixClass.REBOOT, target, 32, 256, rules, resource, "reason", number=number, waits_for=waits_for)


class Cluster:
    """Hosts whose settings take effect at a boot.

    Attributes:
        readings: by host and setting; what is not here is as the plan saw it. After a boot, what `after_boot` says of a setting in turn.
        ends: by step, or by setting: how an attempt ends; else it is applied.
        booted: when each host booted, one reading after another; the last one goes on.
        refusals: by host: why it may not be rebooted.
        done: the attempts, as host and step or setting.
    """

    def __init__(self) -> None:
        self.readings: dict[tuple[str, str], Reading | Exception] = {}
        self.after_boot: dict[str, list[Reading | Exception]] = {}
        self.ends: dict[str, Outcome] = {}
        self.booted: list[datetime | Exception | None] = [BOOTED]
        self.refusals: dict[str, str] = {}
        self.in_maintenance: bool | None = False
        self.asked_as_ours: list[bool] = []
        self.done: list[tuple[str, str]] = []
        self.steps: list[Change] = []
        self.shown: list[tuple[str, int]] = []
        self.clock, self.sleeps = 0.0, list[float]()
        self.forcing = False

    def read(self, session: SessionBase, target: Target) -> Reading:
        assert session.endpoint.name == target.endpoint
        after = self.after_boot.get(target["setting"], [])
        if self.forcing and after:
            found = after.pop(0) if len(after) > 1 else after[0]
        else:
            found = self.readings.get((target["host_id"], target["setting"]), Reading(32))
        if isinstance(found, Exception):
            raise found
        return found

    def attempt(self, change: Change) -> Receipt:
        host = change.target["host_id"]
        name = {"host.boot": BOOT, "host.maintenance": OUT if change.after is False else IN}.get(change.remediator, "")
        if name:
            self.steps.append(change)
        self.done.append((host, name or change.target["setting"]))
        outcome = self.ends.get(name or change.target["setting"], Outcome.APPLIED)
        if outcome is not Outcome.APPLIED:
            return Receipt(change, outcome, change.before, "because")
        if name == BOOT:
            self.forcing = True
            self.readings |= {key: Reading(256) for key in self.readings if key[0] == host}
        elif not name:
            self.readings[host, change.target["setting"]] = Reading(change.after, "reboot")
        return Receipt(change, outcome, change.after, pending=None if name else "reboot")

    def boot_time(self, session: SessionBase, host: str) -> datetime | None:
        assert session.endpoint.name in {"vc", "vc-2"}
        assert host.startswith("host-")
        found = self.booted.pop(0) if len(self.booted) > 1 else self.booted[0]
        if isinstance(found, Exception):
            raise found
        return found

    def refusal(self, host: str, *, is_ours: bool) -> str | None:
        self.asked_as_ours.append(is_ours)
        return self.refusals.get(host)

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.clock += seconds
