"""Fields of a PowerStore's objects: which a release added, and which the lab leaves null.

Source: the OpenAPI definitions that `records` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ADDED: Mapping[str, Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "cluster": {"system_time": (2, 0)},
        "hardware": {"stale_state": (2, 0)},
        "volume": {"nguid": (2, 0), "nsid": (2, 0), "metro_replication_session_id": (3, 0), "qos_performance_policy_id": (4, 0)},
        "volume_group": {"qos_performance_policy_id": (4, 0), "qos_performance_policy": (4, 0)},
        "virtual_volume": {"naa_name": (3, 0), "nguid": (3, 0), "nsid": (3, 0)},
        "host": {"initiators": (3, 0), "host_connectivity": (3, 0), "type": (2, 0)},
        "storage_container": {"storage_protocol": (3, 0)},
        "nas_server": {"performance_policy_id": (4, 1), "is_production_mode_enabled": (3, 0), "is_dr_test": (3, 6)},
        "file_system": {"performance_policy_id": (4, 1)},
    }
)
"""Fields that a release added, by resource. Source: the definitions, "Was added in version"."""

EMPTY: Mapping[str, str] = MappingProxyType(
    {
        "appliance": """express_service_code nodes veth_ports maintenance_windows fc_ports sas_ports eth_ports eth_be_ports hardware volumes
        software_installed virtual_volumes ip_pool_addresses drive_failure_tolerance_level""",
        "cluster": "storage_discovery_address master_appliance_id physical_mtu is_encryption_enabled compatibility_level",
        "file_interface": "prefix_length gateway vlan_id ip_port_id role_l10n",
        "file_system": """description parent_id access_policy locking_policy folder_rename_policy is_smb_sync_writes_enabled
        is_smb_op_locks_enabled
        is_smb_no_notify_enabled is_smb_notify_on_access_enabled is_smb_notify_on_write_enabled smb_notify_on_change_dir_depth
        is_async_MTime_enabled is_quota_enabled grace_period default_hard_limit default_soft_limit creation_timestamp expiration_timestamp
        last_refresh_timestamp last_writable_timestamp is_modified access_type creator_type filesystem_type_l10n access_policy_l10n
        locking_policy_l10n folder_rename_policy_l10n access_type_l10n creator_type_l10n is_secure protection_policy size_used
        file_events_publishing_mode file_events_publishing_mode_l10n config_type config_type_l10n flr_attributes host_io_size
        host_io_size_l10n""",
        "nas_server": """description current_node_id preferred_node_id default_unix_user default_windows_user current_unix_directory_service
        is_username_translation_enabled is_auto_user_mapping_enabled production_IPv4_interface_id production_IPv6_interface_id
        backup_IPv4_interface_id backup_IPv6_interface_id current_preferred_IPv4_interface_id current_preferred_IPv6_interface_id
        operational_status_l10n current_unix_directory_service_l10n nfs_servers smb_servers file_ldaps file_nises protection_policy_id
        file_events_publishing_mode is_replication_destination file_events_publishing_mode_l10n""",
        "nfs_export": """description default_access min_security nfs_owner_username no_access_hosts read_only_hosts read_only_root_hosts
        read_write_hosts read_write_root_hosts anonymous_UID anonymous_GID is_no_SUID default_access_l10n min_security_l10n""",
        "host": "host_virtual_volume_mappings mapped_hosts import_host_system_id",
        "host_group": "host_connectivity mapped_host_groups",
        "storage_container": "virtual_volumes replication_groups datastores destinations",
        "virtual_volume": """profile_id replication_group_id creator_type is_readonly migration_session_id virtual_machine_uuid family_id
        parent_id source_id source_timestamp creation_timestamp is_replication_destination location_history protection_policy_id
        host_virtual_volume_mappings""",
        "volume": """creation_timestamp protection_policy_id protection_policy performance_policy is_replication_destination logical_used
        migration_session_id node_affinity is_host_access_available location_history app_type app_type_other mapped_volumes host_group""",
        "volume_group": """creation_timestamp is_protectable protection_policy_id protection_policy migration_session_id placement_rule
        is_write_order_consistent is_replication_destination protection_data is_importing location_history""",
    }
)
"""Fields that clients ask for and the lab leaves null."""
