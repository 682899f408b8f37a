"""What travels to a worker holds no secret, and all that verifies the endpoint."""

import pickle
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.endpoints import read_task
from auditor.endpoints.collect import unread_part
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.read_task import ReadTask, UnwantedError, read_part, task_of
from auditor.errors import ConfigurationError
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.model import Endpoint, EndpointKind, EndpointReading, Gap, Secret, Ssh, Tls

WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
SECRET = "what-only-the-worker-has"
ELEMENT = Endpoint("sf", EndpointKind.ELEMENT, "sf.example.net", 443, "auditor", Secret("env", ("SF_PASSWORD",)))
ETERNUS = Endpoint("dx", EndpointKind.ETERNUS, "dx.example.net", 22, "auditor", Secret("env", ("DX_PASSWORD",)), ssh=Ssh())


def sent(task: ReadTask) -> ReadTask:
    """The task as a worker gets it."""
    arrived = pickle.loads(pickle.dumps(task))
    assert isinstance(arrived, ReadTask)
    return arrived


def test_the_secret_is_looked_up_where_the_task_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SF_PASSWORD", SECRET)
    travels = pickle.dumps(task_of(ELEMENT, EVERYTHING))
    assert SECRET.encode() not in travels
    monkeypatch.delenv("SF_PASSWORD")
    task = pickle.loads(travels)
    monkeypatch.setenv("SF_PASSWORD", "another")
    assert password_of(task.endpoint) == "another"


def test_a_log_of_a_worker_shows_the_name_of_the_endpoint_alone() -> None:
    assert repr(task_of(ELEMENT, EVERYTHING)) == "ReadTask(sf)"


@pytest.mark.parametrize("kind", ["ca", "known_hosts"])
def test_the_file_that_verifies_the_endpoint_need_not_be_on_the_worker(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trust.pem"
    file.write_text("who is trusted")
    endpoint = replace(ELEMENT, tls=Tls(ca=str(file))) if kind == "ca" else replace(ETERNUS, ssh=Ssh(known_hosts=str(file)))
    task = sent(task_of(endpoint, EVERYTHING))
    file.unlink()
    seen: list[str] = []

    def read(endpoint: Endpoint, builder: SnapshotBuilder, *_: object) -> EndpointReading:
        path = endpoint.ssh.known_hosts if endpoint.ssh else endpoint.tls.ca
        assert path is not None
        seen.append(Path(path).read_text())
        builder.add(Gap(endpoint.name, "all of it", f"{path} cannot be used"))
        return unread_part(endpoint, "", WHEN).reading

    monkeypatch.setattr(read_task, "read_endpoint", read)
    part = read_part(task, lambda *_: None)
    assert seen == ["who is trusted"]
    assert [gap.why for gap in part.gaps] == [f"{file} cannot be used"]


def test_a_file_that_is_not_there_is_a_mistake_before_anything_travels(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.pem cannot be read: FileNotFoundError"):
        task_of(replace(ELEMENT, tls=Tls(ca=str(tmp_path / "gone.pem"))), EVERYTHING)


def test_answers_that_are_to_be_recorded_are_not_read_by_workers() -> None:
    with pytest.raises(ConfigurationError, match="workers do not record"):
        task_of(replace(ELEMENT, tap=lambda _exchange: None), EVERYTHING)


def test_what_nobody_wants_any_more_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_endpoint: Endpoint, builder: SnapshotBuilder, *_: object) -> EndpointReading:
        builder.add(Batch("vm", {"endpoint": ["sf"], "vm_id": ["vm-1"]}))
        raise AssertionError("it was read on")

    monkeypatch.setattr(read_task, "read_endpoint", read)
    with pytest.raises(UnwantedError):
        read_part(task_of(ELEMENT, EVERYTHING), lambda *_: None, lambda: False)


def test_an_endpoint_that_nobody_could_read_is_a_gap_that_says_why() -> None:
    part = unread_part(ELEMENT, "3 workers died while they read it", WHEN)
    assert not part.reading.complete
    assert part.gaps == (Gap("sf", "all of it, at sf.example.net:443", "3 workers died while they read it"),)
