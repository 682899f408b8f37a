-- materialize: table
-- What the adaptive queue depth of each device does: (device, sample size, threshold) and how many hosts have it so.
SELECT device, sample_size, threshold, count(*) AS hosts
FROM step_queue_full_row
GROUP BY ALL;
