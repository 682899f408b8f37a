-- materialize: table
-- What each volume of an array was doing when it was read, and how many operations a second its ceiling is worth at the size it does then.
-- A ceiling in operations is worth fewer of them on Element, by the volume's own curve; ONTAP and FlashArray are taken to count operations of any
-- size, and of the other families nothing is known. One in bytes a second is divided by the mean size. NULL where there is no ceiling, or its
-- worth is not known.
-- `latency_ms` has what QoS held back in it. Only a FlashArray tells that apart: where it was not read there, neither is known.
SELECT
    v.endpoint,
    v.volume_id,
    q.is_capped,
    q.qos_max_iops,
    q.qos_max_bytes_per_second,
    l.average_io_bytes,
    l.actual_iops AS iops,
    (CAST(l.latency_us AS HUGEINT) + CASE WHEN a.family <> 'flasharray' THEN 0 ELSE l.throttle_us END) / 1000 AS latency_ms,
    ceiling_use(l.utilization, l.throttle_us) >= 1 AS is_at_limit,
    l.burst_credit,
    CASE
        WHEN q.qos_max_bytes_per_second IS NOT NULL AND l.average_io_bytes IS NULL THEN NULL
        WHEN a.family = 'solidfire' THEN q.qos_max_iops / c.cost
        WHEN a.family IN ('ontap', 'flasharray') THEN least(q.qos_max_iops, q.qos_max_bytes_per_second / l.average_io_bytes)
    END AS limit_per_second,
    t.read_at
FROM step_volume AS v
JOIN fact.array_volume_load AS l USING (endpoint, volume_id)
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
LEFT JOIN step_curve_cost AS c USING (endpoint, volume_id)
LEFT JOIN step_load_reading AS t ON t.endpoint = v.endpoint AND t.scope = '' AND t.topic = 'volume_load';
