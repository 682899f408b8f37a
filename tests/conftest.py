"""Peers that more than one folder of tests talks to: the lab's vCenter and VMware's own simulator."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

from auditor.model import Endpoint, EndpointKind, Limits, Secret, Tls
from auditor_lab.authority import Authority
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from tests.peers import go_binary, running_vcsim
from tests.waiting import SPEED_CHECKS

# One profile for all property tests: none may fail because the machine is slow or busy. CI tries the same examples each time, so that it
# judges the change; everybody else looks for new ones.
settings.register_profile("auditor", deadline=None, suppress_health_check=SPEED_CHECKS, derandomize="CI" in os.environ)
settings.load_profile("auditor")

pytest_plugins = ["auditor.contract", "tests.crashes", "tests.in_one_process", "tests.order"]

VCENTER_PASSWORD = "correct-horse-battery"

_VCENTER = """
vcenters:
  - name: vc-small
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa, naa.624a9370bbbb], targets: [iqn.2010-06.com.purestorage:x]}
      endpoint:
        {vendor: SolidFir, model: SSD SAN, protocol_endpoint: true, names: [naa.6f47acc2000000017366707200000000], targets: [iqn.x:pe]}
      lun:
        {vendor: FUJITSU, model: ETERNUS_DXM, transport: fc, names: [naa.600000e00d01], targets: ["500000e0d0aa0080"], satp: VMW_SATP_ALUA}
    templates:
      iscsi:
        hbas:
          - device: vmhba64
            kind: iscsi
            driver: iscsi_vmk
            model: iSCSI Software Adapter
            software: true
            targets:
              - {address: 198.51.100.1}
              - {kind: static, address: 198.51.100.2, iqn: "iqn.2010-06.com.purestorage:x", delayed_ack: false}
        modules: {iscsi_vmk: {configured: "iscsivmk_HostQDepth=2048 iscsivmk_LunQDepth=192", in_effect: ""}}
        devices: [disks, endpoint]
        dsnro: {naa.624a9370aaaa: 64}
      fc:
        hbas: [{device: vmhba2, kind: fc, driver: qlnativefc, model: QLogic 32Gb Fibre Channel Adapter, initiator: "2100f4e9d4000001"}]
        devices: [lun]
    clusters:
      - {name: one, hosts: [{name: "esx-{n}", count: 2, like: iscsi}]}
      - {name: two, drs: false, hosts: [{name: esx-fc, like: fc}]}
    datastores:
      - name: fast
        type: VMFS
        extents: [naa.624a9370aaaa]
        clusters: [one]
        sioc: {enabled: true, statistics: true, threshold_ms: 20, mode: manual}
      - {name: old, type: VMFS, extents: [naa.600000e00d01], clusters: [two], locking_mode: ATS+SCSI}
      - {name: files, type: NFS, remote_host: 198.51.100.9, remote_path: /files, clusters: [one], sioc: {supported: false}}
    pods:
      - {name: pod, datastores: [old], enabled: false}
    vms:
      - {name: "vm-{n}", count: 3, cluster: one, disks: [{datastore: fast}, {datastore: fast, controller: lsilogic-sas, iops_limit: 500}]}
      - {name: stuck, host: esx-fc, disks: [{datastore: old}]}
"""


@pytest.fixture
def vcenter_password() -> str:
    """The password of every vCenter the lab serves here; no output may hold it."""
    return VCENTER_PASSWORD


@pytest.fixture
def small_vcenter() -> VCenterDescription:
    """Two iSCSI hosts with a protocol endpoint, one Fibre Channel host, three datastores, four machines."""
    return parse_scenario(_VCENTER, "small").vcenters[0]


@pytest.fixture
def serve_vcenter(tmp_path: Path, small_vcenter: VCenterDescription) -> Iterator[Callable[..., tuple[VCenterServer, Endpoint]]]:
    """Serves vCenters of the lab: called, it gives the server and the endpoint that reaches it."""
    authority = Authority()
    authority.write(tmp_path / "ca.pem")
    (tmp_path / "password").touch(mode=0o600)
    (tmp_path / "password").write_text(VCENTER_PASSWORD, encoding="utf-8")
    with ExitStack() as stack:

        def serve(
            description: VCenterDescription = small_vcenter,
            *,
            timeout_seconds: float = 30.0,
            concurrency: int = 8,
            names: tuple[str, ...] = ("127.0.0.1", "localhost"),
            session_seconds: float = 1800.0,
        ) -> tuple[VCenterServer, Endpoint]:
            context = authority.server_context(*names)
            server = VCenterServer(description, context, "audit@vsphere.local", VCENTER_PASSWORD, session_seconds=session_seconds)
            stack.callback(server.stop)
            return server, Endpoint(
                name="vc-test",
                kind=EndpointKind.VCENTER,
                address=server.host,
                port=server.port,
                username="audit@vsphere.local",
                password=Secret("file", (str(tmp_path / "password"),)),
                tls=Tls(ca=str(tmp_path / "ca.pem")),
                limits=Limits(concurrency=concurrency, timeout_seconds=timeout_seconds),
            )

        yield serve


@pytest.fixture
def many_hosts(small_vcenter: VCenterDescription) -> VCenterDescription:
    """Forty-five hosts in one cluster: more than two pages of twenty."""
    first = small_vcenter.clusters[0]
    hosts = tuple(dataclasses.replace(first.hosts[0], name=f"esx-{number:03}") for number in range(45))
    return dataclasses.replace(small_vcenter, clusters=(dataclasses.replace(first, hosts=hosts),), datastores=(), pods=(), vms=())


@pytest.fixture
def start_vcsim(tmp_path: Path) -> Iterator[Callable[..., Endpoint]]:
    """Starts VMware's simulator: called with a directory for `-load`, or further options, it gives the endpoint that reaches it."""
    go_binary("vcsim")
    with ExitStack() as stack:

        def start(load: Path | None = None, *options: str) -> Endpoint:
            vcsim = stack.enter_context(running_vcsim(load, "-username", "u", "-password", "any", *options))
            (tmp_path / "vcsim-password").touch(mode=0o600)
            (tmp_path / "vcsim-password").write_text(vcsim.password, encoding="utf-8")
            password = Secret("file", (str(tmp_path / "vcsim-password"),))
            return Endpoint(
                "vcsim", EndpointKind.VCENTER, vcsim.host, vcsim.port, vcsim.username, password, Tls(fingerprint=vcsim.fingerprint)
            )

        yield start
