-- materialize: table
-- When the load of each host, of each vCenter's machines and of each array's volumes was read, by the clock of the machine that ran the audit.
SELECT endpoint, scope, topic, max(read_at) AS read_at
FROM fact.reading
WHERE topic IN ('device_load', 'disk_load', 'volume_load')
GROUP BY endpoint, scope, topic;
