"""The lab as the doctor sees it, and the checks it makes, by their topic."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace

from auditor.doctor import examine
from auditor.doctor.walk import topics_of
from auditor.engine.rules.rule import RuleSet
from auditor.fleet.loading import Fleet
from auditor.model import Check, Diagnosis, Endpoint, EndpointKind, Health
from auditor_lab.serving import Lab
from auditor_lab.vcenter.server import VCenterServer

Serve = Callable[..., tuple[VCenterServer, Endpoint]]


@dataclasses.dataclass(frozen=True)
class Doctor:
    """The lab, and what the doctor says of it."""

    lab: Lab
    fleet: Fleet
    rules: RuleSet

    def examine(self, *endpoints: Endpoint, only: str | None = None) -> Diagnosis:
        """Of these endpoints, or of all."""
        return examine(replace(self.fleet, endpoints=endpoints or self.fleet.endpoints), self.rules, lambda *_: None, only)

    def endpoint(self, name: str) -> Endpoint:
        return next(endpoint for endpoint in self.fleet.endpoints if endpoint.name == name)

    @property
    def vcenter(self) -> VCenterServer:
        return self.lab.vcenters["vc-solidfire"]

    def of_vcenter(self, **changes: object) -> dict[str, Check]:
        """The checks of the vCenter by their topic, the first of each."""
        return by_topic(self.examine(replace(self.endpoint("vc-solidfire"), **changes)), "vc-solidfire")  # type: ignore[arg-type]


def by_topic(diagnosis: Diagnosis, endpoint: str) -> dict[str, Check]:
    found: dict[str, Check] = {}
    for check in diagnosis.of(endpoint):
        found.setdefault(check.topic, check)
    return found


def states(checks: dict[str, Check]) -> dict[str, Health]:
    return {topic: check.state for topic, check in checks.items()}


def all_ok(kind: EndpointKind, **other: Health) -> dict[str, Health]:
    return dict.fromkeys(topics_of(kind), Health.OK) | other


def after(topic: str, kind: EndpointKind, state: Health = Health.PROBLEM) -> dict[str, Health]:
    """Well up to `topic`, which is not, and what rests on it not asked; our own secret is looked up in any case."""
    topics = topics_of(kind)
    place = topics.index(topic)
    reported = {name: Health.OK if at < place else state if at == place else Health.UNKNOWN for at, name in enumerate(topics)}
    return reported | ({"secret": Health.OK} if topic != "secret" else {})
