-- materialize: table
-- One row per vCenter and device name: what is the same for every host that sees it. The family is NULL where hosts report two.
WITH seen AS (
    SELECT n.place_number, d.device_number, d.inquiry_number
    FROM step_device_row AS d
    JOIN step_host_number AS n USING (host_number)
    GROUP BY ALL
)
SELECT
    p.endpoint,
    m.device,
    one_family(believed_family(i.family, m.name_family)) AS family,
    min(x.hosts) AS hosts,
    min(x.host_names) AS host_names
FROM seen AS s
JOIN step_place AS p USING (place_number)
LEFT JOIN step_device_number AS m USING (device_number)
LEFT JOIN step_inquiry AS i USING (inquiry_number)
LEFT JOIN step_device_hosts AS x USING (device_number)
GROUP BY p.endpoint, m.device;
