-- materialize: table
-- The virtual disks on each device of a host that vSphere itself limits, by their own setting or by their storage policy: what such a disk is over its
-- limit waits in the host, whatever the queue of the device is. `holds_back`: one of them does as much as it may, or what it does is not known.
-- A command counts once for each 32 KiB that it moves. Source: docs/domain/facts.md#4-9.
SELECT
    endpoint,
    host_id,
    device,
    few(resource_name || ': ' || least(iops_limit, policy_iops_limit) || ' IOPS') AS limited_disks,
    bool_or(
        coalesce(commands_per_second * greatest(1, ceil(io_bytes / 32768)) >= at_ceiling() * least(iops_limit, policy_iops_limit), true)
    ) AS holds_back
FROM disk_stream
WHERE device IS NOT NULL AND coalesce(iops_limit, policy_iops_limit) IS NOT NULL
GROUP BY endpoint, host_id, device;
