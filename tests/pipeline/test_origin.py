"""A run says who made it, with which program, by which rules, from which data."""

from __future__ import annotations

import getpass
import hashlib
import socket
from importlib.metadata import version
from pathlib import Path

from auditor.pipeline.result import origin_of
from tests.engine.bench import SOUND, rules_from


def test_the_origin_names_account_machine_and_program(tmp_path: Path) -> None:
    origin = origin_of(rules_from(tmp_path, SOUND), None)
    assert (origin.account, origin.machine, origin.version) == (getpass.getuser(), socket.gethostname(), version("auditor"))
    assert origin.data is None


def test_the_data_has_the_digest_of_the_snapshots_manifest(tmp_path: Path) -> None:
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / "snapshot.json").write_bytes(b"{}")
    origin = origin_of(rules_from(tmp_path / "rules", SOUND), tmp_path / "snapshot")
    assert origin.data == f"sha256:{hashlib.sha256(b'{}').hexdigest()}"


def test_another_rule_file_is_another_rule_set(tmp_path: Path) -> None:
    one = origin_of(rules_from(tmp_path / "one", SOUND), None)
    other = origin_of(rules_from(tmp_path / "other", SOUND.replace("title:", "# a remark\ntitle:", 1)), None)
    assert one.rules != other.rules
    assert one.rules == origin_of(rules_from(tmp_path / "again", SOUND), None).rules
