from __future__ import annotations

import subprocess
import sys

import pytest

from auditor.endpoints.settings import remediator_for, remediator_names
from auditor.errors import ConfigurationError
from auditor.model import EndpointKind


@pytest.mark.parametrize("name", remediator_names())
def test_every_name_is_a_remediator_that_reads_and_writes(name: str) -> None:
    remediator = remediator_for(name)
    assert isinstance(remediator.kind, EndpointKind)
    assert callable(remediator.read)
    assert callable(remediator.write)
    public = {attribute for attribute in dir(remediator) if not attribute.startswith("_")}
    assert public == {"kind", "read", "write"}, "a remediator holds no policy"


@pytest.mark.parametrize("name", remediator_names())
def test_the_endpoint_kind_goes_with_the_name(name: str) -> None:
    of_arrays = {kind.value.replace("-", "_"): kind for kind in EndpointKind}
    assert remediator_for(name).kind is of_arrays.get(name.partition(".")[0], EndpointKind.VCENTER)


def test_an_unknown_name_is_told_with_those_that_exist() -> None:
    with pytest.raises(ConfigurationError) as caught:
        remediator_for("device.dsnr")
    assert "'device.dsnr'" in caught.value.what
    assert "device.dsnro" in caught.value.do


def test_knowing_the_names_loads_no_client() -> None:
    program = (
        "import sys, auditor.endpoints.settings as r; r.remediator_names();"
        "print([m for m in ('pyVmomi', 'httpx', 'solidfire') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60).stdout == "[]\n"
