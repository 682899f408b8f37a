-- materialize: table
-- The devices of each host that a claim rule of their own names: what comes first then, that rule or the one for their kind, no document states.
SELECT DISTINCT n.host_number, m.device_number, true AS is_singled_out
FROM fact.satp_rule AS r
JOIN step_host_number AS n USING (endpoint, host_id)
JOIN step_device_number AS m USING (device)
WHERE r.device <> '';
