"""VMware vCenter and, through it, ESXi hosts: by VI/JSON, SOAP and esxcli."""

from types import MappingProxyType

from auditor.endpoints.vcenter.privileges import (
    ADVANCED,
    DATASTORE_CLUSTER,
    DATASTORE_IO,
    DISKS,
    ESXCLI,
    MAINTENANCE,
    SETTINGS,
    STORAGE,
)
from auditor.facts.vcenter_tables import HOST_TOPICS, ON_DEMAND_TOPICS, VCENTER_TOPICS
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType
from auditor.model.settings import Needed, Setting

_ON_DEVICE = Needed((SETTINGS, STORAGE), f"esxcli: {ESXCLI}; a write to a device as Host.Config.Storage", verified=False)
_IORM = Needed(
    (DATASTORE_IO,), 'vSphere API reference, StorageResourceManager.ConfigureDatastoreIORM_Task: "required on the target datastore"'
)
_POD = Needed((DATASTORE_CLUSTER,), 'vSphere security guide, "Datastore Cluster Privileges": configure a datastore cluster')

_HOST_PROFILES = (
    "profile.host.profilemanager.applyhostconfiguration",
    "profile.host.profilemanager.applyentitiesconfiguration",
    "hostprofileappliedevent",
    "hostconfigappliedevent",
)
"""They may change anything of a host. Of esxcli, which sets DSNRO and claim rules, no event shows."""
_IORM_EVENTS = ("datastoreiormreconfiguredevent", "storageresourcemanager.configuredatastoreiorm")

