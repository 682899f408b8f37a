"""Rows that tests of what has no kind share."""

from typing import Any

from .single import Rows

ON: dict[str, Any] = {"endpoint": "vc", "host_id": "h"}
HOST: dict[str, Rows] = {
    "fact.host": [{**ON, "name": "h!", "cluster": "gold"}],
    "step_host_reading": [{**ON, "domain_id": "gold"} | dict.fromkeys(("devices_read", "paths_read", "hbas_read"), True)],
}
