"""Which tags are attached to what, as a vCenter's Automation API reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.automation import open_automation
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint


def collect_tags(_vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, _paths: Sequence[str]) -> Iterator[Facts]:
    """Yield tagged, and the reading of topic "tags"; by a session of its own, with the same account.

    Only what the account may read is reported, tags and objects alike: all of that is the whole here.

    Source: vSphere Automation API, TagAssociation.list_attached_objects_on_tags: "will only contain those objects for which you have the
    read privilege".
    """
    rows = Rows("tagged", endpoint=endpoint.name)
    complete = circuit.opened_by is None
    try:
        circuit.check()
        with open_automation(endpoint) as automation:
            for one in automation.tags():
                for kind, object_id in one.objects:
                    rows.add(object_type=kind, object_id=object_id, category=one.category, tag=one.tag)
    except EndpointError as error:
        # Not reported to the circuit: this API is another service than the one that reports the rest.
        complete = False
        yield gap(endpoint, "tags", error)
    yield from rows.batch()
    yield readings(endpoint, "", {"tags": complete})
