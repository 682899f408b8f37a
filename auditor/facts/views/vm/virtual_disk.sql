-- materialize: table
-- One row per machine and virtual disk. What its device does is known as the machine's host sees it: the commands that are on their way, by
-- Little's law, are `outstanding`; of a datastore on several devices, which of them has which part of the disk is not known, and all together count. What the
-- disk itself does is counted by its machine; without such counters it is known where no other disk of that host shares the datastore, and never
-- divided among several. A raw device mapping lies on its own LUN, whatever datastore holds its pointer.
WITH placed AS (
    SELECT endpoint, vm_id, disk, CASE WHEN rdm_mode IS NULL THEN datastore_id ELSE rdm_device END AS place FROM fact.vm_disk
),
several AS (
    SELECT endpoint, datastore_id, count(*) AS extents
    FROM fact.datastore_extent
    GROUP BY endpoint, datastore_id
    HAVING count(*) > 1
),
spanned AS (
    SELECT
        x.endpoint,
        x.datastore_id,
        l.host_id,
        sum(l.commands_per_second ORDER BY l.commands_per_second) AS commands_per_second,
        sum(l.commands_per_second * l.gavg_ms / 1000 ORDER BY l.commands_per_second, l.gavg_ms) AS outstanding
    FROM several AS n
    JOIN fact.datastore_extent AS x ON x.endpoint = n.endpoint AND x.datastore_id = n.datastore_id
    JOIN fact.device_load AS l ON l.endpoint = x.endpoint AND l.device = x.device
    GROUP BY x.endpoint, x.datastore_id, l.host_id
    HAVING count(l.commands_per_second * l.gavg_ms) = any_value(n.extents)
),
sharing AS (
    SELECT
        d.endpoint,
        g.host_id,
        d.place,
        count(*) FILTER (WHERE g.runs) AS disks,
        count(*) FILTER (WHERE g.runs IS NULL) AS undetermined
    FROM placed AS d
    JOIN step_guest AS g USING (endpoint, vm_id)
    GROUP BY d.endpoint, g.host_id, d.place
),
unread AS (
    -- A machine whose disks could not be read may have any; one whose host is not reported may run on any.
    SELECT r.endpoint, r.host_id
    FROM step_host_reading AS r
    JOIN fact.vm AS vm ON vm.endpoint = r.endpoint AND coalesce(vm.host_id, r.host_id) = r.host_id
    JOIN step_guest AS g ON g.endpoint = vm.endpoint AND g.vm_id = vm.vm_id
    WHERE (NOT coalesce(vm.disks_read, false) OR vm.host_id IS NULL) AND g.runs IS DISTINCT FROM false
    GROUP BY r.endpoint, r.host_id
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
    d.vm_id,
    d.disk_key,
    vm.power_state,
    vm.is_template,
    d.disk,
    d.controller,
    CASE WHEN p.depth_at_least = p.depth_at_most THEN p.depth_at_least END AS controller_depth,
    p.depth_at_least AS controller_depth_at_least,
    p.depth_at_most AS controller_depth_at_most,
    d.iops_limit,
    d.iops_limit IS NOT NULL AS is_limited,
    o.storage_policy,
    o.policy_iops_limit,
    CASE WHEN o.vm_id IS NOT NULL THEN o.policy_has_limit WHEN e.storage_policies_read THEN false END AS policy_has_limit,
    CASE WHEN d.iops_limit IS NULL THEN false ELSE o.is_limit_by_policy END AS is_limit_by_policy,
    d.shares_level,
    d.iops_reservation,
    n.disks AS vm_disks,
    n.datastores AS vm_datastores,
    n.controllers AS vm_controllers,
    s.name AS datastore,
    s.type AS datastore_type,
    d.rdm_mode,
    coalesce(d.rdm_device, x.device) AS device,
    a.array_name,
    a.volume,
    a.qos,
    CASE WHEN g.undetermined = 0 OR g.disks > 1 THEN g.disks END AS disks_on_device,
    coalesce(l.commands_per_second, z.commands_per_second) AS commands_per_second,
    coalesce(l.commands_per_second * l.gavg_ms / 1000, z.outstanding) AS outstanding,
    coalesce(
        k.commands_per_second,
        CASE
            WHEN p.runs AND u.host_id IS NULL AND e.vms_read AND g.disks = 1 AND g.undetermined = 0
            THEN coalesce(l.commands_per_second, z.commands_per_second)
        END
    ) AS commands_per_second_per_disk,
    coalesce(
        k.outstanding,
        CASE
            WHEN p.runs AND u.host_id IS NULL AND e.vms_read AND g.disks = 1 AND g.undetermined = 0
            THEN coalesce(l.commands_per_second * l.gavg_ms / 1000, z.outstanding)
        END
    ) AS outstanding_per_disk
FROM fact.vm_disk AS d
JOIN fact.vm AS vm USING (endpoint, vm_id)
LEFT JOIN fact.host AS h ON h.endpoint = vm.endpoint AND h.host_id = vm.host_id
LEFT JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id
JOIN step_disk_depth AS p ON p.endpoint = d.endpoint AND p.vm_id = d.vm_id AND p.disk = d.disk
LEFT JOIN step_disk_policy AS o ON o.endpoint = d.endpoint AND o.vm_id = d.vm_id AND o.disk = d.disk
LEFT JOIN spread AS n ON n.endpoint = d.endpoint AND n.vm_id = d.vm_id
LEFT JOIN placed AS y ON y.endpoint = d.endpoint AND y.vm_id = d.vm_id AND y.disk = d.disk
LEFT JOIN step_sole_extent AS x ON x.endpoint = d.endpoint AND x.datastore_id = y.place
LEFT JOIN step_array_device AS a ON a.device = coalesce(d.rdm_device, x.device)
LEFT JOIN fact.device_load AS l ON l.endpoint = d.endpoint AND l.host_id = vm.host_id AND l.device = coalesce(d.rdm_device, x.device)
LEFT JOIN spanned AS z ON z.endpoint = d.endpoint AND z.host_id = vm.host_id AND z.datastore_id = y.place
LEFT JOIN fact.vm_disk_load AS k ON k.endpoint = d.endpoint AND k.vm_id = d.vm_id AND k.node = d.node
LEFT JOIN sharing AS g ON g.endpoint = d.endpoint AND g.host_id = vm.host_id AND g.place = y.place
LEFT JOIN unread AS u ON u.endpoint = d.endpoint AND u.host_id = vm.host_id
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint;
