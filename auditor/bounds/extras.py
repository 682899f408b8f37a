"""Optional dependencies (extras) of single commands, and the command that installs a missing one."""

from __future__ import annotations

from importlib.util import find_spec

from auditor import __version__
from auditor.errors import ConfigurationError

NEEDED_BY = {
    "inventory": ("xlsxwriter",),
    "job": ("apprise", "apscheduler", "starlette", "uvicorn"),
    "lab": ("trustme",),
    "scale": ("distributed", "prometheus_client", "s3fs"),
}
"""The packages that tell whether an extra is installed, as they are imported."""


def how_to_install(extra: str) -> str:
    """What to type for an extra: from the file of the wheel, as the name on a public index need not be ours."""
    return f'python3 -m pip install "auditor-{__version__}-py3-none-any.whl[{extra}]", with the path of the wheel file before its name'


def require_extra(extra: str, who: str) -> None:
    """See that an extra is installed.

    Args:
        extra: a key of `NEEDED_BY`.
        who: what needs it, as the subject of a sentence.

    Raises:
        ConfigurationError: a package of it is not installed.
    """
    lacking = [name for name in NEEDED_BY[extra] if find_spec(name) is None]
    if lacking:
        raise ConfigurationError(
            f"{who} needs the extra {extra} of auditor, which is not installed here ({', '.join(lacking)})",
            why="nothing was read or begun.",
            do=how_to_install(extra),
        )
