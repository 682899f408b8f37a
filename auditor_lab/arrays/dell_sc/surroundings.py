"""The Storage Center itself, its ports and the servers it knows, as the REST API answers them.

Field names and JSON types are those of recorded objects unless a function says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc import qos
from auditor_lab.arrays.dell_sc.records import basis, controller_reference, reference, server_reference
from auditor_lab.arrays.dell_sc.writing import date, size

if TYPE_CHECKING:
    from auditor_lab.arrays.dell_sc.center import Center, Hba, Port, Server

Record = dict[str, Any]


def storage_center(center: Center) -> Record:
    """StorageCenter; its instanceId is the serial number alone."""
    described = center.description
    return {
        "instanceId": str(described.reported_serial),
        "instanceName": described.shown_name,
        "objectType": "StorageCenter",
        "scName": described.shown_name,
        "scSerialNumber": described.reported_serial,
        "IPv6ManagementIP": "::",
        "IPv6ManagementIPPrefix": 128,
        "connected": described.connected,
        "connectionError": "" if described.connected else "The Storage Center does not answer",
        "contact": "",
        "dataProgressionRunning": False,
        "flashOptimizedConfigured": False,
        "hostOrIpAddress": "198.51.100.30",
        "location": "",
        "managementIp": "198.51.100.30",
        "name": described.shown_name,
        "nonFlashOptimizedConfigured": True,
        "notes": "",
        "operationMode": "Normal",
        "portsBalanced": True,
        "raidRebalanceRunning": False,
        "serialNumber": described.reported_serial,
        "status": "Up",
        "statusMessage": "",
        "userConnected": True,
        "userName": "Admin",
        "userPasswordExpired": False,
        "version": described.version,
    }


def storage_type(center: Center) -> Record:
    """ScStorageType, the type of every volume. Not recorded: names and types as CoprHD's Java client decodes them."""
    return {
        **basis(center, "ScStorageType", 1, "Assigned - Redundant - 2 MB"),
        "dataPageSize": "TwoMegabytes",
        "deleteAllowed": False,
        "diskFolder": reference(center, "ScDiskFolder", 3, "Assigned"),
        "flashOptimized": False,
        "name": "Assigned - Redundant - 2 MB",
        "redundancy": "Redundant",
        "volumeCreationAllowed": True,
    }


