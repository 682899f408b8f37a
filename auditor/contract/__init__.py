"""What every kind of array promises, as tests that anybody can hold a kind to: a plugin of pytest.

A project names it as a plugin, so that failures show what was compared: ``pytest_plugins = ["auditor.contract"]`` in conftest.py, or
``-p auditor.contract``. A test module derives from the classes, and names its double:

    class TestAcme(KindContract, ReadingContract, FixingContract):
        examples = (EXAMPLE,)

The kinds of auditor itself are held to it in the same way (tests/contract). It needs pytest, and auditor's extra "lab".
"""

from auditor.contract.collected import Collected, closed_port, shown_by
from auditor.contract.doubles import PASSWORD, PASSWORD_FILE, USER, endpoint_at, serving_https
from auditor.contract.example import Example, SettingChange
from auditor.contract.fixing import FixingContract
from auditor.contract.kind import KindContract
from auditor.contract.reading import ReadingContract

__all__ = [
    "PASSWORD",
    "PASSWORD_FILE",
    "USER",
    "Collected",
    "Example",
    "FixingContract",
    "KindContract",
    "ReadingContract",
    "SettingChange",
    "closed_port",
    "endpoint_at",
    "serving_https",
    "shown_by",
]


def pytest_report_header() -> str:
    """Which contract is held to."""
    from auditor import __version__
    from auditor.model.endpoint_kinds import CONTRACT

    return f"auditor.contract: contract {CONTRACT} of auditor {__version__}"
