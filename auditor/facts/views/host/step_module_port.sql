-- materialize: view
-- One row per host and kernel module of adapters: how many ports the module drives. A port that speaks SCSI and NVMe is two adapters of one module, and
-- counts once, as what speaks SCSI (docs/domain/facts.md#1-13). `ports` is NULL where an adapter does not say which it is. No row where one of the
-- host's does not report its module, as it may be of any, or where adapters were not read whole.
SELECT
    b.endpoint,
    b.host_id,
    b.driver AS module,
    CASE WHEN count(b.kind) = count(*) THEN count(*) FILTER (WHERE b.kind <> 'nvme') END AS ports
FROM fact.hba AS b
JOIN step_host_reading AS r ON r.endpoint = b.endpoint AND r.host_id = b.host_id
LEFT JOIN step_nameless_adapter AS n ON n.endpoint = b.endpoint AND n.host_id = b.host_id
WHERE r.hbas_read AND n.host_id IS NULL
GROUP BY b.endpoint, b.host_id, b.driver;
