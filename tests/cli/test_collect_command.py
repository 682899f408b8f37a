"""`auditor collect`: a snapshot with gaps is a snapshot; --strict makes the exit code say that there are some."""

import socket
from pathlib import Path

import pytest

from auditor.cli import run

pytestmark = pytest.mark.long


@pytest.fixture
def unreachable(tmp_path: Path) -> Path:
    """A fleet whose one endpoint listens on no port."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    fleet = tmp_path / "fleet.yaml"
    login = "username: audit, password: {command: [echo, x]}"
    fleet.write_text(f"endpoints: [{{name: vc-gone, kind: vcenter, address: '127.0.0.1:{port}', {login}}}]\n", encoding="utf-8")
    return fleet


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--strict"], 2)], ids=["as it is", "strict"])
def test_a_fleet_that_was_not_read_whole_is_listed_and_only_strict_makes_it_an_exit_code(
    unreachable: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int
) -> None:
    assert run(["collect", "--fleet", str(unreachable), "--out", str(tmp_path / "out"), *options]) == code
    printed = capsys.readouterr()
    gaps = [line for line in printed.err.splitlines() if line.startswith("gap: vc-gone: ")]
    assert gaps
    assert printed.out.endswith(f"0 hosts, 1 endpoints, {len(gaps)} gaps\n")
    assert (tmp_path / "out").is_dir()