def storage_usage(center: Center) -> Record:
    """StorageCenterStorageUsage."""
    described = center.description
    used = sum(volume.used_bytes for volume in center.volumes.values())
    configured = sum(volume.size_bytes for volume in center.volumes.values())
    return {
        "instanceId": str(described.reported_serial),
        "instanceName": described.shown_name,
        "objectType": "StorageCenterStorageUsage",
        "scName": described.shown_name,
        "scSerialNumber": described.reported_serial,
        "alertThresholdSpace": size(described.capacity_bytes * 9 // 10),
        "allocatedSpace": size(used),
        "availableSpace": size(described.capacity_bytes),
        "badSpace": size(0),
        "configuredSpace": size(configured),
        "freeSpace": size(max(0, described.capacity_bytes - used)),
        "oversubscribedSpace": size(max(0, configured - described.capacity_bytes)),
        "savingVsRaidTen": size(0),
        "storageAlertThreshold": 10,
        "systemSpace": size(0),
        "time": date(center.now()),
        "usedSpace": size(used),
    }


def user_preferences(center: Center) -> Record:
    """ScUserPreferences. Not recorded: the attributes are those that cinder reads."""
    described = center.description
    default = next(iter(center.storage_profiles))
    built = {
        **basis(center, "ScUserPreferences", 1, "Admin"),
        "allowStorageProfileSelection": described.allow_storage_profile_selection,
        "storageProfile": reference(center, "ScStorageProfile", default, center.storage_profiles[default].name),
    }
    if described.has_qos:
        built["allowQosProfileSelection"] = described.allow_qos_profile_selection
        single = next((one for one in center.qos_profiles.values() if one.kind == "volume"), None)
        if single is not None:
            built["volumeQosProfile"] = {**reference(center, "ScQosProfile", single.index, single.name), "name": single.name}
    return built


def configuration(center: Center) -> Record:
    """ScConfiguration. Not recorded: cinder reads iscsiTransportMode; the latency threshold is a guess, see qos.py."""
    described = center.description
    built = {
        **basis(center, "ScConfiguration", 0, described.shown_name),
        "instanceId": str(described.reported_serial),
        "iscsiTransportMode": "VirtualPort",
    }
    if described.has_qos:
        built |= qos.threshold(described.qos_latency_threshold_ms)
    return built


def controller(center: Center, place: int) -> Record:
    """ScController. Not recorded: the attributes are those that public scripts select."""
    named = controller_reference(center, place)
    number = center.description.reported_serial + place - 1
    return {
        **basis(center, "ScController", number, named["instanceName"]),
        "hardwareSerialNumber": number,
        "ipAddress": f"198.51.100.{30 + place}",
        "leader": place == 1,
        "model": center.description.model,
        "name": named["instanceName"],
        "status": "Up",
        "version": center.description.version,
    }


def port(center: Center, one: Port) -> Record:
    """ScControllerPort; one recording has the key "wWN" for the WWN."""
    iscsi = one.description.transport == "iscsi"
    number = f"{int(one.wwn, 16)}.{one.place}"
    return {
        **basis(center, "ScControllerPort", number, one.wwn),
        center.description.wwn_key: one.wwn,
        "childStatus": "Up",
        "controller": controller_reference(center, one.description.controller),
        "faultDomain": _fault_domain_reference(center, one),
        "iscsiGateway": "0.0.0.0",
        "iscsiIpAddress": one.description.address if iscsi else "0.0.0.0",
        "iscsiName": one.target if iscsi else "",
        "iscsiSubnetMask": "0.0.0.0",
        "name": one.wwn,
        "parent": reference(center, "ScControllerPort", number, one.wwn),
        "preferredParent": reference(center, "ScControllerPort", number, one.wwn),
        "purpose": "FrontEnd",
        "status": "Up",
        "statusMessage": "",
        "transportType": "Iscsi" if iscsi else "FibreChannel",
        "virtual": True,
    }


def iscsi_fault_domain(center: Center, name: str) -> Record:
    """ScIscsiFaultDomain, with the first of its ports."""
    first = next(one for one in center.ports if one.description.fault_domain == name)
    domain = _fault_domain_reference(center, first)
    return {
        **basis(center, "ScIscsiFaultDomain", f"{domain['instanceId'].partition('.')[2]}.{first.place}", name),
        "bidirectionalChapSecret": "",
        "chapEnabled": False,
        "childStatus": "Up",
        "classOfServicePriority": 0,
        "dataDigestEnabled": False,
        "defaultTimeToRetain": "SECONDS_20",
        "defaultTimeToWait": "SECONDS_2",
        "deleteAllowed": False,
        "gateway": "198.51.100.1",
        "headerDigestEnabled": False,
        "immediateDataWriteEnabled": False,
        "iscsiName": first.target,
        "keepAliveTimeout": "SECONDS_30",
        "mtu": "MTU_1500",
        "name": name,
        "notes": "",
        "portNumber": 3260,
        "scsiCommandTimeout": "MINUTES_1",
        "status": "Up",
        "statusMessage": "",
        "subnetMask": "255.255.255.0",
        "transportType": "Iscsi",
        "vlanId": 0,
        "wellKnownIpAddress": first.description.address,
        "windowSize": size(131072),
    }


def server(center: Center, one: Server) -> Record:
    """ScPhysicalServer, or ScServerCluster, which is not recorded and has the fields of a server here."""
    named = server_reference(center, one)
    hbas = center.hbas_of(one)
    states = {hba.description.connectivity for hba in hbas}
    connectivity = states.pop() if len(states) == 1 else "Partial" if states else "Down"
    mapped = center.volumes_of(one)
    system = (
        one.description.operating_system
        if one.description
        else next((m.description.operating_system for m in center.members(one) if m.description), "Other")
    )
    paths = [port for hba in hbas for port in center.ports if port.description.transport == hba.description.transport]
    return {
        **basis(center, named["objectType"], one.index, one.name),
        "alertOnConnectivity": True,
        "connectivity": connectivity,
        "deleteAllowed": not mapped,
        "hbaCount": len(hbas),
        "hbaPresent": bool(hbas),
        "hostCacheIndex": 0,
        "legacyFluidFs": False,
        "mapped": bool(mapped),
        "name": one.name,
        "notes": "",
        "operatingSystem": reference(center, "ScServerOperatingSystem", system_number(center, system), system),
        "parentIndex": one.cluster.index if one.cluster else 0,
        "pathCount": len(paths),
        "portType": list(dict.fromkeys("Iscsi" if hba.description.transport == "iscsi" else "FibreChannel" for hba in hbas)),
        "removeHbasAllowed": True,
        "serverFolder": reference(center, "ScServerFolder", 0, "Servers"),
        "serverFolderIndex": 0,
        "serverFolderPath": "",
        "status": {"Up": "Up", "Down": "Down"}.get(connectivity, "Degraded"),
        "statusMessage": "",
        "type": "Physical" if one.description else "Cluster",
        "volumeCount": len(mapped),
    }


def hba(center: Center, one: Hba) -> Record:
    """ScServerHba."""
    return {
        **basis(center, "ScServerHba", one.number, one.description.name),
        "connectivity": one.description.connectivity,
        "iscsiIpAddress": "0.0.0.0",
        "iscsiName": "",
        "name": one.description.name,
        "notes": "",
        "pathCount": sum(port.description.transport == one.description.transport for port in center.ports),
        "portType": "Iscsi" if one.description.transport == "iscsi" else "FibreChannel",
        "portWwnList": [],
        "remoteStorageCenter": False,
        "server": server_reference(center, one.server),
    }


def operating_system(center: Center, name: str) -> Record:
    """ScServerOperatingSystem; whether a product runs virtual machines is derived from its name here."""
    product, _, version = name.rpartition(" ")
    return {
        **basis(center, "ScServerOperatingSystem", system_number(center, name), name),
        "allowsCrossTransportMapping": False,
        "allowsLunGaps": True,
        "lunCanVaryAcrossPaths": False,
        "maximumVolumeSize": size(0),
        "multipath": True,
        "name": name,
        "product": product,
        "requiresLunZero": False,
        "supportsActiveMappingCreation": True,
        "supportsActiveMappingDeletion": True,
        "version": version,
        "virtualMachineGuest": False,
        "virtualMachineHost": "ESX" in name,
    }


def system_number(center: Center, name: str) -> int:
    """The number of an operating system, by its first server."""
    systems = dict.fromkeys(one.description.operating_system for one in center.servers.values() if one.description)
    return list(systems).index(name) + 1 if name in systems else 0


def _fault_domain_reference(center: Center, one: Port) -> Record:
    domains = list(dict.fromkeys(port.description.fault_domain for port in center.ports))
    kind = 6 if one.description.transport == "iscsi" else 4
    return reference(
        center, "ScControllerPortFaultDomain", f"{kind}.{domains.index(one.description.fault_domain)}", one.description.fault_domain
    )


def alerts(center: Center) -> list[dict[str, Any]]:
    """The active alerts. Not recorded: the attributes are those that a public monitor reads (jiuka/checkmk_dell_storage)."""
    serial = center.description.reported_serial
    return [
        {
            "instanceId": f"{serial}.{place}",
            "instanceName": one.definition,
            "objectType": "ScAlert",
            "scSerialNumber": serial,
            "alertDefinition": one.definition,
            "message": one.message,
            "acknowledged": one.acknowledged,
            "supportUrl": "",
        }
        for place, one in enumerate(center.description.alerts, 1)
    ]
