-- materialize: table
-- Each load that a device had on a host, once: of most devices of a host the figures are the same, as they are idle.
SELECT DISTINCT ON (load_key)
    load_key,
    samples,
    window_begin,
    sampled_at,
    commands_per_second,
    busy_samples,
    gavg_ms,
    davg_ms,
    kavg_ms,
    qavg_ms,
    davg_median_ms,
    kavg_max_ms,
    kavg_run_over_1ms,
    kavg_run_over_2ms,
    max_queue_depth,
    commands_aborted,
    bus_resets,
    troubled_samples
FROM step_load_figures;
