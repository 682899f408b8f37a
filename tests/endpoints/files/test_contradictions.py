"""Two saved outputs of one host that name different things: the one that lacks what the other has is not whole."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.endpoints.files.evidence import DEVICES, HOST, NAA, PATHS, POLICIES, Read, written

OTHER = NAA[:-1] + "2"
LIST, ROUTES, NATIVE = ("esxcli_storage-core-device-list.txt", "esxcli_storage-core-path-list.txt", "esxcli_storage-nmp-device-list.txt")
OFFLOAD = "esxcli_storage-core-device-vaai-status-get.txt"


def also(text: str, name: str = OTHER) -> str:
    """The output, and a second record that is the same but for the device's name and its path's."""
    return f"{text}\n{text.replace(NAA, name).replace(':L0', ':L1')}"


SUPPORTED = f"""{NAA}
   VAAI Plugin Name: VMW_VAAIP_T10
   ATS Status: supported
   Clone Status: supported
   Zero Status: supported
   Delete Status: supported
"""


@pytest.mark.parametrize(
    ("files", "devices", "paths", "gaps"),
    [
        pytest.param({LIST: also(DEVICES), ROUTES: also(PATHS), NATIVE: also(POLICIES)}, True, True, [], id="all name two"),
        pytest.param(
            {LIST: DEVICES, ROUTES: PATHS, NATIVE: also(POLICIES)},
            False,
            False,
            [f"it lacks {OTHER}, which esxcli storage nmp device list names", "it lacks vmhba64:C0:T0:L1, which esxcli storage nmp"],
            id="the lists of devices and paths were cut between two records",
        ),
        pytest.param(
            {LIST: DEVICES, OFFLOAD: also(SUPPORTED)},
            False,
            True,
            [f"it lacks {OTHER}, which esxcli storage core device vaai status get names"],
            id="the list of devices is older than that of offloads",
        ),
        pytest.param(
            {LIST: also(DEVICES), ROUTES: also(PATHS), NATIVE: POLICIES}, True, True, [], id="another plug-in may serve the second"
        ),
        pytest.param(
            {LIST: also(DEVICES, OTHER.upper().replace("NAA.", "naa.")), OFFLOAD: also(SUPPORTED)}, True, True, [], id="a name in capitals"
        ),
    ],
)
def test_a_list_that_lacks_what_another_output_names_is_not_whole(
    tmp_path: Path, files: Mapping[str, str], gaps: list[str], *, devices: bool, paths: bool
) -> None:
    read = Read(written(tmp_path / "esx-01", {**HOST, **files}))
    whole = read.whole()
    assert (whole["devices"], whole["paths"]) == (devices, paths)
    found = [gap.why for gap in read.gaps if gap.why.startswith("it lacks")]
    assert len(found) == len(gaps)
    assert all(one.startswith(wanted) for one, wanted in zip(found, gaps, strict=True))
