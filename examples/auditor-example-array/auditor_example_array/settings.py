"""What can be changed on an Example Array: each setting reads and writes, once, and decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from auditor.endpoints.common.remediator import Reading
from auditor.errors import MalformedAnswerError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.model import Scalar, Target
    from auditor_example_array.client import ExampleArray


class ExampleArrayVolumeLimit:
    """`example_array.volume_limit`: key `volume_id`; the ceiling of a volume in I/O operations a second, None is no ceiling."""

    kind = EndpointKind("example-array")

    def read(self, session: ExampleArray, target: Target) -> Reading:
        """The ceiling as the array reports it now; 0 is None.

        Raises:
            EndpointError: the array could not be asked, or reports no number.
        """
        value = session.get(_path(target)).get("iops_limit")
        if type(value) is not int or value < 0:
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: the ceiling of volume {target['volume_id']} reads {value!r}",
                why="without the present value nothing may be written.",
                do="look at the volume on the array itself.",
            )
        return Reading(value or None)

    def write(self, session: ExampleArray, target: Target, value: Scalar) -> None:
        """Set the ceiling, or lift it with None.

        Raises:
            RefusedError: `value` is no whole number from 1.
            EndpointError: as `read`; no answer: whether it was written is not known.
        """
        if value is not None and not (type(value) is int and value >= 1):
            raise RefusedError(
                f"endpoint {session.endpoint.name}: the ceiling of volume {target['volume_id']} cannot be set to {value!r}",
                why="it is a whole number from 1, or none at all; nothing was written.",
                do="correct `set:` of the rule that asked for it.",
            )
        session.patch(_path(target), {"iops_limit": 0 if value is None else value})


def _path(target: Target) -> str:
    return f"volumes/{quote(target['volume_id'], safe='')}"
