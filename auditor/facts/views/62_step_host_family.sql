-- Whose devices each host sees, those within the host left out, and how many of them nobody could tell.
CREATE VIEW step_host_family AS
SELECT
    endpoint,
    host_id,
    string_agg(DISTINCT family, ', ' ORDER BY family) AS families,
    string_agg(DISTINCT family, ', ' ORDER BY family) FILTER (WHERE family <> 'eternus-dx') AS families_beside_eternus,
    count(*) FILTER (WHERE family IS NULL) AS unknown_families
FROM device
WHERE is_shared IS DISTINCT FROM false
GROUP BY ALL;
