-- One row per vCenter and device name: what is the same for every host that sees it.
CREATE VIEW step_seen_device AS
SELECT endpoint, device, min(family) AS family, min(hosts) AS hosts, min(host_names) AS host_names
FROM device
GROUP BY endpoint, device;
