-- materialize: table
-- One row per machine and virtual disk. What its device does is known for a datastore on one device, seen from the machine's host: the
-- commands that are on their way, by Little's law, are `outstanding`; divided among the disks of running machines of that host on it.
WITH laid AS (
    SELECT endpoint, datastore_id, min(device) AS device
    FROM fact.datastore_extent
    GROUP BY endpoint, datastore_id
    HAVING count(*) = 1
),
sharing AS (
    SELECT d.endpoint, vm.host_id, d.datastore_id, count(*) AS disks
    FROM fact.vm_disk AS d
    JOIN fact.vm AS vm USING (endpoint, vm_id)
    WHERE vm.power_state = 'poweredOn'
    GROUP BY ALL
),
unread AS (
    SELECT endpoint, host_id
    FROM fact.vm
    WHERE NOT coalesce(disks_read, false) AND power_state IS DISTINCT FROM 'poweredOff'
    GROUP BY endpoint, host_id
),
spread AS (
    SELECT endpoint, vm_id, count(*) AS disks, count(DISTINCT datastore_id) AS datastores, few_distinct(controller) AS controllers
    FROM fact.vm_disk
    GROUP BY endpoint, vm_id
)
SELECT
    d.endpoint,
    d.vm_id || '/' || d.disk AS resource_id,
    vm.name || ' ' || d.disk AS resource_name,
    h.cluster,
    h.name AS host,
    vm.host_id,
    vm.name AS vm,
    vm.power_state,
    coalesce(vm.is_template, false) AS is_template,
    d.disk,
    d.controller,
    p.depth AS controller_depth,
    d.iops_limit,
    d.iops_limit IS NOT NULL AS is_limited,
    o.storage_policy,
    o.policy_iops_limit,
    CASE WHEN d.iops_limit IS NULL THEN false ELSE o.is_limit_by_policy END AS is_limit_by_policy,
    d.shares_level,
    d.iops_reservation,
    n.disks AS vm_disks,
    n.datastores AS vm_datastores,
    n.controllers AS vm_controllers,
    s.name AS datastore,
    s.type AS datastore_type,
    x.device,
    a.array_name,
    a.volume,
    a.qos,
    g.disks AS disks_on_device,
    l.commands_per_second,
    l.commands_per_second * l.gavg_ms / 1000 AS outstanding,
    CASE WHEN u.host_id IS NULL AND e.vms_read THEN l.commands_per_second / g.disks END AS commands_per_second_per_disk,
    CASE WHEN u.host_id IS NULL AND e.vms_read THEN l.commands_per_second * l.gavg_ms / 1000 / g.disks END AS outstanding_per_disk
FROM fact.vm_disk AS d
JOIN fact.vm AS vm USING (endpoint, vm_id)
LEFT JOIN fact.host AS h ON h.endpoint = vm.endpoint AND h.host_id = vm.host_id
LEFT JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id
LEFT JOIN step_controller_depth AS p ON p.controller = d.controller
LEFT JOIN step_disk_policy AS o ON o.endpoint = d.endpoint AND o.vm_id = d.vm_id AND o.disk = d.disk
LEFT JOIN spread AS n ON n.endpoint = d.endpoint AND n.vm_id = d.vm_id
LEFT JOIN laid AS x ON x.endpoint = d.endpoint AND x.datastore_id = d.datastore_id
LEFT JOIN step_array_device AS a ON a.device = x.device
LEFT JOIN fact.device_load AS l ON l.endpoint = d.endpoint AND l.host_id = vm.host_id AND l.device = x.device
LEFT JOIN sharing AS g ON g.endpoint = d.endpoint AND g.host_id = vm.host_id AND g.datastore_id = d.datastore_id
LEFT JOIN unread AS u ON u.endpoint = d.endpoint AND u.host_id = vm.host_id
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint;
