-- materialize: table
-- When the load of each host, of each vCenter's machines and of each array's volumes was read, by the clock of the machine that ran the audit.
SELECT endpoint, scope, 'device_load' AS topic, max(read_at) AS read_at FROM fact.reading WHERE topic = 'device_load' GROUP BY endpoint, scope
UNION ALL
SELECT endpoint, scope, 'disk_load', max(read_at) FROM fact.reading WHERE topic = 'disk_load' GROUP BY endpoint, scope
UNION ALL
SELECT endpoint, scope, 'volume_load', max(read_at) FROM fact.reading WHERE topic = 'volume_load' GROUP BY endpoint, scope;
