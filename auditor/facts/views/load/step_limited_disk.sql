-- materialize: table
-- The virtual disks on each device of a host that vSphere itself limits, by their own setting or by their storage policy: what such a disk is over its
-- limit waits in the host, whatever the queue of the device is. `holds_back`: one of them does as much as it may, or what it does is not known.
-- A command counts once for each 32 KiB that it moves. Source: docs/domain/facts.md#4-9.
-- The scheduler before mClock (Disk.SchedulerWithReservation 0) limits a machine on a device by the sum of its disks' limits, and not at all where one
-- of them has none. Source: docs/domain/facts.md#4-11. An option that was not read is taken to be as installed.
WITH limited AS (
    SELECT
        d.endpoint,
        d.host_id,
        d.device,
        d.vm,
        d.vm_id,
        d.resource_name,
        least(d.iops_limit, d.policy_iops_limit) AS iops_limit,
        CASE
            WHEN d.commands_per_second = 0 THEN 0
            WHEN d.io_bytes > 32768 THEN d.commands_per_second * ceil(d.io_bytes / 32768)
            WHEN d.io_bytes IS NOT NULL THEN d.commands_per_second
        END AS pieces_per_second,
        coalesce(o.limits_machines, false) AS limits_machines
    FROM disk_stream AS d
    LEFT JOIN step_option AS o ON o.endpoint = d.endpoint AND o.host_id = d.host_id
    WHERE d.device IS NOT NULL
),
held AS (
    SELECT endpoint, host_id, device, resource_name AS name, iops_limit, pieces_per_second AS done, true AS is_told
    FROM limited
    WHERE NOT limits_machines AND iops_limit IS NOT NULL
    UNION ALL
    SELECT
        endpoint,
        host_id,
        device,
        any_value(vm) || ' (' || count(*) || CASE WHEN count(*) = 1 THEN ' disk' ELSE ' disks together' END || ')',
        sum(iops_limit),
        sum(pieces_per_second ORDER BY pieces_per_second),
        count(pieces_per_second) = count(*)
    FROM limited
    WHERE limits_machines
    GROUP BY endpoint, host_id, device, vm_id
    HAVING count(iops_limit) = count(*)
)
SELECT
    endpoint,
    host_id,
    device,
    few(name || ': ' || iops_limit || ' IOPS') AS limited_disks,
    bool_or(coalesce(done >= at_ceiling() * iops_limit, true) OR NOT is_told) AS holds_back
FROM held
GROUP BY endpoint, host_id, device;