# Source of `shown_by`: docs/design/who-changed-it.md.
TYPE = EndpointType(
    EndpointKind.VCENTER,
    opener="session:open_vcenter",
    collector="collect.incremental:collect_incrementally",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    topics=(*HOST_TOPICS, *VCENTER_TOPICS, *ON_DEMAND_TOPICS),
    settings=MappingProxyType(
        {
            "host.claim_rule": Setting(
                "settings.host_claim_rule:HostClaimRule",
                single_host=True,
                commands="commands.hosts:claim_rule",
                needed=_ON_DEVICE,
                shown_by=_HOST_PROFILES,
                of_host=True,
            ),
            "host.option": Setting(
                "settings.host_option:HostOption",
                single_host=True,
                commands="commands.hosts:option",
                of_host=True,
                # Source: docs/domain/facts.md#1, #3-7; the sources of ontap/nfs-heap and of queue/nfs-max-queue-depth.
                units=MappingProxyType(
                    {
                        "DataMover.MaxHWTransferSize": "KiB",
                        "ISCSI.MaxIoSizeKB": "KiB",
                        "NFS.MaxQueueDepth": "commands",
                        "Net.TcpipHeapMax": "MB",
                        "Net.TcpipHeapSize": "MB",
                        "Scsi.ScsiVVolPESNRO": "commands",
                    }
                ),
                needed=Needed((ADVANCED,), 'vSphere security guide, "Host Configuration Privileges": advanced host configuration options'),
                shown_by=("option.optionmanager.updatevalues", *_HOST_PROFILES),
            ),
            "host.module_option": Setting(
                "settings.host_module_option:HostModuleOption",
                single_host=True,
                commands="commands.hosts:module_option",
                of_host=True,
                # Source: docs/domain/facts.md#2.
                units=MappingProxyType(
                    {
                        "*lunqdepth": "commands",
                        "*lun_queue_depth": "commands",
                        "lun_queue_depth_per_path": "commands",
                        "ql2xmaxqdepth": "commands",
                        "fnic_max_qdepth": "commands",
                    }
                ),
                needed=Needed((SETTINGS,), "vSphere API reference, HostKernelModuleSystem.UpdateModuleOptionString"),
                shown_by=("host.kernelmodulesystem.updatemoduleoptionstring", *_HOST_PROFILES),
            ),
            "iscsi.target_option": Setting(
                "settings.iscsi_target_option:IscsiTargetOption",
                single_host=True,
                commands="commands.hosts:iscsi_target_option",
                of_host=True,
                # Source: docs/domain/facts.md#5-1.
                units=MappingProxyType({"LoginTimeout": "s"}),
                needed=Needed((STORAGE,), "vSphere API reference, HostStorageSystem.UpdateInternetScsiAdvancedOptions"),
                shown_by=("host.storagesystem.updateinternetscsiadvancedoptions", *_HOST_PROFILES),
            ),
            # Source of the unit: docs/domain/facts.md#1.
            "device.dsnro": Setting(
                "settings.device_dsnro:DeviceDsnro",
                single_host=True,
                commands="commands.devices:dsnro",
                unit="commands",
                needed=_ON_DEVICE,
                shown_by=_HOST_PROFILES,
            ),
            "device.path_policy": Setting(
                "settings.device_path_policy:DevicePathPolicy",
                single_host=True,
                commands="commands.devices:path_policy",
                needed=_ON_DEVICE,
                shown_by=("host.storagesystem.setmultipathlunpolicy", *_HOST_PROFILES),
            ),
            "device.perennially_reserved": Setting(
                "settings.device_perennially_reserved:DevicePerenniallyReserved",
                single_host=True,
                commands="commands.devices:perennially_reserved",
                needed=_ON_DEVICE,
                shown_by=_HOST_PROFILES,
            ),
            "device.queue_full": Setting(
                "settings.device_queue_full:DeviceQueueFull",
                single_host=True,
                commands="commands.devices:queue_full",
                needed=_ON_DEVICE,
                shown_by=_HOST_PROFILES,
            ),
            "datastore.sioc": Setting(
                "settings.datastore_sioc:DatastoreSioc", commands="commands.objects:sioc", needed=_IORM, shown_by=_IORM_EVENTS
            ),
            "datastore.sioc_threshold": Setting(
                "settings.datastore_sioc_threshold:DatastoreSiocThreshold",
                commands="commands.objects:sioc_threshold",
                needed=_IORM,
                shown_by=_IORM_EVENTS,
            ),
            "datastore.unmap": Setting(
                "settings.datastore_unmap:DatastoreUnmap",
                single_host=True,
                commands="commands.objects:unmap",
                needed=Needed((STORAGE,), "vSphere API reference, HostStorageSystem.UpdateVmfsUnmapPriority"),
            ),
            "pod.automation": Setting("settings.pod_automation:PodAutomation", commands="commands.objects:pod_automation", needed=_POD),
            "pod.io_metric": Setting("settings.pod_io_metric:PodIoMetric", commands="commands.objects:pod_io_metric", needed=_POD),
            "vm.disk_limit": Setting(
                "settings.vm_disk_limit:VmDiskLimit",
                single_host=True,
                commands="commands.objects:disk_limit",
                # Source of both: vSphere API reference, StorageIOAllocationInfo.limit.
                unit="IOPS",
                no_limit=(-1,),
                needed=Needed((DISKS,), "vSphere API reference, ReconfigVM_Task: if changing the properties of an existing device"),
                shown_by=("virtualmachine.reconfigure",),
            ),
        }
    ),
    steps=MappingProxyType(
        {
            "host.boot": Setting(
                "steps.host_boot:HostBoot",
                of_host=True,
                needed=Needed((MAINTENANCE,), "vSphere API reference, HostSystem.RebootHost_Task: Host.Config.Maintenance"),
            ),
            "host.maintenance": Setting(
                "steps.host_maintenance:HostMaintenance",
                of_host=True,
                needed=Needed((MAINTENANCE,), "vSphere API reference, HostSystem.EnterMaintenanceMode_Task: Host.Config.Maintenance"),
            ),
        }
    ),
    health="health:read_health",
    culprits="culprits:who_put_back",
    is_incremental=True,
)
