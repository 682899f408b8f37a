"""What `system settings advanced list` says of each option, as a fresh 8.0 Update 3 lists it; other releases word some otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "DataMover.HardwareAcceleratedMove": "Enable hardware accelerated VMFS data movement (requires compliant hardware)",
        "DataMover.HardwareAcceleratedInit": "Enable hardware accelerated VMFS data initialization (requires compliant hardware)",
        "VMFS3.HardwareAcceleratedLocking": "Enable hardware accelerated VMFS locking (requires compliant hardware). Please see "
        "http://kb.vmware.com/kb/2094604 before disabling this option",
        "VMFS3.UseATSForHBOnVMFS5": "Use ATS for Heartbeat on ATS supported VMFS5 volumes",
        "VMFS3.EnableBlockDelete": "Enable VMFS block delete when UNMAP is issued from guest OS",
        "ISCSI.MaxIoSizeKB": "The maximum I/O size of Software iSCSI in KB. Requires rebooting the host.",
        "Disk.DiskMaxIOSize": "Max Disk READ/WRITE I/O size before splitting (in KB)",
        "Disk.DelayOnBusy": "Delay in milliseconds for completion of commands with a BUSY status",
        "Disk.QFullSampleSize": "I/O samples to monitor for detecting non-transient queue full condition. Should be nonzero to "
        "enable queue depth throttling.",
        "Disk.QFullThreshold": "BUSY or QFULL threshold, upon which LUN queue depth will be throttled. Should be <= "
        "QFullSampleSize if throttling is enabled.",
        "Disk.SchedQuantum": "Number of consecutive requests from one world",
        "Disk.SchedQControlSeqReqs": "Number of consecutive requests from a virtual machine required to raise the outstanding "
        "commands to maximum",
        "Disk.SchedQControlVMSwitches": "Number of switches between commands issued by different virtual machines required to reduce "
        "outstanding commands to CONFIG_DISK_CIF",
        "Disk.SchedCostUnit": "IO Scheduler block size for accounting",
        "Disk.SchedulerWithReservation": "Disk I/O scheduler (0:default 1:mclock)",
        "Scsi.ScsiVVolPESNRO": "Default schedNumReqOutstanding value for a PE LUN.",
        "NFS.MaxQueueDepth": "Maximum per-Volume queue depth",
        "NFS.MaxVolumes": "Maximum number of mounted NFS v3 volumes",
        "NFS41.MaxVolumes": "Maximum number of mounted NFS v4.1 volumes",
        "NFS.HeartbeatFrequency": "Time in seconds between heartbeats",
        "NFS.HeartbeatTimeout": "Time in seconds before an outstanding heartbeat is stopped",
        "NFS.HeartbeatMaxFailures": "Number of sequential failures before a volume is marked down",
        "Misc.APDHandlingEnable": "Enable Storage APD Handling.",
        "Misc.APDTimeout": "Number of seconds a device can be in APD before failing User World I/O.",
    }
)
"""By the key of the API; no recorded list has the others."""
