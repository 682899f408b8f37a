"""The LUN behind a raw device mapping is worked out from its identifier, or is not known."""

import pytest

from auditor.endpoints.vcenter.collect.vms import mapped_device


@pytest.mark.parametrize(
    ("lun_uuid", "device"),
    [
        # The two examples of VMware KB 2078730.
        pytest.param("02000000006000eb3952315fbe000000000000001b695343534944", "naa.6000eb3952315fbe000000000000001b", id="naa"),
        pytest.param("vml.02000000006090a0a8e07bea184a0685b5f62efd94313030452d30", "naa.6090a0a8e07bea184a0685b5f62efd94", id="vml"),
        pytest.param(
            "02000B00006000EB3952315FBE000000000000001B695343534944", "naa.6000eb3952315fbe000000000000001b", id="LUN 11, in capitals"
        ),
        pytest.param("0100000000474f4f444d414e", None, id="a serial number"),
        pytest.param("0000000000766d686261313a303a30", None, id="a path"),
        pytest.param("02000000006000eb39523", None, id="cut off"),
        pytest.param("", None, id="none, as where the LUN is masked"),
    ],
)
def test_the_mapped_lun_is_named_as_hosts_name_it(lun_uuid: str, device: str | None) -> None:
    assert mapped_device(lun_uuid) == device
