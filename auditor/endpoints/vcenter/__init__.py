"""VMware vCenter and, through it, ESXi hosts: by VI/JSON, SOAP and esxcli."""

from types import MappingProxyType

from auditor.facts.vcenter_tables import HOST_TOPICS, ON_DEMAND_TOPICS, VCENTER_TOPICS
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType

TYPE = EndpointType(
    EndpointKind.VCENTER,
    opener="session:open_vcenter",
    collector="collect.incremental:collect_incrementally",
    topics=(*HOST_TOPICS, *VCENTER_TOPICS, *ON_DEMAND_TOPICS),
    settings=MappingProxyType(
        {
            "datastore.sioc": "settings.datastore_sioc:DatastoreSioc",
            "datastore.sioc_threshold": "settings.datastore_sioc_threshold:DatastoreSiocThreshold",
            "datastore.unmap": "settings.datastore_unmap:DatastoreUnmap",
            "device.dsnro": "settings.device_dsnro:DeviceDsnro",
            "device.path_policy": "settings.device_path_policy:DevicePathPolicy",
            "device.perennially_reserved": "settings.device_perennially_reserved:DevicePerenniallyReserved",
            "device.queue_full": "settings.device_queue_full:DeviceQueueFull",
            "host.claim_rule": "settings.host_claim_rule:HostClaimRule",
            "host.module_option": "settings.host_module_option:HostModuleOption",
            "host.option": "settings.host_option:HostOption",
            "iscsi.target_option": "settings.iscsi_target_option:IscsiTargetOption",
            "pod.automation": "settings.pod_automation:PodAutomation",
            "pod.io_metric": "settings.pod_io_metric:PodIoMetric",
            "vm.disk_limit": "settings.vm_disk_limit:VmDiskLimit",
        }
    ),
    steps=MappingProxyType(
        {
            "host.boot": "steps.host_boot:HostBoot",
            "host.maintenance": "steps.host_maintenance:HostMaintenance",
        }
    ),
    health="health:read_health",
    culprits="culprits:who_put_back",
    is_incremental=True,
)
