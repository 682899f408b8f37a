-- materialize: table
-- Whose devices each host sees, those within the host left out, and how many of them nobody could tell.
SELECT
    endpoint,
    host_id,
    string_agg(DISTINCT family, ', ' ORDER BY family) AS families,
    string_agg(DISTINCT family, ', ' ORDER BY family) FILTER (WHERE family <> 'eternus-dx') AS families_beside_eternus,
    CAST(coalesce(sum(devices) FILTER (WHERE family IS NULL), 0) AS BIGINT) AS unknown_families
FROM step_host_group
GROUP BY ALL;
