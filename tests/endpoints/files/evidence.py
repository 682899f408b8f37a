"""A host's saved outputs as a person would have typed them off the screen, and what is read of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor.endpoints.files.collect import collect_files
from auditor.endpoints.files.session import open_files
from auditor.facts.schema import Batch
from auditor.fleet.evidence import fleet_with_files
from auditor.model import Gap

NAA = "naa.6f47acc100000000a1b2c3d400000001"

DEVICES = f"""{NAA}
   Display Name: SolidFire iSCSI Disk ({NAA})
   Has Settable Display Name: true
   Size: 102400
   Device Type: Direct-Access 
   Multipath Plugin: NMP
   Devfs Path: /vmfs/devices/disks/{NAA}
   Vendor: SolidFir
   Model: SSD SAN         
   Revision: 0006
   SCSI Level: 6
   Is Pseudo: false
   Status: on
   Is RDM Capable: true
   Is Local: false
   Is Removable: false
   Is SSD: true
   Is VVOL PE: false
   Is Offline: false
   Is Perennially Reserved: false
   Queue Full Sample Size: 0
   Queue Full Threshold: 0
   Thin Provisioning Status: yes
   Attached Filters: 
   VAAI Status: supported
   Other UIDs: vml.0200
   Is Shared Clusterwide: true
   Is SAS: false
   Is USB: false
   Is Boot Device: false
   Device Max Queue Depth: 128
   No of outstanding IOs with competing worlds: 32
"""  # noqa: W291  as it is printed

ADAPTERS = """HBA Name  Driver     Link State  UID                                Capabilities         Description
--------  ---------  ----------  ---------------------------------  -------------------  ---------------------------------
vmhba0    vmw_ahci   link-n/a    sata.vmhba0                                             (0000:00:1f.2) Intel Corporation AHCI
vmhba2    lpfc       link-up     fc.20000090fa000001:10000090fa000001  Second Level Lun ID  (0000:04:00.0) Emulex LPe16000 FC HBA
vmhba64   iscsi_vmk  online      iqn.1998-01.com.vmware:esx-01      Second Level Lun ID  iSCSI Software Adapter
"""

PATHS = f"""iqn.1998-01.com.vmware:esx-01-00023d000001,iqn.2010-01.com.solidfire:v1,t,1-{NAA}
   UID: iqn.1998-01.com.vmware:esx-01-00023d000001,iqn.2010-01.com.solidfire:v1,t,1-{NAA}
   Runtime Name: vmhba64:C0:T0:L0
   Device: {NAA}
   Device Display Name: SolidFire iSCSI Disk ({NAA})
   Adapter: vmhba64
   Channel: 0
   Target: 0
   LUN: 0
   Plugin: NMP
   State: active
   Transport: iscsi
   Adapter Identifier: iqn.1998-01.com.vmware:esx-01
   Target Identifier: 00023d000001,iqn.2010-01.com.solidfire:v1,t,1
   Adapter Transport Details: iqn.1998-01.com.vmware:esx-01
   Target Transport Details: IQN=iqn.2010-01.com.solidfire:v1 Alias= Session=00023d000001 PortalTag=1
   Maximum IO Size: 131072
"""

POLICIES = f"""{NAA}
   Device Display Name: SolidFire iSCSI Disk ({NAA})
   Storage Array Type: VMW_SATP_DEFAULT_AA
   Storage Array Type Device Config: {{action_OnRetryErrors=off}}
   Path Selection Policy: VMW_PSP_RR
   Path Selection Policy Device Config: {{policy=iops,iops=10,bytes=10485760,useANO=0; lastPathIndex=0: NumIOsPending=0,numBytesPending=0}}
   Path Selection Policy Device Custom Config: 
   Working Paths: vmhba64:C0:T0:L0
   Is USB: false
"""  # noqa: W291  as it is printed

OPTIONS = """   Path: /Disk/QFullSampleSize
   Type: integer
   Int Value: 32
   Default Int Value: 0
   Min Value: 0
   Max Value: 64
   String Value: 
   Default String Value: 
   Valid Characters: 
   Description: I/O samples to monitor for detecting non-transient queue full condition

   Path: /Syslog/global/logHost
   Type: string
   Int Value: 0
   Default Int Value: 0
   Min Value: 0
   Max Value: 0
   String Value: tcp://logs.example.net:514
   Default String Value: 
   Valid Characters: *
   Description: The remote host to output logs to.
"""  # noqa: W291  as it is printed

VERSION = """   Product: VMware ESXi
   Version: 8.0.2
   Build: Releasebuild-22380479
   Update: 2
   Patch: 0
"""

NAME = """   Domain Name: example.net
   Fully Qualified Domain Name: esx-01.example.net
   Host Name: esx-01
"""

HOST: Mapping[str, str] = {
    "esxcli_system-version-get.txt": VERSION,
    "esxcli_system-hostname-get.txt": NAME,
    "esxcli_storage-core-device-list.txt": DEVICES,
    "esxcli_storage-core-adapter-list.txt": ADAPTERS,
    "esxcli_storage-core-path-list.txt": PATHS,
    "esxcli_storage-nmp-device-list.txt": POLICIES,
    "esxcli_system-settings-advanced-list.txt": OPTIONS,
    "esxcli_iscsi-software-get.txt": "true\n",
}
"""What the files of one host hold, by their names."""


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The files in a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


class Read:
    """What is read of paths: rows by table, gaps, notes."""

    def __init__(self, *paths: Path, clusters: Sequence[str] = ()) -> None:
        [endpoint] = fleet_with_files(None, paths, clusters).endpoints
        self.rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.gaps: list[Gap] = []
        with open_files(endpoint) as session:
            for item in collect_files(session, endpoint):
                if isinstance(item, Batch):
                    rows = zip(*item.columns.values(), strict=True)
                    self.rows[item.table] += [dict(zip(item.columns, row, strict=True)) for row in rows]
                else:
                    self.gaps.append(item)
            self.notes = session.notes

    def whole(self, host: str = "esx-01.example.net") -> dict[str, bool]:
        """Whether each topic of a host was read whole."""
        return {row["topic"]: row["complete"] for row in self.rows["reading"] if row["scope"] == host}

    def without_null(self, table: str) -> list[dict[str, Any]]:
        """Rows of a table without their endpoint, their host and what is NULL."""
        return [
            {name: value for name, value in row.items() if value is not None and name not in ("endpoint", "host_id")}
            for row in self.rows[table]
        ]
