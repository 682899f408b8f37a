"""What tests of the schedule share."""

from __future__ import annotations

from auditor.errors import EndpointUnreachableError
from auditor.job.runs import Failed

UNREACHABLE = Failed(EndpointUnreachableError("no endpoint answered", why="nothing was read.", do="look at the network"))
