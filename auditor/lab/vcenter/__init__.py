"""The lab's vCenter: SOAP over TLS, with hosts that keep what is written to them."""

from auditor.lab.description import VCenterDescription
from auditor.lab.vcenter.server import VCenterServer

__all__ = ["VCenterDescription", "VCenterServer"]
