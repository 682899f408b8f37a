"""The SDK of SolidFire works without the packages for Python 2 that it asks for."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long

IMPORTED = """
import sys
from auditor.endpoints.element.sdk import api_server_error, element_class
element = element_class()
assert "future" not in sys.modules and "future.utils" not in sys.modules
from solidfire.common.model import DataObject, MetaDataObject
from solidfire.models import GetAPIResult
assert type(DataObject) is MetaDataObject and issubclass(GetAPIResult, DataObject)
print(element.__name__, api_server_error().__name__, GetAPIResult(current_version=12.5, supported_versions=[]).to_json()["currentVersion"])
"""


def test_neither_package_is_installed_where_developers_work() -> None:
    assert importlib.util.find_spec("future") is None
    assert importlib.metadata.packages_distributions().get("enum") is None


def test_the_sdk_is_imported_with_its_model_classes_whole() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["Element", "ApiServerError", "12.5"], "")
