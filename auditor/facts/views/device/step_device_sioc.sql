-- materialize: table
-- Whether Storage I/O Control manages the queue of a device: it does where a datastore on it has it enabled, and DSNRO counts for nothing then
-- (docs/domain/facts.md#1-9). False only when all datastores were read and each of those tells. Devices without a datastore have no row.
SELECT
    x.endpoint,
    x.device,
    CASE WHEN bool_or(d.sioc_enabled) THEN true WHEN count(d.sioc_enabled) = count(*) THEN false END AS sioc_enabled,
    few_distinct(d.name) AS datastores
FROM fact.datastore_extent AS x
JOIN fact.datastore AS d USING (endpoint, datastore_id)
GROUP BY x.endpoint, x.device;
