"""Datastore clusters in VMware's own simulator: what it can hold of them, it holds alike."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

from pyVmomi import VmomiSupport, vim
from pyVmomi.SoapAdapter import SerializeToStr

from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import serve
from auditor_lab.vcsim import export_vcsim
from tests.peers import running_vcsim

FLEET = """
vcenters:
  - name: vc-pods
    host_build: 22380479
    clusters:
      - {name: one, hosts: [{name: esx-1}]}
    datastores:
      - {name: gold-1, type: NFS, remote_host: 198.51.100.9, remote_path: /a, clusters: [one], sioc: {percent_of_peak: 70}}
      - {name: alone, type: NFS, remote_host: 198.51.100.9, remote_path: /b, clusters: [one]}
    pods:
      - {name: gold, datastores: [gold-1], io_metric: true, io_latency_threshold_ms: 25, automation: {io_load_balance: manual}}
"""


def as_text(value: Any) -> str:
    info = VmomiSupport.Object(name="val", type=object, version="vim.version.v8_0_2_0", flags=0)
    return str(SerializeToStr(value, info, "vim.version.v8_0_2_0", {}))


def test_vcsim_carries_datastore_clusters_and_what_the_io_metric_did(log_in: Any, tmp_path: Path) -> None:
    fleet = parse_scenario(FLEET, "pods")
    export_vcsim(fleet, tmp_path / "model")
    with running_vcsim(tmp_path / "model") as vcsim, serve(fleet) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        trusted = ssl.create_default_context(cafile=str(tmp_path / "fleet-ca.pem"))
        unknown = ssl.create_default_context()
        unknown.check_hostname, unknown.verify_mode = False, ssl.CERT_NONE  # vcsim makes its own certificate at every start
        server = lab.vcenters["vc-pods"]
        with (
            log_in(server.host, server.port, trusted, password=lab.password) as ours,
            log_in(vcsim.host, vcsim.port, unknown, user=vcsim.username, password=vcsim.password) as theirs,
        ):
            for kind, paths in (
                (vim.StoragePod, ("name", "parent", "summary", "podStorageDrsEntry", "childEntity")),
                (vim.Datastore, ("name", "parent", "iormConfiguration")),
            ):
                mine, other = ours.read(kind, *paths), theirs.read(kind, *paths)
                assert mine
                assert set(mine) == set(other)
                for moid, facts in mine.items():
                    assert {path: as_text(value) for path, value in facts.items()} == {
                        path: as_text(value) for path, value in other[moid].items()
                    }
