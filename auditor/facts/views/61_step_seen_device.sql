-- One row per vCenter and device name: what is the same for every host that sees it.
CREATE VIEW step_seen_device AS
SELECT
    endpoint,
    device,
    any_value(family) AS family,
    any_value(hosts) AS hosts,
    any_value(host_names) AS host_names
FROM device
GROUP BY ALL;
