"""Sessions with Fujitsu ETERNUS DX arrays, over the command line on SSH.

QoS, firmware and UIDs are reported there; SMI-S reports no QoS, and the REST interface is of much newer arrays than the incident's
(docs/domain/arrays.md#eternus). Nothing of this was verified against a real system: forms and codes come from the public sources that
are named where they are used.
"""

from __future__ import annotations

import re
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auditor.endpoints.common.https import UNKNOWN_FACTS, UNKNOWN_OUTCOME
from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.eternus.answers import Answer, BusyError, NoSuchCommandError, understood
from auditor.endpoints.eternus.shell import Lost, Shell, lost
from auditor.errors import EndpointError, MalformedAnswerError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from auditor.model import Endpoint

KNOWN_FIRMWARE = ("V10", "V11")  # whose answers were recorded

_READ = re.compile(r"show [ -~]+")
_WRITE = re.compile(r"set [ -~]+")
_FIRMWARE = re.compile(r"V\d+L\d+[-0-9A-Za-z]*")
_KEYED = re.compile(r"\s*(\S.*?)\s*\[(.*?)\s*\]")
_FIRST_PAUSE = 0.25  # seconds before a busy array is asked again; doubled each time


class EternusArray(SessionBase):
    """One array, asked through one shell. Made by `open_eternus`; safe to use from several threads, which wait for each other.

    Attributes:
        by_machine: the account is answered in the machine's form (its role is Software).
        firmware: as the array reports it, for example V10L66-0000.
    """

    def __init__(self, endpoint: Endpoint, shell: Shell) -> None:
        super().__init__(endpoint)
        self._shell = shell
        self._asking = threading.Lock()
        self._pages = False  # an answer stopped for a key
        about = self.read("show enclosure-status")
        self.by_machine = about.by_machine
        self.firmware, model, self.known_identity = _identity(endpoint, about)
        self.release = f"ETERNUS {model.removeprefix('ETERNUS ')} {self.firmware}"
        if not self.firmware.startswith(KNOWN_FIRMWARE):
            self.add_note(f"{endpoint.name}: answers of firmware {self.firmware} were never recorded; they may be misunderstood.")

    def read(self, command: str) -> Answer:
        """What a `show` command reports.

        After a lost connection it logs in and asks once more; a busy array is asked for as long as the endpoint's time-out allows.

        Raises:
            NoSuchCommandError, NotThereError, PermissionMissingError, EndpointError: what the array said.
            MalformedAnswerError: the answer is in no known form, or broke off twice.
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the account is no longer accepted.
        """
        if not _READ.fullmatch(command):
            raise AssertionError(f"not a read: {command!r}")
        pause, patience = _FIRST_PAUSE, self.endpoint.limits.timeout_seconds
        while True:
            try:
                return understood(self.endpoint, command, self._answer_to(command), is_read=True)
            except BusyError:
                if pause > patience:
                    raise
            time.sleep(pause)
            patience -= pause
            pause *= 2

    def write(self, command: str) -> None:
        """Carry out a `set` command, once.

        Raises:
            NoSuchCommandError, NotThereError, PermissionMissingError, RefusedError: what the array said; nothing was written.
            MalformedAnswerError, EndpointUnreachableError: there was no good answer; whether it was carried out is not known, unless `why`
                says that it was never sent.
        """
        if not _WRITE.fullmatch(command):
            raise RefusedError(
                f"endpoint {self.endpoint.name}: {command!r} is not a command that sets anything",
                why="nothing was written.",
                do="correct `target:` of the rule that asked for it.",
            )
        with self._asking:
            if not self._shell.is_open:
                self._shell.connect()
            reply = self._shell.ask(command)
        if isinstance(reply, Lost):
            raise lost(self.endpoint, command, reply, UNKNOWN_OUTCOME)
        answer = understood(self.endpoint, command, reply, is_read=False)
        if self.by_machine and not answer.by_machine:
            raise MalformedAnswerError(
                f"endpoint {self.endpoint.name}: {command}: neither done nor refused: {' / '.join(answer.lines)[:100]!r}",
                why=UNKNOWN_OUTCOME,
                do="read the setting back.",
            )

    def read_identity(self) -> str | None:
        """The serial number; None when it reports none."""
        return _identity(self.endpoint, self.read("show enclosure-status"))[2]

    def clock(self) -> datetime | None:
        """What the array's clock says, in UTC: None, since no form of the answer that would hold it is public."""
        return None

    def role(self) -> str | None:
        """The role of our account; None when it is not reported: only accounts that administer users may ask, and Software ones.

        Source: cinder's Fujitsu driver, `_check_user_role`; text as an acceptance test of Toshiba's has it in a comment.
        """
        try:
            answer = self.read("show users")
        except EndpointError:
            return None
        rows = answer.records[1:] if answer.by_machine else [line.split() for line in answer.lines]
        return next((row[1] for row in rows if len(row) > 1 and row[0] == self.endpoint.username), None)

    def _answer_to(self, command: str) -> str:
        """The transcript of a read, asked again after a lost connection but not after a silence: that would only double the wait."""
        trouble: Lost | None = None
        for _ in range(2):
            with self._asking:
                if not self._shell.is_open:
                    self._shell.connect()
                    if self._pages:
                        self._unpaged()
                reply = self._shell.ask(command)
            if not isinstance(reply, Lost):
                return reply
            trouble = reply
            self._pages = self._pages or trouble.paged
            if not trouble.in_time:
                break
        assert trouble is not None  # noqa: S101  the loop ran
        raise lost(self.endpoint, command, trouble, UNKNOWN_FACTS)

    def _unpaged(self) -> None:
        """Have long answers shown at once; a setting of the session alone. Not verified against a real system.

        It is the one command of a read that sets something, so it is sent only where an answer stopped for a key.
        """
        transcript = self._shell.ask("set clienv-show-more -scroll disable")
        if isinstance(transcript, str):
            try:
                understood(self.endpoint, "set clienv-show-more -scroll disable", transcript, is_read=False)
            except NoSuchCommandError:
                return


