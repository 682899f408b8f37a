"""One lab and one cluster for the tests of a file."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import dask
import pytest
from distributed import LocalCluster
from distributed.security import Security

from auditor.fleet.loading import Site, load_fleet
from auditor.model import Secret
from auditor.workers.certificates import ROLES, files_of, make_certificates
from auditor.workers.sites import UNITS, resource_of
from auditor.workers.worker import SETTINGS
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from auditor_lab.vcenter.performance import manager
from auditor_lab.wire import Answer, Request
from tests.content import content_digest
from tests.waiting import PATIENCE_SECONDS

from .places import FEW, HELD, ONLY_THERE, VCENTER, Hold, Place, read_here


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("workers")
    certificates = folder / "certificates"
    make_certificates(certificates)
    config = {
        "distributed.scheduler.allowed-failures": 2,
        "distributed.scheduler.locks.lease-timeout": "2s",
        "distributed.scheduler.locks.lease-validation-interval": "200ms",
        "logging": {"distributed": "critical"},
        **SETTINGS,
    }
    with pytest.MonkeyPatch.context() as frozen, serve(load_scenario("solidfire-vvols")) as lab, dask.config.set(config):
        # Counters of load are another every 20 seconds.
        frozen.setattr(manager, "time", SimpleNamespace(time=partial(float, time.time())))
        lab.write_fleet(folder / "fleet.yaml")
        fleet = load_fleet(folder / "fleet.yaml")
        fleet = replace(fleet, sites=(Site("vienna", (VCENTER,)),))
        with LocalCluster(
            n_workers=2,
            threads_per_worker=2,
            processes=True,
            protocol="tls://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=_security(certificates),
            resources={resource_of("vienna"): UNITS},
            env={ONLY_THERE: lab.password},
        ) as cluster:
            endpoints = tuple(replace(one, password=Secret("env", (ONLY_THERE,))) for one in fleet.endpoints)
            yield Place(lab, replace(fleet, endpoints=endpoints), cluster, certificates)


def _security(folder: Path) -> Security:
    """That of all roles, as a LocalCluster is all of them."""
    files: dict[str, str] = {}
    for role in ROLES:
        authority, certificate, key = (str(folder / name) for name in files_of(role))
        files |= {"tls_ca_file": authority, f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    return Security(require_encryption=True, **files)


@pytest.fixture
def hold(place: Place) -> Iterator[Hold]:
    """Has the vCenter keep back what hosts are read by."""
    server = place.lab.vcenters[VCENTER]._wire  # nothing else can keep an answer back until a test wants it
    held, answer = Hold(threading.Event(), threading.Event()), server.answer

    def later(request: Request) -> Answer:
        if server.operation(request) == HELD and not held.over.is_set():
            held.begun.set()
            held.over.wait(PATIENCE_SECONDS)
        return answer(request)

    server.answer = later
    yield held
    held.release()
    server.answer = answer


@pytest.fixture(scope="module")
def few(place: Place) -> str:
    """The digest of FEW, read by threads."""
    return content_digest(read_here(place, FEW).connection)
