"""Tags are read whole or a gap says why; they are asked for only when somebody needs them."""

from __future__ import annotations

import hashlib
import logging
import ssl
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.endpoints.vcenter.automation import open_automation
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import CredentialsError, EndpointUnreachableError
from auditor.facts.needs import EVERYTHING, Needs, needs
from auditor.facts.schema import Batch
from auditor.model import Endpoint, Gap, Tls
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault

TAGS = needs([("tagged", "tag")])
FLEET = """
vcenters:
  - name: vc-tags
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.x:y]}
    templates:
      host: {hbas: [{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}], devices: [disks]}
    clusters: [{name: one, hosts: [{name: "esx-{n}", count: 2, like: host}]}]
    datastores: [{name: fast, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one]}]
    tag_categories:
      - name: owner
        tags: [{name: storage, objects: [esx-1, fast]}, {name: compute}]
      - {name: tier, tags: [{name: gold, objects: [fast]}]}
"""
Serve = Callable[..., tuple[VCenterServer, Endpoint]]


@pytest.fixture
def tagged(serve_vcenter: Serve) -> tuple[VCenterServer, Endpoint]:
    return serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0])


def read(endpoint: Endpoint, wanted: Needs = TAGS) -> tuple[set[tuple[str, ...]], list[bool], list[Gap]]:
    """The tagged objects, what `reading` says of topic "tags", and the gaps."""
    rows: set[tuple[str, ...]] = set()
    whole: list[bool] = []
    gaps: list[Gap] = []
    with open_vcenter(endpoint) as vcenter:
        for item in collect_vcenter(vcenter, endpoint, wanted):
            if isinstance(item, Gap):
                gaps.append(item)
            elif isinstance(item, Batch) and item.table == "tagged":
                columns = (item.columns[name] for name in ("object_type", "object_id", "category", "tag"))
                rows |= set(zip(*columns, strict=True))
            elif isinstance(item, Batch) and item.table == "reading":
                reported = zip(item.columns["topic"], item.columns["complete"], strict=True)
                whole += [complete for topic, complete in reported if topic == "tags"]
    return rows, whole, gaps


def test_every_attached_tag_is_told_with_its_category_and_its_object(
    tagged: tuple[VCenterServer, Endpoint], caplog: pytest.LogCaptureFixture, vcenter_password: str
) -> None:
    server, endpoint = tagged
    caplog.set_level(logging.DEBUG)
    rows, whole, gaps = read(endpoint)
    assert vcenter_password not in caplog.text
    assert rows == {
        ("HostSystem", "host-11", "owner", "storage"),
        ("Datastore", "datastore-101", "owner", "storage"),
        ("Datastore", "datastore-101", "tier", "gold"),
    }
    assert (whole, gaps) == ([True], [])
    assert server.requests[-2:] == ["com.vmware.cis.session.delete", "Logout"]


def test_tags_are_no_part_of_a_whole_reading(tagged: tuple[VCenterServer, Endpoint]) -> None:
    server, endpoint = tagged
    assert read(endpoint, EVERYTHING)[:2] == (set(), [])
    assert not [name for name in server.requests if name.startswith("com.vmware")]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        pytest.param(Fault("drop", "com.vmware.cis.tagging.tag.list"), "listing tags: ConnectionError", id="no answer"),
        pytest.param(Fault("latency", "com.vmware.cis.tagging.tag.get", seconds=2), "reading a tag: ReadTimeout", id="too late"),
        pytest.param(Fault("garbage", "com.vmware.cis.tagging.tag.list"), "listing tags: ", id="nonsense"),
        pytest.param(Fault("status", "com.vmware.cis.session.create"), "logging in to its Automation API: ", id="a service that is down"),
    ],
)
def test_what_cannot_be_read_of_tags_is_a_gap_and_no_whole_reading(
    tagged: tuple[VCenterServer, Endpoint], fault: Fault, why: str, vcenter_password: str
) -> None:
    server, endpoint = tagged
    server.faults.active.append(fault)
    _, whole, gaps = read(replace(endpoint, limits=replace(endpoint.limits, timeout_seconds=1.0)))
    assert whole == [False]
    (one,) = gaps
    assert (one.what, one.why[: len(why)]) == ("tags", why)
    assert vcenter_password not in one.why


def test_a_refused_password_is_said_and_not_repeated(tagged: tuple[VCenterServer, Endpoint], vcenter_password: str) -> None:
    _, endpoint = tagged
    with pytest.raises(CredentialsError) as raised, open_automation(replace(endpoint, username="nobody@vsphere.local")):
        pass
    assert "it refuses user nobody@vsphere.local" in raised.value.what
    assert vcenter_password not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    ("tls", "trusted"),
    [
        pytest.param("as it is", True, id="by its authority"),
        pytest.param("system", False, id="by the system's authorities alone"),
        pytest.param("pinned", True, id="by its fingerprint"),
        pytest.param("other pin", False, id="by another fingerprint"),
        pytest.param("off", True, id="not at all, as fleet.yaml said"),
    ],
)
@pytest.mark.parametrize("named", [pytest.param(("127.0.0.1",), id="its own name"), pytest.param(("elsewhere.test",), id="another name")])
def test_certificates_are_checked_as_every_other_client_checks_them(
    serve_vcenter: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tls: str, trusted: bool, named: tuple[str, ...]
) -> None:
    # The authorities that the library itself trusts must not count.
    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", str(tmp_path / "ca.pem"))
    server, endpoint = serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0], names=named)
    pem = ssl.get_server_certificate((server.host, server.port))
    seen = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    ways = {
        "as it is": endpoint.tls,
        "system": Tls(),
        "pinned": Tls(fingerprint=f"sha256:{seen}"),
        "other pin": Tls(fingerprint=f"sha256:{'0' * 64}"),
        "off": Tls(verify=False),
    }
    by_name = tls in ("as it is", "system")
    try:
        with open_automation(replace(endpoint, tls=ways[tls])) as automation:
            found = len(list(automation.tags()))
    except EndpointUnreachableError:
        found = 0
    assert found == (2 if trusted and (named == ("127.0.0.1",) or not by_name) else 0)
