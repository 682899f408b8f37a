-- materialize: view
-- The load of each device on each host under a key: loads whose figures are all the same have the same one.
SELECT
    *,
    hash(
        samples, window_begin, sampled_at, commands_per_second, busy_samples, gavg_ms, davg_ms, kavg_ms, qavg_ms, davg_median_ms, kavg_max_ms,
        kavg_run_over_1ms, kavg_run_over_2ms, max_queue_depth, commands_aborted, bus_resets, troubled_samples
    ) AS load_key
FROM fact.device_load;
