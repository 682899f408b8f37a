"""What does not go together with workers is refused before anything is read."""

from pathlib import Path

import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.pipeline.request import AuditRequest

FLEET = Path("fleet.yaml")


def test_workers_do_not_read_a_saved_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigurationError, match="do not go with a saved snapshot"):
        AuditRequest(snapshot=tmp_path, workers="scheduler")
    assert run(["audit", "--from", str(tmp_path), "--workers", "scheduler"]) == 3
    assert "--workers cannot go with --from" in capsys.readouterr().err


def test_certificates_without_workers_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="go with the address"):
        AuditRequest(fleet=FLEET, workers_certificates=Path("certificates"))