@contextmanager
def open_eternus(endpoint: Endpoint) -> Iterator[EternusArray]:
    """A session with an ETERNUS DX; its shell is closed at the end.

    Raises:
        CredentialsError: the password cannot be looked up, or is refused; it was sent once.
        EndpointUnreachableError: no connection, no prompt in time, or a host key that does not verify.
        MalformedAnswerError: something answers, but not an ETERNUS.
        ConfigurationError: the endpoint's known_hosts file cannot be read.
    """
    shell = Shell(endpoint)
    try:
        shell.connect()
        yield EternusArray(endpoint, shell)
    finally:
        shell.close()


def keyed(answer: Answer) -> dict[str, str]:
    """The lines "Key    [value]" of a text answer; the first of several with one key."""
    by_key: dict[str, str] = {}
    for line in answer.lines:
        if match := _KEYED.match(line):
            by_key.setdefault(match[1], match[2])
    return by_key


def _identity(endpoint: Endpoint, about: Answer) -> tuple[str, str, str | None]:
    """Firmware, model, and the serial number or None.

    Source: cinder's Fujitsu driver, `_show_enclosure_status` (field 12); recorded text.
    """
    if about.by_machine and about.records and len(about.records[0]) > 11:
        model, serial, firmware = about.records[0][2], about.records[0][3], about.records[0][11]
    else:
        fields = keyed(about)
        model, serial, firmware = (fields.get(key, "") for key in ("Model Name", "Serial Number", "Firmware Version"))
    if not _FIRMWARE.fullmatch(firmware):
        raise MalformedAnswerError(
            f"endpoint {endpoint.name}: 'show enclosure-status' does not tell a firmware like V10L66-0000",
            why="nothing on it was read.",
            do="check that the management address of an ETERNUS DX stands in fleet.yaml.",
        )
    return firmware, model, serial.strip() or None
