-- materialize: table
-- What the adaptive queue depth of each device does: (device, sample size, threshold) and how many hosts have it so. A sample size of 0 is off, whatever
-- the threshold is: hosts that have it off are one row, with the lowest threshold of theirs.
-- Source: KB 311232, "set QFullSampleSize to a value greater than zero".
SELECT device, sample_size, CASE WHEN sample_size = 0 THEN min(threshold) ELSE own_threshold END AS threshold, count(*) AS hosts
FROM (SELECT *, CASE WHEN sample_size = 0 THEN NULL ELSE threshold END AS own_threshold FROM step_queue_full_row)
GROUP BY device, sample_size, own_threshold;
