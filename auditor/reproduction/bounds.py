"""What a reproduction may do at most, and where its test files may lie. All figures here are policy."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from auditor.errors import ConfigurationError
from auditor.model import Lesson

DEFAULT_TEST_FOLDER = "/var/tmp/auditor-test"  # noqa: S108  a folder of the test machine's, which its user makes
TEST_FILE = "auditor-test.dat"

MOST_SECONDS = 300
"""No load goes on for longer. Policy: three samples of twenty seconds settle a figure, and an alarm takes five minutes."""
MOST_WRITTEN_BYTES_PER_SECOND = 100 * 2**20
"""Policy: less than one path of 1 Gbit/s carries, so that no path is what is measured."""
MOST_READS_PER_SECOND = 135_000
"""Policy: what the machine of docs/domain/incidents.md#s2 wanted."""
MOST_FILE_BYTES = 4 * 2**30

MIXED = (Lesson.THROTTLED_NEIGHBOUR, Lesson.SIOC_AGAINST_QOS)
"""The lessons whose load may be reads in part: a ceiling of the array counts both."""

_REFUSED = ("/dev", "/proc", "/sys", "/boot", "/etc", "/vmfs")
_PLAIN = re.compile(r"/[A-Za-z0-9._/-]+")
"""No colon, which separates folders in a job file; nothing that fio or a shell would expand.

Source: fio's manual, `directory` and `filename`.
"""


def checked_folder(text: str) -> str:
    """The folder inside the test machine that the load's file is made in.

    Raises:
        ConfigurationError: it is no plain absolute path, or one where devices or the system lie.
    """
    path = PurePosixPath(text)
    if not _PLAIN.fullmatch(text) or ".." in path.parts or len(path.parts) < 2:
        raise _refused(text, "is not a plain absolute path of letters, digits, dots, dashes and slashes")
    folder = re.sub("/+", "/", str(path))
    for refused in _REFUSED:
        if folder == refused or folder.startswith(f"{refused}/"):
            raise _refused(text, f"lies in {refused}: a load writes into a file of a folder, never to a device or the system")
    return folder


def checked_reads(read_percent: int | None, lesson: Lesson) -> int:
    """The share of reads of a load, in percent; 0 where none was wanted.

    Raises:
        ConfigurationError: a share was wanted of a load that has none, since its lesson is about reads alone or about no load.
    """
    if read_percent is not None and lesson not in MIXED:
        raise ConfigurationError(
            f"--reads {read_percent} has no meaning for this finding: it shows {lesson}",
            why="no file was written.",
            do=f"leave --reads away; it is for findings that show {' or '.join(MIXED)}.",
        )
    return read_percent or 0


def _refused(text: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f'--test-dir "{text}" {why}',
        why="no file was written.",
        do=f"name a folder of the test machine, for example {DEFAULT_TEST_FOLDER}.",
    )
