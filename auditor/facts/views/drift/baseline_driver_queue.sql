-- materialize: view
-- One row per host and driver that carries devices of arrays there: their queue depths now, and in the baseline, see step_setting_drift. The depth
-- is the driver's, so a host is named once, with its devices. A device that is gone is in no row; one that may be gone has no driver.
WITH compared AS (
    SELECT
        s.endpoint,
        s.host_id,
        s.cluster,
        s.host,
        d.driver,
        s.thing AS device,
        s.value,
        s.wanted,
        s.is_known,
        s.is_known AND s.is_seen AS is_compared,
        s.is_known AND s.is_seen AND s.value <> s.wanted AS is_odd,
        s.is_known AND (s.is_seen IS NULL OR s.value IS NULL) AS is_open,
        s.baseline_host,
        s.baseline_run,
        s.baseline_at,
        s.changed_by,
        s.changed_at
    FROM step_setting_drift AS s
    LEFT JOIN device AS d ON d.endpoint = s.endpoint AND d.host_id = s.host_id AND d.device = s.thing
    WHERE s.kind = 'queue_depth' AND s.is_seen IS DISTINCT FROM false
)
SELECT
    endpoint,
    host_id || '/' || coalesce(driver, '?') AS resource_id,
    coalesce(driver, 'driver not known') AS resource_name,
    cluster,
    host,
    host_id,
    driver,
    CASE
        WHEN bool_or(is_compared) THEN count(*) FILTER (WHERE is_compared)
        WHEN NOT bool_or(is_open) THEN 0
    END AS known_devices,
    count(*) FILTER (WHERE is_odd) AS odd_devices,
    few_distinct(CASE WHEN is_odd THEN device END) AS odd_device_names,
    coalesce(few_distinct(CASE WHEN is_odd THEN value END), few_distinct(CASE WHEN is_compared THEN value END)) AS queue_depths,
    coalesce(few_distinct(CASE WHEN is_odd THEN wanted END), few_distinct(CASE WHEN is_known THEN wanted END)) AS wanted_queue_depths,
    CASE WHEN bool_or(is_odd) THEN false WHEN driver IS NOT NULL AND NOT bool_or(is_open) THEN true END AS depths_agree,
    baseline_host,
    baseline_run,
    baseline_at,
    changed_by,
    changed_at
FROM compared
GROUP BY endpoint, host_id, cluster, host, driver, baseline_host, baseline_run, baseline_at, changed_by, changed_at;
