-- materialize: view
-- Delayed acknowledgement of each iSCSI target of a host, by its portal and name; left out where a host's adapters do not agree about it.
SELECT
    endpoint,
    host_id,
    concat_ws(' ', address || ':' || port, iqn) AS thing,
    'delayed_ack' AS setting,
    CASE WHEN bool_and(delayed_ack) THEN 'true' ELSE 'false' END AS value
FROM fact.iscsi_target
WHERE delayed_ack IS NOT NULL
GROUP BY endpoint, host_id, concat_ws(' ', address || ':' || port, iqn)
HAVING bool_and(delayed_ack) = bool_or(delayed_ack);
