-- materialize: view
-- One row per host and kernel module of a storage adapter, as in `host_module`, with the most that machines have under way to one of its devices.
-- It is the most of the devices about which all is known: where another device has more, that is not known, so this is a lower bound.
-- NVMe namespaces are left out, as the driver's parameter does not govern their queues; so is what may be one. Source: docs/domain/facts.md#2
WITH busiest AS (
    SELECT endpoint, host_id, driver AS module, max(outstanding) AS most_outstanding,
        arg_max(device, (outstanding, device)) FILTER (WHERE outstanding IS NOT NULL) AS busiest_device
    FROM device_queue
    WHERE NOT is_namespace
    GROUP BY ALL
)
SELECT m.*, b.most_outstanding, b.busiest_device
FROM host_module AS m
LEFT JOIN busiest AS b USING (endpoint, host_id, module);
