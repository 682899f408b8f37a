-- materialize: table
-- What each host sees that no source says can bear hardware offload (facts/family_advice.py), but for the ETERNUS DX, which vaai_option weighs one by
-- one. A name alone is no source: an appliance between the host and the array has to support offload as well (docs/domain/facts.md#3-10).
WITH seen AS (
    SELECT
        n.endpoint,
        n.host_id,
        c.devices,
        i.family,
        i.is_namespace AS is_nvme,
        c.name_family <> nullif(i.family, 'other') AS is_odd
    FROM step_host_inquiry AS c
    JOIN step_host_number AS n USING (host_number)
    LEFT JOIN step_inquiry AS i USING (inquiry_number)
),
worded AS (
    SELECT
        endpoint,
        host_id,
        devices,
        CASE
            WHEN family IS NULL THEN 'inquiry not read'
            WHEN is_odd THEN family || ' by its inquiry, and another by its name'
            WHEN is_nvme THEN family || ' by NVMe'
            WHEN family <> 'eternus-dx' AND offload_advice(family) <> 'on' THEN family
        END AS unsourced
    FROM seen
)
SELECT
    endpoint,
    host_id,
    CAST(sum(devices) AS BIGINT) AS devices,
    count(unsourced) AS unsourced,
    string_agg(DISTINCT unsourced, ', ' ORDER BY unsourced) AS unsourced_arrays
FROM worded
GROUP BY ALL;
