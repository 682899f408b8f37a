"""The room that knows the system: what it does on Windows, as far as another system can show it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.cli.safe_stdout import safe_stream
from auditor.system import console, files, folders, locks, processes, shell
from auditor.text.signs import PLAIN


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (console, files, folders, shell):
        monkeypatch.setattr(one, "on_windows", lambda: True)
    monkeypatch.setattr("auditor.cli.commands.on_windows", lambda: True)


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("word", "typed"),
    [
        pytest.param("C:\\fleets\\fleet.yaml", "C:\\fleets\\fleet.yaml", id="a path"),
        pytest.param("C:\\my fleets\\fleet.yaml", "'C:\\my fleets\\fleet.yaml'", id="a path with a blank"),
        pytest.param("it's", "'it''s'", id="a quotation mark is doubled"),
        pytest.param("it\u2019s", "'it\u2019\u2019s'", id="PowerShell takes a typographic one for one as well"),
        pytest.param("$env:PATH", "'$env:PATH'", id="a variable stays text"),
        pytest.param("a,b", "'a,b'", id="a comma would make a list"),
        pytest.param("@fleet", "'@fleet'", id="a splat"),
        pytest.param("esx-*", "'esx-*'", id="a glob"),
        pytest.param("", "''", id="nothing is a word as well"),
    ],
)
def test_a_word_is_quoted_for_powershell(word: str, typed: str) -> None:
    assert shell.quoted(word) == typed


def test_elsewhere_a_word_is_quoted_for_a_posix_shell() -> None:
    assert shell.joined(["auditor", "audit", "--fleet", "it's mine.yaml"]) == """auditor audit --fleet 'it'"'"'s mine.yaml'"""


@pytest.mark.usefixtures("windows")
def test_on_windows_everything_is_kept_in_the_local_folder_of_the_account(tmp_path: Path) -> None:
    known = {"LOCALAPPDATA": str(tmp_path)}
    assert folders.state_home(known) == tmp_path / "auditor" / "state"
    assert folders.config_home(known) == tmp_path / "auditor" / "config"
    assert folders.state_home({**known, "XDG_STATE_HOME": str(tmp_path / "xdg")}) == tmp_path / "xdg" / "auditor"


def test_elsewhere_the_folders_are_those_of_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    assert folders.state_home({"XDG_STATE_HOME": "relative"}) == Path("/home/anna/.local/state/auditor")
    assert folders.config_home({}) == Path("/home/anna/.config/auditor")


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        pytest.param("cp1252", "a \u2026 · -> __# \\u0142", id="Western Windows"),
        pytest.param("cp437", "a ... · -> __\u2588 \\u0142", id="a console of the United States"),
        pytest.param("ascii", "a ... - -> __# \\u0142", id="ASCII"),
        pytest.param("utf-8", "a \u2026 · \u2192 \u2581\u2581\u2588 \u0142", id="UTF-8"),
    ],
)
def test_a_sign_that_an_encoding_lacks_has_a_plain_one_in_its_place(encoding: str, shown: str) -> None:
    text = "a \u2026 · \u2192 \u2581\u2581\u2588 \u0142"
    assert text.encode(encoding, PLAIN).decode(encoding) == shown


@pytest.mark.usefixtures("windows")
def test_a_pipe_of_windows_gets_utf_8_without_a_mark_and_with_plain_ends_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    place = tmp_path / "piped"
    with place.open("w", encoding="cp1252", newline="\r\n") as file:
        safe = safe_stream(file)
        print("Z\u00fcrich \u2192 \u0141\u00f3d\u017a", file=safe, flush=True)
    assert place.read_bytes() == "Z\u00fcrich \u2192 \u0141\u00f3d\u017a\n".encode()


def test_elsewhere_a_stream_keeps_its_encoding_and_raises_no_error(tmp_path: Path) -> None:
    place = tmp_path / "piped"
    with place.open("w", encoding="latin-1") as file:
        print("Z\u00fcrich \u2192 \u0141", file=safe_stream(file), flush=True)
    assert place.read_bytes() == "Z\u00fcrich -> \\u0141\n".encode("latin-1")


@pytest.mark.usefixtures("windows")
def test_a_console_of_windows_is_steered_by_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Console(io.BytesIO):
        """As `_WindowsConsoleIO`."""

    monkeypatch.setattr(io, "_WindowsConsoleIO", Console, raising=False)
    raw = Console()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    safe = safe_stream(stream)
    print("a\u009b2Jb", file=safe, flush=True)
    assert raw.getvalue() == b"a\\u009b2Jb\n"


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("words", [["schedule", "--once"], ["workers", "certificates"]], ids=["the schedule", "workers"])
def test_what_stays_on_linux_says_so_in_three_lines(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 3
    assert capsys.readouterr().err.splitlines()[0] == f"error: auditor {words[0]} does not run on Windows"


@pytest.mark.usefixtures("windows")
def test_a_file_that_somebody_reads_is_replaced_a_moment_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partial, path = tmp_path / "partial", tmp_path / "path"
    partial.write_text("new")
    real, refusals = Path.replace, iter([PermissionError("in use"), PermissionError("in use")])

    def replace(self: Path, target: Path) -> Path:
        for refusal in refusals:
            raise refusal
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(files, "_PAUSE_SECONDS", 0)
    files.put_in_place(partial, path)
    assert path.read_text() == "new"


def test_a_link_is_refused_also_where_the_system_cannot_refuse_it_while_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for flag in (files._NO_LINK, 0):
        monkeypatch.setattr(files, "_NO_LINK", flag)
        os.close(files.opened(tmp_path / "file", os.O_RDONLY, links=False))
        with pytest.raises(OSError, match=r"link|symbolic"):
            files.opened(tmp_path / "link", os.O_RDONLY, links=False)


def test_one_process_at_a_time_has_a_lock_and_its_end_gives_it_free(tmp_path: Path) -> None:
    place = tmp_path / "lock"
    with place.open("w+") as first, place.open("r+") as second:
        assert locks.lock_taken(first.fileno())
        assert not locks.lock_taken(second.fileno())
    with place.open("r+") as third:
        assert locks.lock_taken(third.fileno())


def test_a_process_lives_until_it_ends_and_a_later_one_of_its_number_is_another() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        since = processes.began(process.pid)
        assert processes.is_alive(process.pid, since)
        assert processes.is_alive(process.pid, None)
        assert not processes.is_alive(process.pid, "long ago")
        process.communicate(b"\n")
    assert not processes.is_alive(process.pid, since)
