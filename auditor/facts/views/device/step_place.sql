-- materialize: view
-- One row per cluster of a vCenter, or host that is in none, under its number of step_host_number.
SELECT DISTINCT place_number, endpoint, domain_id, cluster FROM step_host_number;
