"""Whole records of real hosts: every field that a person reads in a capture, typed from its text, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from auditor.endpoints.files.outputs import outputs_in
from auditor.endpoints.vcenter.esxcli_records import plain_name
from tests.required import capture

DEVICE_LIST, NMP, PATHS = "esxcli_storage-core-device-list.txt", "esxcli_storage-nmp-device-list.txt", "esxcli_storage-core-path-list.txt"

NO_PROTECTION = """
Drive Type: unknown
RAID Level: unknown
Number of Physical Drives: unknown
Protection Enabled: false
PI Activated: false
PI Type: 0
PI Protection Mask: NO PROTECTION
Supported Guard Types: NO GUARD SUPPORT
DIX Enabled: false
DIX Guard Type: NO GUARD SUPPORT
Emulated DIX/DIF Enabled: false
"""

RECORDS: tuple[tuple[str, int, str], ...] = (
    (
        "e03-clariion-fc/esxcli_nmp-device-list.txt",
        0,
        """
        Device: naa.600601604670290026cca5f7836fe111
        Device Display Name: DGC Fibre Channel Disk (naa.600601604670290026cca5f7836fe111)
        Storage Array Type: VMW_SATP_ALUA_CX
        Storage Array Type Device Config: {navireg=on, ipfilter=on}{implicit_support=on;explicit_support=on;explicit_allow=on;alua_followover=on;{TPG_id=1,TPG_state=ANO}{TPG_id=2,TPG_state=AO}}
        Path Selection Policy: VMW_PSP_FIXED
        Path Selection Policy Device Config: {preferred=vmhba2:C0:T1:L1;current=vmhba2:C0:T1:L1}
        Working Paths: vmhba2:C0:T1:L1
        """,  # noqa: E501  as it is printed
    ),
    (
        "e03-clariion-fc/esxcli_nmp-path-list.txt",
        1,
        """
        UID: fc.20000000c96eb647:10000000c96eb647-fc.50060160bea038b6:500601643ea038b6-naa.600601604670290026cca5f7836fe111
        Runtime Name: vmhba2:C0:T0:L1
        Device: naa.600601604670290026cca5f7836fe111
        Device Display Name: DGC Fibre Channel Disk (naa.600601604670290026cca5f7836fe111)
        Group State: active unoptimized
        Storage Array Type Path Config: {TPG_id=1,TPG_state=ANO,RTP_id=5,RTP_health=UP}
        Path Selection Policy Path Config: {current: no; preferred: no}
        """,
    ),
    (
        "e06-eql-routed/esxcli_nmp-device-list.txt",
        0,
        """
        Device: naa.6090a088006f910fe8df241e1a01d012
        Device Display Name: EQLOGIC iSCSI Disk (naa.6090a088006f910fe8df241e1a01d012)
        Storage Array Type: VMW_SATP_EQL
        Storage Array Type Device Config: SATP VMW_SATP_EQL does not support device configuration.
        Path Selection Policy: VMW_PSP_FIXED
        Path Selection Policy Device Config: {preferred=vmhba33:C7:T12:L0;current=vmhba33:C7:T12:L0}
        Working Paths: vmhba33:C7:T12:L0
        """,
    ),
    (
        f"e07-hs22-raid/{DEVICE_LIST}",
        0,
        """
        Device: naa.600508e000000000e51b24d0a7fad20e
        Display Name: LSILOGIC Serial Attached SCSI Disk (naa.600508e000000000e51b24d0a7fad20e)
        Has Settable Display Name: true
        Size: 139236
        Device Type: Direct-Access
        Multipath Plugin: NMP
        Devfs Path: /vmfs/devices/disks/naa.600508e000000000e51b24d0a7fad20e
        Vendor: LSILOGIC
        Model: Logical Volume
        Revision: 3000
        SCSI Level: 2
        Is Pseudo: false
        Status: degraded
        Is RDM Capable: true
        Is Local: false
        Is Removable: false
        Is SSD: false
        Is Offline: false
        Is Perennially Reserved: false
        Thin Provisioning Status: unknown
        Attached Filters:
        VAAI Status: unsupported
        Other UIDs: vml.0200000000600508e000000000e51b24d0a7fad20e4c6f67696361
        """,
    ),
    (
        "e08-nested-openindiana/esxcli_iscsi-networkportal-list.txt",
        0,
        """
        Adapter: vmhba33
        Vmknic: vmk1
        MAC Address: 00:50:56:17:16:07
        MAC Address Valid: true
        IPv4: 192.168.1.106
        IPv4 Subnet Mask: 255.255.255.0
        IPv6:
        MTU: 1500
        Vlan Supported: true
        Vlan ID: 0
        Reserved Ports: 63488~65536
        TOE: false
        TSO: true
        TCP Checksum: false
        Link Up: true
        Current Speed: 1000
        Rx Packets: 25089756
        Tx Packets: 8315855
        NIC Driver: e1000
        NIC Driver Version: 8.0.3.1-NAPI
        NIC Firmware Version: N/A
        Compliant Status: compliant
        NonCompliant Message:
        NonCompliant Remedy:
        Vswitch: vSwitch1
        PortGroup: iSCSI
        VswitchUuid:
        PortGroupKey:
        PortKey:
        Duplex:
        Path Status: active
        """,
    ),
    (
        "e08-nested-openindiana/esxcli_iscsi-session-list.txt",
        1,
        """
        Session: vmhba33,iqn.2010-09.org.openindiana:02:bd79a6ff-33c2-41d3-8f0e-9c8d8b6e9fcb,00023d000003
        Adapter: vmhba33
        Target: iqn.2010-09.org.openindiana:02:bd79a6ff-33c2-41d3-8f0e-9c8d8b6e9fcb
        ISID: 00023d000003
        TargetPortalGroupTag: 1
        AuthenticationMethod: none
        DataPduInOrder: true
        DataSequenceInOrder: true
        DefaultTime2Retain: 0
        DefaultTime2Wait: 2
        ErrorRecoveryLevel: 0
        FirstBurstLength: 65536
        ImmediateData: true
        InitialR2T: true
        MaxBurstLength: 262144
        MaxConnections: 1
        MaxOutstandingR2T: 1
        TSIH: 18
        """,
    ),
    (
        "e08-nested-openindiana/esxcli_iscsi-session-connection-list.txt",
        1,
        """
        Connection: vmhba33,iqn.2010-09.org.openindiana:02:bd79a6ff-33c2-41d3-8f0e-9c8d8b6e9fcb,00023d000003,0
        Adapter: vmhba33
        Target: iqn.2010-09.org.openindiana:02:bd79a6ff-33c2-41d3-8f0e-9c8d8b6e9fcb
        ISID: 00023d000003
        CID: 0
        DataDigest: NONE
        HeaderDigest: NONE
        IFMarker: false
        IFMarkerInterval: 0
        MaxRecvDataSegmentLength: 131072
        MaxTransmitDataSegmentLength: 32768
        OFMarker: false
        OFMarkerInterval: 0
        ConnectionAddress: 192.168.1.107
        RemoteAddress: 192.168.1.107
        LocalAddress: 192.168.1.106
        SessionCreateTime: 12/16/12 21:02:12
        ConnectionCreateTime: 12/16/12 21:02:12
        ConnectionStartTime: 12/16/12 21:02:12
        State: logged_in
        """,
    ),
    (
        "e08-nested-openindiana/esxcli_iscsi-adapter-param-get.txt",
        16,
        """
        Name: DelayedAck
        Current: false
        Default: true
        Min: na
        Max: na
        Settable: true
        Inherit: false
        """,
    ),
    (
        "e08-nested-openindiana/esxcli_iscsi-physicalnetworkportal-list.txt",
        5,
        """
        Adapter: vmhba33
        Vmnic: vmnic5
        MAC Address: 00:50:56:17:16:a6
        MAC Address Valid: true
        Current Speed: 1000
        Max Speed: 1000
        Max Frame Size: 1500
        """,
    ),
    (
        "e08-nested-openindiana/esxcli_storage-nfs-list.txt",
        0,
        """
        Volume Name: NFS
        Host: 192.168.1.107
        Share: /data/nfs_share
        Accessible: true
        Mounted: true
        Hardware Acceleration: Not Supported
        """,
    ),
    (
        f"e09-megaraid-8704/{DEVICE_LIST}",
        0,
        """
        Device: naa.600605b001f819701a2d10d113694cbf
        Display Name: Local LSI Disk (naa.600605b001f819701a2d10d113694cbf)
        Has Settable Display Name: true
        Size: 569344
        Device Type: Direct-Access
        Multipath Plugin: NMP
        Devfs Path: /vmfs/devices/disks/naa.600605b001f819701a2d10d113694cbf
        Vendor: LSI
        Model: MegaRAID 8704ELP
        Revision: 1.40
        SCSI Level: 5
        Is Pseudo: false
        Status: on
        Is RDM Capable: false
        Is Local: true
        Is Removable: false
        Is SSD: false
        Is Offline: false
        Is Perennially Reserved: false
        Thin Provisioning Status: unknown
        Attached Filters:
        VAAI Status: unsupported
        Other UIDs: vml.0200000000600605b001f819701a2d10d113694cbf4d6567615241
        """,
    ),
    (
        f"e10-comstar-iscsi/{DEVICE_LIST}",
        0,
        """
        Device: naa.600144f0876a9c47000052b744210009
        Display Name: SUN iSCSI Disk (naa.600144f0876a9c47000052b744210009)
        Has Settable Display Name: true
        Size: 10240
        Device Type: Direct-Access
        Multipath Plugin: NMP
        Devfs Path: /vmfs/devices/disks/naa.600144f0876a9c47000052b744210009
        Vendor: SUN
        Model: COMSTAR
        Revision: 1.0
        SCSI Level: 5
        Is Pseudo: false
        Status: degraded
        Is RDM Capable: true
        Is Local: false
        Is Removable: false
        Is SSD: false
        Is Offline: false
        Is Perennially Reserved: false
        Thin Provisioning Status: yes
        Attached Filters:
        VAAI Status: unknown
        Other UIDs: vml.0200000000600144f0876a9c47000052b744210009434f4d535441
        """,
    ),
    (
        f"e11-macmini-60/{NMP}",
        0,
        """
        Device: naa.600144f009d4d236000056918f920002
        Device Display Name: SUN iSCSI Disk (naa.600144f009d4d236000056918f920002)
        Storage Array Type: VMW_SATP_ALUA
        Storage Array Type Device Config: {implicit_support=on;explicit_support=off; explicit_allow=on;alua_followover=on; action_OnRetryErrors=off; {TPG_id=0,TPG_state=AO}}
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1000,bytes=10485760,useANO=0; lastPathIndex=1: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba37:C1:T0:L4, vmhba37:C0:T0:L4
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        f"e12-macmini-65/{DEVICE_LIST}",
        0,
        f"""
        Device: t10.ATA_APPLE_SSD_SM256E
        Display Name: Local ATA Disk (t10.ATA_APPLE_SSD_SM256E)
        Has Settable Display Name: true
        Size: 239372
        Device Type: Direct-Access
        Multipath Plugin: NMP
        Devfs Path: /vmfs/devices/disks/t10.ATA_APPLE_SSD_SM256E
        Vendor: ATA
        Model: APPLE SSD SM256E
        Revision: 2A0Q
        SCSI Level: 5
        Is Pseudo: false
        Status: on
        Is RDM Capable: false
        Is Local: true
        Is Removable: false
        Is SSD: true
        Is VVOL PE: false
        Is Offline: false
        Is Perennially Reserved: false
        Queue Full Sample Size: 0
        Queue Full Threshold: 0
        Thin Provisioning Status: yes
        Attached Filters:
        VAAI Status: unknown
        Other UIDs: vml.0100000000533141414e594e583030303030312020202020204150504c4520
        Is Shared Clusterwide: false
        Is Local SAS Device: false
        Is SAS: false
        Is USB: false
        Is Boot USB Device: false
        Is Boot Device: true
        Device Max Queue Depth: 31
        No of outstanding IOs with competing worlds: 32
        {NO_PROTECTION}
        """,
    ),
    (
        "e12-macmini-65/esxcli_storage-core-device-vaai-status-get.txt",
        1,
        """
        Device: naa.600144f070cc44000
        VAAI Plugin Name:
        ATS Status: unsupported
        Clone Status: unsupported
        Zero Status: supported
        Delete Status: supported
        """,
    ),
    (
        "e13-hp-nfs41/esxcli_storage-nfs41-list.txt",
        0,
        """
        Volume Name: isos
        Host(s): 10.1.0.7
        Share: /backups/isos
        Accessible: false
        Mounted: false
        Read-Only: false
        Security: AUTH_SYS
        isPE: false
        Hardware Acceleration: Unknown
        """,
    ),
    (
        "j01-freenas-iscsi-70/esxcli_formatter-json_storage-core-device-list.json",
        0,
        """
        Device: naa.6589cfc000000b6136c98e7be4a2025f
        Display Name: FreeNAS iSCSI Disk (naa.6589cfc000000b6136c98e7be4a2025f)
        Has Settable Display Name: true
        Size: 4194304
        Device Type: Direct-Access
        Multipath Plugin: NMP
        Devfs Path: /vmfs/devices/disks/naa.6589cfc000000b6136c98e7be4a2025f
        Model: iSCSI Disk
        Revision: 0123
        SCSI Level: 7
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
        Attached Filters:
        Other UIDs: vml.010000000030303063323966653034646230310000695343534920
        Is Shared Clusterwide: true
        Is Local SAS Device: false
        Is SAS: false
        Is USB: false
        Is Boot USB Device: false
        Is Boot Device: false
        Device Max Queue Depth: 128
        No of outstanding IOs with competing worlds: 32
        Drive Type: unknown
        RAID Level: unknown
        Number of Physical Drives: unknown
        Protection Enabled: false
        PI Activated: false
        PI Type: 0
        PI Protection Mask: NO PROTECTION
        DIX Enabled: false
        DIX Guard Type: NO GUARD SUPPORT
        Emulated DIX/DIF Enabled: false
        """,
    ),
    (
        "j01-freenas-iscsi-70/esxcli_formatter-csv_fields_storage-core-device-list.csv",
        5,
        """
        Device: t10.ATA_____WDC_WD180EMFZ2D11AFXA0___________________3WHDXX01____________
        Devfs Path: /vmfs/devices/disks/t10.ATA_____WDC_WD180EMFZ2D11AFXA0___________________3WHDXX01____________
        Vendor: ATA
        Model: WDC WD180EMFZ-11
        """,
    ),
    (
        f"j02-r730-nvmeof-70/{NMP}",
        0,
        """
        Device: naa.60014058d216d30d1048d43d1db0c4df
        Device Display Name: SYNOLOGY iSCSI Disk (naa.60014058d216d30d1048d43d1db0c4df)
        Storage Array Type: VMW_SATP_ALUA
        Storage Array Type Device Config: {implicit_support=on; explicit_support=off; explicit_allow=on; alua_followover=on; action_OnRetryErrors=off; {TPG_id=0,TPG_state=AO}}
        Path Selection Policy: VMW_PSP_MRU
        Path Selection Policy Device Config: Current Path=vmhba64:C0:T0:L1
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba64:C0:T0:L1
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        "j02-r730-nvmeof-70/esxcli_storage-hpp-device-list.txt",
        0,
        """
        Device: naa.6b083fe0db93e50001e28f403bef72df
        Device Display Name: Local DELL Disk (naa.6b083fe0db93e50001e28f403bef72df)
        Path Selection Scheme: FIXED
        Path Selection Scheme Config: {preferred=none;}
        Current Path: vmhba0:C2:T0:L0
        Working Path Set: vmhba0:C2:T0:L0
        Is SSD: false
        Is Local: true
        Paths: vmhba0:C2:T0:L0
        Use ANO: false
        """,
    ),
    (
        "j02-r730-nvmeof-70/esxcli_storage-core-claimrule-list.txt",
        1,
        """
        Rule Class: MP
        Rule: 51
        Class: runtime
        Type: transport
        Plugin: HPP
        Matches: transport=sata
        XCOPY Use Array Reported Values: false
        XCOPY Use Multiple Segments: false
        XCOPY Max Transfer Size KiB: 0
        Config String: pss=FIXED
        """,
    ),
    (
        "j02-r730-nvmeof-70/esxcli_system-module-parameters-list_vmknvme.txt",
        3,
        """
        Name: vmknvme_ctlr_recover_method
        Type: uint
        Value:
        Description: controller recover method after initial recover attempts, RETRY: 0, DELETE: 1
        """,
    ),
    (
        "j04-tcmu-55/esxcli_storage-core-device-vaai-status-get.txt",
        0,
        """
        Device: naa.600140512f314dd6e5c4558ac057655b
        VAAI Plugin Name:
        ATS Status: supported
        Clone Status: supported
        Zero Status: supported
        Delete Status: supported
        """,
    ),
    (
        "j07-ucs-c260-55u3/esxcli_storage-filesystem-list.txt",
        5,
        """
        Mount Point: /vmfs/volumes/53d5846d-2eea530d-d5ad-508789ad4756
        Volume Name:
        UUID: 53d5846d-2eea530d-d5ad-508789ad4756
        Mounted: true
        Type: vfat
        Size: 299712512
        Free: 88342528
        """,
    ),
    (
        "j07-ucs-c260-55u3/esxcli_storage-vmfs-extent-list.txt",
        0,
        """
        Volume Name: ESX1VMFS2
        VMFS UUID: 53d6343f-65f9ea4e-602b-508789ad4756
        Extent Number: 0
        Device Name: naa.600605b008de55301b682f19bee11ef3
        Partition: 1
        """,
    ),
    (
        "j10-xeon-e2224g/esxcli_storage-vmfs-extent-list.txt",
        3,
        """
        Volume Name: hc550
        VMFS UUID: 686e51e3-dabd1d5e-a799-XXXXXXXXXXXX
        Extent Number: 0
        Device Name: t10.ATA_____WDC__WUH721816ALE6L4____________________XXXXXXXX____________
        Partition: 3
        """,
    ),
    (
        "j12-ucs-nfnic/esxcli_system-module-parameters-list_nfnic.txt",
        0,
        """
        Name: lun_queue_depth_per_path
        Type: ulong
        Value: 254
        Description: nfnic lun queue depth per path: Default = 32. Range [1 - 1024]
        """,
    ),
    (
        "n01-ontap-fc-6x/esxcli_system-settings-advanced-list_QFullSampleSize.txt",
        0,
        """
        Path: /Disk/QFullSampleSize
        Type: integer
        Int Value: 32
        Default Int Value: 0
        Min Value: 0
        Max Value: 64
        String Value:
        Default String Value:
        Valid Characters:
        Description: Default I/O samples to monitor for detecting non-transient queue full condition. Should be nonzero to enable queue depth throttling. Device specific QFull options will take precedence over this value if set.
        """,  # noqa: E501  as it is printed
    ),
    (
        f"n01-ontap-fc-6x/{NMP}",
        0,
        """
        Device: naa.600a098038304731783f506670553355
        Device Display Name: NETAPP Fibre Channel Disk (naa.600a098038304731783f506670553355)
        Storage Array Type: VMW_SATP_ALUA
        Storage Array Type Device Config: {implicit_support=on; explicit_support=off; explicit_allow=on; alua_followover=on; action_OnRetryErrors=off; {TPG_id=1000,TPG_state=ANO}{TPG_id=1001,TPG_state=AO}}
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1,bytes=10485760,useANO=0; lastPathIndex=0: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba4:C0:T0:L82, vmhba3:C0:T0:L82
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        "n01-ontap-fc-6x/esxcli_storage-nmp-path-list.txt",
        2,
        """
        UID: fc.20000024ff171d36:21000024ff171d36-fc.202300a098ea5e27:201b00a098ea5e27-naa.600a098038304759563f4e7837574453
        Runtime Name: vmhba3:C0:T0:L9
        Device: naa.600a098038304759563f4e7837574453
        Device Display Name: NETAPP Fibre Channel Disk (naa.600a098038304759563f4e7837574453)
        Group State: active
        Array Priority: 0
        Storage Array Type Path Config: {TPG_id=1000,TPG_state=AO,RTP_id=1,RTP_health=UP}
        Path Selection Policy Path Config: PSP VMW_PSP_RR does not support path configuration.
        """,
    ),
    (
        f"n02-ontap-fc-7x/{NMP}",
        1,
        """
        Device: naa.600a098038304759563f4e7837574453
        Device Display Name: NETAPP Fibre Channel Disk (naa.600a098038304759563f4e7837574453)
        Storage Array Type: VMW_SATP_ALUA
        Storage Array Type Device Config: {implicit_support=on; explicit_support=off; explicit_allow=on; alua_followover=on; action_OnRetryErrors=off; {TPG_id=1001,TPG_state=AO}{TPG_id=1000,TPG_state=AO}}
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1,bytes=10485760,useANO=0; lastPathIndex=2: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba4:C0:T0:L9, vmhba3:C0:T1:L9, vmhba3:C0:T0:L9, vmhba4:C0:T1:L9
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        "n02-ontap-fc-7x/esxcli_storage-nmp-satp-rule-list_alua.txt",
        0,
        """
        Name: VMW_SATP_ALUA
        Device:
        Vendor: NETAPP
        Model:
        Driver:
        Transport:
        Options: reset_on_attempted_reserve
        Rule Group: system
        Claim Options: tpgs_on
        Default PSP: VMW_PSP_RR
        PSP Options:
        Description: NetApp arrays with ALUA support
        """,
    ),
    (
        "n04-ontap-nvmeof-7x/esxcli_storage-core-adapter-list_qlnativefc.txt",
        0,
        """
        HBA Name: vmhba3
        Driver: qlnativefc
        Link State: link-up
        UID: fc.20000024ff1817ae:21000024ff1817ae
        Capabilities: Second Level Lun ID
        Description: (0000:5e:00.0) QLogic Corp QLE2742 Dual Port 32Gb Fibre Channel to PCIe Adapter    FC Adapter
        """,
    ),
    (
        "n04-ontap-nvmeof-7x/esxcli_storage-core-adapter-list_lpfc.txt",
        3,
        """
        HBA Name: vmhba65
        Driver: lpfc
        Link State: link-up
        UID: fc.200000109b954570:100000109b954570
        Capabilities:
        Description: (0000:86:00.1) Emulex Corporation Emulex LPe36000 Fibre Channel Adapter   NVMe HBA
        """,
    ),
    (
        "n04-ontap-nvmeof-7x/esxcli_storage-hpp-path-list.txt",
        3,
        """
        UID: fc.200034800d6d7268:210034800d6d7268-fc.201700a098dfe3d1:201900a098dfe3d1-uuid.5084e29a6bb24fbca5ba076eda8ecd7e
        Runtime Name: vmhba64:C0:T1:L1
        Device: uuid.5084e29a6bb24fbca5ba076eda8ecd7e
        Device Display Name: NVMe Fibre Channel Disk (uuid.5084e29a6bb24fbca5ba076eda8ecd7e)
        Path State: active unoptimized
        Path Config: {TPG_id=0,TPG_state=ANO,RTP_id=0,health=UP}
        """,
    ),
    (
        "n05-ontap-nvmetcp-7x/esxcli_storage-hpp-path-list.txt",
        1,
        """
        UID: tcp.vmnic3:34:80:Od:30:ca:el-tcp.unknown-uuid.400bf333abf74ab8b96dc18ffadc3f99
        Runtime Name: vmhba65:C0:T1:L3
        Device: uuid.400bf333abf74ab8b96dc18ffadc3f99
        Device Display Name: NVMe TCP Disk (uuid.400bf333abf74ab8b96dc18ffadc3f99)
        Path State: active
        Path config: {TPG_id=0,TPG_state=AO,RTP_id=0,health=UP}
        """,
    ),
    (
        "n05-ontap-nvmetcp-7x/esxcli_nvme-controller-list.txt",
        1,
        """
        Name: nqn.1992-08.com.netapp:sn.5e347cf68e0511ec9ec2d039ea13e6ed:subsystem.vs_name_tcp_ss#vmhba64#192.168.101.11:4420
        Controller Number: 1588
        Adapter: vmhba65
        Transport Type: TCP
        IS Online: true
        """,
    ),
    (
        f"x02-nested-80u3/{DEVICE_LIST}",
        0,
        f"""
        Device: mpx.vmhba4:C0:T0:L0
        Display Name: Local NECVMWar CD-ROM (mpx.vmhba4:C0:T0:L0)
        Has Settable Display Name: false
        Size: 0
        Device Type: CD-ROM
        Multipath Plugin: NMP
        Devfs Path: /vmfs/devices/cdrom/mpx.vmhba4:C0:T0:L0
        Vendor: NECVMWar
        Model: VMware IDE CDR00
        Revision: 1.00
        SCSI Level: 5
        Is Pseudo: false
        Status: on
        Is RDM Capable: false
        Is Local: true
        Is Removable: true
        Is SSD: false
        Is VVOL PE: false
        Is Offline: false
        Is Perennially Reserved: false
        Queue Full Sample Size: 0
        Queue Full Threshold: 0
        Thin Provisioning Status: unknown
        Attached Filters:
        VAAI Status: unsupported
        Other UIDs: vml.0005000000766d686261343a303a30
        Is Shared Clusterwide: false
        Is SAS: false
        Is USB: false
        Is Boot Device: false
        Device Max Queue Depth: 1
        No of outstanding IOs with competing worlds: 1
        {NO_PROTECTION}
        """,
    ),
    (
        "x02-nested-80u3/esxcli_storage-filesystem-list.txt",
        1,
        """
        Mount Point: /vmfs/volumes/66aa25b4-80eeca2a-d6dd-1e00f7000340
        Volume Name: OSDATA-66aa25b4-80eeca2a-d6dd-1e00f7000340
        UUID: 66aa25b4-80eeca2a-d6dd-1e00f7000340
        Mounted: true
        Type: VMFSOS
        Size: 8321499136
        Free: 5360320512
        """,
    ),
    (
        f"x03-nvmetcp-70u3/{DEVICE_LIST}",
        0,
        f"""
        Device: uuid.2b6522e97f86428c91e193efa93c864f
        Display Name: NVMe TCP Disk (uuid.2b6522e97f86428c91e193efa93c864f)
        Has Settable Display Name: false
        Size: 1048576
        Device Type: Direct-Access
        Multipath Plugin: HPP
        Devfs Path: /vmfs/devices/disks/uuid.2b6522e97f86428c91e193efa93c864f
        Vendor: NVMe
        Model: ThirdMartini NVME
        Revision: 1.3.
        SCSI Level: 7
        Is Pseudo: false
        Status: degraded
        Is RDM Capable: false
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
        Other UIDs: vml.072b6522e97f86428c91e193efa93c864f
        Is Shared Clusterwide: true
        Is SAS: false
        Is USB: false
        Is Boot Device: false
        Device Max Queue Depth: 126
        No of outstanding IOs with competing worlds: 32
        {NO_PROTECTION}
        """,
    ),
    (
        "x03-nvmetcp-70u3/esxcli_nvme-controller-list.txt",
        0,
        """
        Name: nqn.2020-20.com.thirdmartini:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6#vmhba65#10.0.0.168:4420
        Controller Number: 266
        Adapter: vmhba65
        Transport Type: TCP
        Is Online: true
        """,
    ),
    (
        "x03-nvmetcp-70u3/esxcli_nvme-namespace-list.txt",
        0,
        """
        Name: uuid.2b6522e97f86428c91e193efa93c864f
        Controller Number: 266
        Namespace ID: 1
        Block Size: 512
        Capacity in MB: 1048576
        """,
    ),
    (
        f"x05-homelab-80/{DEVICE_LIST}",
        0,
        """
        Device: t10.NVMe____Lexar_SSD_NM790_2TB_____________________0500002003500001
        Display Name: Local NVMe Disk (t10.NVMe____Lexar_SSD_NM790_2TB_____________________0500002003500001)
        Has Settable Display Name: true
        Size: 1953514
        Device Type: Direct-Access
        Multipath Plugin: HPP
        Devfs Path: /vmfs/devices/disks/t10.NVMe____Lexar_SSD_NM790_2TB_____________________0500002003500001
        Vendor: NVMe
        Model: Lexar SSD NM790
        Revision: 1129
        SCSI Level: 7
        Is Pseudo: false
        Status: on
        Is RDM Capable: false
        Is Local: true
        Is Removable: false
        Is SSD: true
        Is VVOL PE: false
        Is Offline: false
        Is Perennially Reserved: false
        Queue Full Sample Size: 0
        Queue Full Threshold: 0
        Thin Provisioning Status: yes
        Attached Filters:
        VAAI Status: unsupported
        Other UIDs: vml.05358ec898462096d458ff29446c712a2f2bade07e07508540810a5d2dc1de12a8
        Is Shared Clusterwide: false
        Is SAS: false
        Is USB: false
        Is Boot Device: false
        Device Max Queue Depth: 1023
        No of outstanding IOs with competing worlds: 32
        Drive Type: physical
        RAID Level: NA
        Number of Physical Drives: 1
        Protection Enabled: false
        PI Activated: false
        PI Type: 0
        PI Protection Mask: NO PROTECTION
        Supported Guard Types: NO GUARD SUPPORT
        DIX Enabled: false
        DIX Guard Type: NO GUARD SUPPORT
        Emulated DIX/DIF Enabled: false
        """,
    ),
    (
        "x05-homelab-80/esxcli_storage-nfs-list.txt",
        0,
        """
        Volume Name: nfsbackup
        Host: 192.168.1.22
        Share: /volume1/vmnfsbackup
        Accessible: true
        Mounted: true
        Read-Only: false
        isPE: false
        Hardware Acceleration: Not Supported
        """,
    ),
    (
        f"x08-nimble-iscsi/{NMP}",
        0,
        """
        Device: eui.c7eef900c7cc0ad06c9ce9003a6eb93c
        Device Display Name: Nimble iSCSI Disk (eui.c7eef900c7cc0ad06c9ce9003a6eb93c)
        Storage Array Type: VMW_SATP_ALUA
        Storage Array Type Device Config: {implicit_support=on;explicit_support=off; explicit_allow=on;alua_followover=on; action_OnRetryErrors=off; {TPG_id=0,TPG_state=AO}}
        Path Selection Policy: NIMBLE_PSP_DIRECTED
        Path Selection Policy Device Config: {policy=iops iops=1 bytes=0 useANO=0 NUM_OF_MEM_ARRAY=1 GROUP_MODE=0 MODE_CHANGED=0 GROUP_ID=0 numIOsForIssueInq=10000 numIOsSinceLastInq=3285 lastPathIndex=0 NumIOsPending=0 numBytesPending=0 }
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba45:C1:T1:L0, vmhba45:C0:T1:L0
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        f"x10-nexenta-50/{NMP}",
        0,
        """
        Device: naa.600144f070cc440000004e9f25580001
        Device Display Name: NEXENTA iSCSI Disk (naa.600144f070cc440000004e9f25580001)
        Storage Array Type: VMW_SATP_ALUA
        Storage Array Type Device Config: {implicit_support=on;explicit_support=off; explicit_allow=on;alua_followover=on;{TPG_id=0,TPG_state=AO}}
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1000,bytes=10485760,useANO=0;lastPathIndex=1: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba37:C1:T0:L10, vmhba37:C1:T1:L10
        """,  # noqa: E501  as it is printed
    ),
    (
        "x11-netapp-cdot/esxcli_storage-core-device-vaai-status-get.txt",
        0,
        """
        Device: naa.600a0980424733322f5d444f76513730
        VAAI Plugin Name: VMW_VAAIP_NETAPP
        ATS Status: supported
        Clone Status: supported
        Zero Status: supported
        Delete Status: unsupported
        """,
    ),
    (
        f"x12-vnx-fc-80/{NMP}",
        0,
        """
        Device: naa.6006016018bf560094a52766e58eca2c
        Device Display Name: DGC Fibre Channel Disk (naa.6006016018bf560094a52766e58eca2c)
        Storage Array Type: VMW_SATP_ALUA_CX
        Storage Array Type Device Config: {navireg=on, ipfilter=on} {implicit_support=on; explicit_support=on; explicit_allow=on; alua_followover=on; action_OnRetryErrors=on; {TPG_id=1,TPG_state=AO}{TPG_id=2,TPG_state=ANO}}
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1000,bytes=10485760,useANO=0; lastPathIndex=12: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba3:C0:T6:L0, vmhba4:C0:T4:L0, vmhba5:C0:T5:L0, vmhba4:C0:T6:L0, vmhba2:C0:T4:L0, vmhba5:C0:T4:L0
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        f"x14-emc-lifeline-50/{NMP}",
        0,
        """
        Device: naa.5000144f79272808
        Device Display Name: EMC iSCSI Disk (naa.5000144f79272808)
        Storage Array Type: VMW_SATP_DEFAULT_AA
        Storage Array Type Device Config: SATP VMW_SATP_DEFAULT_AA does not support device configuration.
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1000,bytes=10485760,useANO=0;lastPathIndex=0: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba37:C1:T0:L0, vmhba37:C0:T0:L0
        """,  # noqa: E501  as it is printed
    ),
    (
        f"x15-fujitsu-sas/{PATHS}",
        0,
        """
        UID: sas.5000000000000000-sas.500000e01947e132-naa.500000e01947e130
        Runtime Name: vmhba2:C0:T0:L0
        Device: naa.500000e01947e130
        Device Display Name: FUJITSU Serial Attached SCSI Disk (naa.500000e01947e130)
        Adapter: vmhba2
        Channel: 0
        Target: 0
        LUN: 0
        Plugin: NMP
        State: active
        Transport: sas
        Adapter Identifier: sas.5000000000000000
        Target Identifier: sas.500000e01947e132
        Adapter Transport Details: 5000000000000000
        Target Transport Details: 500000e01947e132
        Maximum IO Size: 4194304
        """,
    ),
    (
        f"x17-blockbridge/{DEVICE_LIST}",
        0,
        """
        Device: naa.60a010a03ff1bb511962194c40626cd1
        Display Name: B*BRIDGE iSCSI Disk (naa.60a010a03ff1bb511962194c40626cd1)
        Has Settable Display Name: true
        Size: 1048576
        Device Max Queue Depth: 192
        No of outstanding IOs with competing worlds: 32
        """,
    ),
    (
        f"x17-blockbridge/{NMP}",
        0,
        """
        Device: naa.60a010a03ff1bb511962194c40626cd1
        Device Display Name: B*BRIDGE iSCSI Disk (naa.60a010a03ff1bb511962194c40626cd1)
        Storage Array Type: VMW_SATP_DEFAULT_AA
        Storage Array Type Device Config: {action_OnRetryErrors=off}
        Path Selection Policy: VMW_PSP_RR
        Path Selection Policy Device Config: {policy=rr,iops=1000,bytes=10485760,useANO=0; lastPathIndex=0: NumIOsPending=0,numBytesPending=0}
        Path Selection Policy Device Custom Config:
        Working Paths: vmhba64:C1:T0:L0, vmhba64:C0:T0:L0
        Is USB: false
        """,  # noqa: E501  as it is printed
    ),
    (
        f"x18-nested-900b/{DEVICE_LIST}",
        0,
        f"""
        Device: mpx.vmhba0:C0:T0:L0
        Display Name: Local VMware Disk (mpx.vmhba0:C0:T0:L0)
        Has Settable Display Name: false
        Size: 40960
        Device Type: Direct-Access
        Multipath Plugin: HPP
        Devfs Path: /vmfs/devices/disks/mpx.vmhba0:C0:T0:L0
        Vendor: VMware
        Model: Virtual disk
        Revision: 2.0
        SCSI Level: 6
        Is Pseudo: false
        Status: on
        Is RDM Capable: false
        Is Local: true
        Is Removable: false
        Is SSD: false
        Is VVOL PE: false
        Is Offline: false
        Is Perennially Reserved: false
        Queue Full Sample Size: 0
        Queue Full Threshold: 0
        Thin Provisioning Status: yes
        Attached Filters:
        VAAI Status: unsupported
        Other UIDs: vml.0000000000766d686261303a303a30
        Is Shared Clusterwide: false
        Is SAS: false
        Is USB: false
        Is Boot Device: true
        Device Max Queue Depth: 1024
        No of outstanding IOs with competing worlds: 32
        {NO_PROTECTION}
        """,
    ),
    (
        "x18-nested-900b/esxcli_storage-core-adapter-list.txt",
        0,
        """
        HBA Name: vmhba0
        Driver: pvscsi
        Link State: link-n/a
        UID: pscsi.vmhba0
        Capabilities:
        Description: (0000:02:00.0) VMware Inc. PVSCSI SCSI Controller
        """,
    ),
    (
        "x18-nested-900b/esxcli_system-version-get.txt",
        0,
        """
        Product: VMware ESXi
        Version: 9.0.0
        Build: Releasebuild-24755229
        Update: 0
        Maintenance: 0
        Patch: 0
        """,
    ),
)
"""File, number of the record in it, and the record: a field a line, as a person reads it; what is a heading in the text stands first."""


def _typed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        title, colon, value = line.strip().partition(":")
        if colon:
            yield plain_name(title), value.strip()


def _read(path: str, number: int) -> Mapping[str, str]:
    file = capture(f"esxi/{path}")
    (output,) = outputs_in(file.read_bytes(), file.name)
    names = [plain_name(name) for name in output.table.names]
    return {
        name: ", ".join(cell) if isinstance(cell, tuple) else cell
        for name, cell in zip(names, output.table.records[number], strict=True)
        if cell is not None
    }


@pytest.mark.parametrize(("path", "number", "text"), [pytest.param(*case, id=f"{case[0].replace('.', ' ')} {case[1]}") for case in RECORDS])
def test_a_record_of_a_real_host_has_every_field_that_a_person_reads_and_no_other(path: str, number: int, text: str) -> None:
    assert _read(path, number) == dict(_typed(text))
