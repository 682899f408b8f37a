-- materialize: table
-- One row per host under a small number, so that millions of rows are joined and kept by numbers. Numbers are in the order of the hosts' names.
-- `place_number` is the same for hosts of one cluster of one vCenter, `endpoint_number` for those of one vCenter.
SELECT
    CAST(row_number() OVER (ORDER BY coalesce(h.name, h.host_id), h.endpoint, h.host_id) AS INTEGER) AS host_number,
    CAST(dense_rank() OVER (ORDER BY h.endpoint, r.domain_id, h.cluster) AS INTEGER) AS place_number,
    CAST(dense_rank() OVER (ORDER BY h.endpoint) AS INTEGER) AS endpoint_number,
    h.endpoint,
    h.host_id,
    h.cluster,
    h.name AS host,
    h.in_maintenance_mode,
    r.domain_id
FROM fact.host AS h
JOIN step_host_reading AS r USING (endpoint, host_id);
