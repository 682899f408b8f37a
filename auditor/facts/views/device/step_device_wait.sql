-- materialize: table
-- Whether QoS of its array holds back what is behind a device name, in words: its volume at a ceiling, of a stretched one on either array, or some
-- of the virtual volumes behind a protocol endpoint. NULL where that is not known.
WITH lun AS (
    SELECT
        v.device,
        CASE WHEN bool_or(l.is_at_limit) THEN true WHEN count(l.is_at_limit) = count(*) THEN false END AS is_at_limit,
        few_distinct(CASE WHEN l.is_at_limit THEN l.qos_wait END, '; ') AS held,
        few_distinct(CASE WHEN NOT l.is_at_limit THEN l.qos_wait END, '; ') AS not_held
    FROM step_volume AS v
    JOIN step_array_device AS d ON d.device = v.device AND NOT d.is_ambiguous AND d.volume_id IS NOT NULL
    LEFT JOIN step_volume_load AS l ON l.endpoint = v.endpoint AND l.volume_id = v.volume_id
    WHERE NOT coalesce(v.is_virtual, false) AND v.kind IS DISTINCT FROM 'protocol_endpoint'
    GROUP BY v.device
),
behind AS (
    SELECT
        p.device,
        count(*) FILTER (WHERE l.is_at_limit) AS held,
        few(CASE WHEN l.is_at_limit THEN coalesce(m.disk, v.name, v.volume_id) END) AS names
    FROM step_vvol_place AS p
    JOIN step_volume AS v USING (endpoint, volume_id)
    LEFT JOIN step_volume_load AS l USING (endpoint, volume_id)
    LEFT JOIN step_vvol_vm AS m ON m.vvol_id = lower(v.vvol_id)
    GROUP BY p.device
),
waits AS (
    SELECT device, CASE WHEN is_at_limit THEN held WHEN NOT is_at_limit THEN not_held END AS qos_wait FROM lun
    UNION ALL
    SELECT b.device, 'behind it at their ceilings: ' || b.names || ': their wait is QoS'
    FROM behind AS b
    LEFT JOIN lun AS u USING (device)
    WHERE b.held > 0 AND u.device IS NULL
)
-- Each name is on one side alone; the GROUP BY says so to the lineage, which drops the join where nobody asks for the words.
SELECT device, min(qos_wait) AS qos_wait FROM waits GROUP BY device;
