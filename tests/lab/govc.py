"""VMware's govc, let loose on a vCenter of the lab."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auditor_lab.serving import VCENTER_USER, serve
from tests.waiting import completed

if TYPE_CHECKING:
    from pathlib import Path

    from auditor_lab.description import LabFleet
    from auditor_lab.vcenter.server import VCenterServer

Govc = Callable[..., str]
"""Runs govc with these arguments and returns its standard output; of a run that `fails`, its standard error."""


def govc_for(binary: str, server: VCenterServer, ca: Path, user: str, password: str) -> Govc:
    """govc, logged in to this vCenter; it keeps its own files beside `ca`, which it checks certificates by."""
    environment = os.environ | {
        "GOVC_URL": f"https://{server.host}:{server.port}/sdk",
        "GOVC_USERNAME": user,
        "GOVC_TLS_CA_CERTS": str(ca),
        "GOVC_SHOW_UNRELEASED": "true",
        "GOVMOMI_HOME": str(ca.with_name("govmomi")),
    }

    def run(*arguments: str, fails: bool = False, password: str = password) -> str:
        done = completed([binary, *arguments], env=environment | {"GOVC_PASSWORD": password}, check=False)
        assert (done.returncode != 0) is fails, done.stdout + done.stderr
        return done.stderr if fails else done.stdout

    return run


@contextmanager
def govc_on(binary: str, scenario: LabFleet, folder: Path) -> Iterator[tuple[Govc, VCenterServer]]:
    """govc, and the one vCenter of a scenario that it is logged in to."""
    with serve(scenario) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        (server,) = lab.vcenters.values()
        yield govc_for(binary, server, folder / "fleet-ca.pem", VCENTER_USER, lab.password), server
