-- materialize: table
-- One row per host and device, in numbers and keys: what it is, its paths, and how they are chosen. `fewest_active_paths` and `most_active_paths` are of all
-- hosts of its vCenter that see the device, and NULL unless the paths of each of these were read whole.
WITH chosen AS (
    SELECT n.host_number, m.device_number, p.policy_key
    FROM step_policy_options AS p
    JOIN step_host_number AS n USING (endpoint, host_id)
    JOIN step_device_number AS m USING (device)
),
counted AS (
    SELECT
        d.host_number,
        d.device_number,
        d.inquiry_number,
        d.is_protocol_endpoint,
        d.is_shared,
        n.endpoint_number,
        p.set_key,
        c.policy_key,
        CASE WHEN r.paths_read AND coalesce(s.undetermined, 0) = 0 THEN coalesce(s.active_paths, 0) END AS active_paths
    FROM step_device_row AS d
    JOIN step_host_number AS n USING (host_number)
    JOIN step_host_reading AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id
    LEFT JOIN step_path_row AS p USING (host_number, device_number)
    LEFT JOIN step_path_set AS s USING (set_key)
    LEFT JOIN chosen AS c USING (host_number, device_number)
),
seen AS (
    SELECT
        endpoint_number,
        device_number,
        CASE WHEN count(active_paths) = count(*) THEN min(active_paths) END AS fewest,
        CASE WHEN count(active_paths) = count(*) THEN max(active_paths) END AS most
    FROM counted
    GROUP BY endpoint_number, device_number
)
SELECT
    c.host_number,
    c.device_number,
    c.inquiry_number,
    c.is_protocol_endpoint,
    c.is_shared,
    c.set_key,
    c.policy_key,
    CAST(s.fewest AS INTEGER) AS fewest_active_paths,
    CAST(s.most AS INTEGER) AS most_active_paths
FROM counted AS c
LEFT JOIN seen AS s USING (endpoint_number, device_number);
