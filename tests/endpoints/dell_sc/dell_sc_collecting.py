"""A Storage Center of the lab, collected."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from auditor.endpoints.dell_sc.client import open_dell_sc
from auditor.endpoints.dell_sc.collect import collect_dell_sc
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import EndpointKind
from tests.endpoints.arrays import Collected
from tests.endpoints.dell_sc.dell_sc_serving import S1

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint


TOPICS = set(ARRAY_TOPICS[EndpointKind.DELL_SC])


def collected(endpoint: Endpoint, asked: Needs = EVERYTHING) -> Collected:
    with open_dell_sc(endpoint) as manager:
        return Collected(collect_dell_sc(manager, endpoint, asked), asked.topics_of(EndpointKind.DELL_SC))


TWIN = dataclasses.replace(S1, name="twin", serial_number=64703, version="7.4.2.1", qos_latency_threshold_ms=None)
