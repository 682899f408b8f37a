-- materialize: table
-- One row per host and device, in numbers and keys: what it is, its paths, and how they are chosen. `fewest_active_paths` is of all hosts of its vCenter
-- that see the device, `most_active_paths` of those that are like this one, and both are NULL unless the paths of each of these were read whole.
-- Hosts that detached it count for nothing.
-- Hosts that differ by design are not alike, and the one with fewer paths is not held to the others:
-- * they reach the device by another transport, or have another number of adapters for it; a software iSCSI adapter counts as often as VMkernel
--   adapters are bound to it, each of which is a port of its own (docs/domain/facts.md#5-4). One that has as many VMkernel adapters in the subnets
--   of its targets as are bound on the other, or more bound and fewer paths, has lost some of them: it does not differ by design;
-- * they are of clusters of their own, and several hosts of each cluster see it;
-- * with as many adapters in use, they reach other ports of the array, and at least one more host reaches the same ports by as many paths: the
--   far site of a metro cluster, or another group of ports;
-- * another device is seen by more paths from this one: each of two hosts may be near to an array of its own.
-- A host that alone has lost paths is none of these. Where the host's adapters were not read, or its paths do not say how they travel or travel in
-- two ways, nobody knows which hosts are alike.
-- `paths_differ`: vCenter's copy of its paths is not what the host's own esxcli lists; `policies_differ`: likewise of how they are chosen. The copy can be
-- days old (vCheck-vSphere#201): what rests on it is unknown until the host's storage is refreshed.
WITH chosen AS (
    SELECT n.host_number, m.device_number, p.policy_key, p.working_paths
    FROM step_policy_options AS p
    JOIN step_host_number AS n USING (endpoint, host_id)
    JOIN step_device_number AS m USING (device)
),
contradicted AS (
    -- A host has many devices, and few pairs of a set of paths and a policy.
    SELECT
        s.set_key,
        o.policy_key,
        coalesce(paths_differ(s.active_paths, s.working_paths, o.working_paths, o.psp), false) AS paths_differ,
        coalesce(s.psp <> o.psp, false) OR coalesce(s.satp <> o.satp, false) AS policies_differ
    FROM (
        SELECT DISTINCT p.set_key, c.policy_key FROM step_path_row AS p JOIN chosen AS c USING (host_number, device_number)
    ) AS x
    JOIN step_path_set AS s USING (set_key)
    JOIN step_policy AS o USING (policy_key)
),
joined AS (
    SELECT
        d.host_number,
        d.device_number,
        d.inquiry_number,
        d.is_protocol_endpoint,
        d.is_shared,
        n.endpoint_number,
        coalesce(i.is_detached, false) AS is_detached,
        r.paths_read,
        p.set_key,
        c.policy_key,
        CASE WHEN p.set_key IS NULL THEN r.paths_read AND coalesce(c.working_paths > 0, false) ELSE coalesce(x.paths_differ, false) END AS paths_differ,
        coalesce(x.policies_differ, false) AS policies_differ,
        s.undetermined,
        s.active_paths
    FROM step_device_row AS d
    JOIN step_host_number AS n USING (host_number)
    JOIN step_host_reading AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id
    LEFT JOIN step_inquiry AS i USING (inquiry_number)
    LEFT JOIN step_path_row AS p USING (host_number, device_number)
    LEFT JOIN step_path_set AS s USING (set_key)
    LEFT JOIN chosen AS c USING (host_number, device_number)
    LEFT JOIN contradicted AS x ON x.set_key = p.set_key AND x.policy_key = c.policy_key
),
counted AS (
    SELECT
        * EXCLUDE (paths_read, undetermined, active_paths),
        CASE WHEN paths_read AND coalesce(undetermined, 0) = 0 AND NOT paths_differ THEN coalesce(active_paths, 0) END AS active_paths
    FROM joined
),
seen AS (
    SELECT
        endpoint_number,
        device_number,
        count(*) AS hosts,
        bit_xor(hash(host_number, set_key)) AS digest,
        CASE WHEN count(active_paths) = count(*) THEN min(active_paths) END AS fewest,
        CASE WHEN count(active_paths) = count(*) THEN max(active_paths) END AS most
    FROM counted
    WHERE NOT is_detached
    GROUP BY endpoint_number, device_number
),
kind AS (
    -- Devices that the same hosts see by the same paths are worked out once, and only where hosts differ.
    SELECT endpoint_number, hosts, digest, min(device_number) AS device_number
    FROM seen
    WHERE fewest < most
    GROUP BY ALL
),
bound AS (
    SELECT endpoint, host_id, hba, count(*) AS vmknics FROM fact.iscsi_portal GROUP BY ALL
),
binding AS (
    SELECT
        endpoint,
        scope AS host_id,
        bool_and(complete) FILTER (WHERE topic = 'port_binding') AS is_read,
        bool_and(complete) FILTER (WHERE topic = 'network') AS is_network_read
    FROM fact.reading
    WHERE topic IN ('port_binding', 'network')
    GROUP BY ALL
),
portal AS (
    SELECT endpoint, host_id, hba, address FROM fact.iscsi_target WHERE kind = 'static' GROUP BY ALL
),
near AS (
    -- VMkernel adapters in the subnet of a target, bound or not; those of another TCP/IP stack than the host's own are for something else.
    SELECT p.endpoint, p.host_id, p.hba, count(DISTINCT n.vmk) AS vmknics
    FROM portal AS p
    JOIN fact.vmknic AS n
        ON n.endpoint = p.endpoint AND n.host_id = p.host_id AND ipv4(n.ip) & ipv4(n.subnet_mask) = ipv4(p.address) & ipv4(n.subnet_mask)
    WHERE coalesce(n.stack, 'defaultTcpipStack') = 'defaultTcpipStack'
    GROUP BY ALL
),
spoken AS (
    -- Adapters for NVMe over Fibre Channel have paths of Fibre Channel, and are beside those that speak SCSI on the same ports.
    SELECT s.set_key, bool_and(b.kind = 'nvme') AS by_nvme
    FROM step_path_of_set AS s
    JOIN step_host_number AS n USING (host_number)
    JOIN fact.hba AS b ON b.endpoint = n.endpoint AND b.host_id = n.host_id AND b.hba = s.hba
    GROUP BY s.set_key
),
matched AS (
    -- The adapters of a host that are of the kind by which it reaches the devices of a set; where one kind holds what is not storage's as well, or disks
    -- within the host, each of which is an adapter of its own (NVMe), of its driver. Both are NULL where a kind or a driver is not known.
    SELECT
        s.set_key,
        r.hbas_read,
        b.hba,
        b.kind = CASE WHEN s.transport = 'sas' THEN 'block' WHEN k.by_nvme THEN 'nvme' ELSE s.transport END AS is_of_kind,
        (s.transport IN ('fc', 'fcoe') AND NOT coalesce(k.by_nvme, false)) OR v.driver IS NULL OR b.driver = v.driver AS is_of_driver,
        s.transport = 'iscsi' AND coalesce(b.is_software, b.driver = 'iscsi_vmk', true) AS is_bound,
        CASE
            WHEN NOT is_bound THEN 1
            WHEN g.is_read THEN coalesce(w.vmknics, 1)  -- where none is bound, the routing table chooses one VMkernel adapter
        END AS ports,
        is_bound AND g.is_read AND w.vmknics IS NULL AS is_routed,
        CASE WHEN NOT is_bound THEN 1 WHEN g.is_network_read THEN greatest(ports, y.vmknics) END AS ports_at_most
    FROM step_path_set AS s
    JOIN step_host_number AS n USING (host_number)
    JOIN step_host_reading AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id
    LEFT JOIN spoken AS k USING (set_key)
    LEFT JOIN step_driver AS v USING (driver_number)
    LEFT JOIN fact.hba AS b ON b.endpoint = n.endpoint AND b.host_id = n.host_id
    LEFT JOIN bound AS w ON w.endpoint = b.endpoint AND w.host_id = b.host_id AND w.hba = b.hba
    LEFT JOIN near AS y ON y.endpoint = b.endpoint AND y.host_id = b.host_id AND y.hba = b.hba
    LEFT JOIN binding AS g ON g.endpoint = n.endpoint AND g.host_id = n.host_id
),
ported AS (
    SELECT
        set_key,
        CASE
            WHEN any_value(hbas_read) AND count(ports) FILTER (is_of_kind AND is_of_driver) = count(hba) FILTER (coalesce(is_of_kind AND is_of_driver, true))
            THEN CAST(coalesce(sum(ports) FILTER (is_of_kind AND is_of_driver), 0) AS BIGINT)
        END AS ports,
        CASE
            WHEN count(ports_at_most) FILTER (is_of_kind AND is_of_driver) = count(hba) FILTER (is_of_kind AND is_of_driver)
            THEN CAST(coalesce(sum(ports_at_most) FILTER (is_of_kind AND is_of_driver), 0) AS BIGINT)
        END AS ports_at_most,
        bool_or(is_bound) FILTER (is_of_kind AND is_of_driver) AS is_bound,
        bool_and(is_routed) FILTER (is_of_kind AND is_of_driver) AS is_routed
    FROM matched
    GROUP BY set_key
),
member AS (
    SELECT
        k.endpoint_number,
        k.device_number,
        c.host_number,
        c.active_paths,
        n.place_number,
        s.transport,
        s.adapters,
        s.target_list,
        CASE WHEN s.transport IS NOT NULL THEN p.ports END AS ports,
        p.ports_at_most,
        coalesce(p.is_bound, false) AS is_bound,
        p.is_routed
    FROM kind AS k
    JOIN counted AS c USING (endpoint_number, device_number)
    JOIN step_host_number AS n USING (host_number)
    LEFT JOIN step_path_set AS s USING (set_key)
    LEFT JOIN ported AS p USING (set_key)
    WHERE NOT c.is_detached
),
neighbourhood AS (
    SELECT endpoint_number, device_number, place_number, count(*) AS hosts FROM member GROUP BY ALL
),
twin AS (
    SELECT endpoint_number, device_number, transport, ports, adapters, target_list, active_paths, count(*) AS hosts FROM member GROUP BY ALL
),
placed AS (
    SELECT m.*, h.hosts > 1 AS has_neighbours, coalesce(t.hosts > 1, false) AS has_twins
    FROM member AS m
    JOIN neighbourhood AS h USING (endpoint_number, device_number, place_number)
    LEFT JOIN twin AS t USING (endpoint_number, device_number, transport, ports, adapters, target_list, active_paths)
),
pair AS (
    SELECT
        a.endpoint_number,
        a.device_number,
        a.host_number,
        b.host_number AS other_number,
        b.active_paths AS other_paths,
        a.transport,
        a.is_bound AND b.is_bound AND a.ports_at_most >= b.ports AS has_lost_ports,
        a.adapters IS NOT NULL
            AND (a.ports IS NULL OR b.ports IS NULL OR (a.is_bound AND b.is_bound AND a.ports < b.ports AND a.ports_at_most IS NULL)) AS is_open,
        CASE
            WHEN a.transport <> b.transport THEN 'another transport'
            WHEN a.ports <> b.ports AND NOT has_lost_ports THEN CASE a.transport WHEN 'iscsi' THEN 'another number of iSCSI ports' ELSE 'another number of adapters' END
            WHEN a.place_number <> b.place_number AND a.has_neighbours AND b.has_neighbours THEN 'another cluster'
            WHEN a.target_list <> b.target_list AND a.adapters = b.adapters AND a.has_twins THEN 'other ports of the array'
        END AS difference
    FROM placed AS a
    JOIN placed AS b USING (endpoint_number, device_number)
    WHERE a.active_paths < b.active_paths
),
crossed AS (
    SELECT DISTINCT host_number AS other_number, other_number AS host_number, transport FROM pair
),
compared AS (
    SELECT
        p.endpoint_number,
        p.device_number,
        p.host_number,
        p.other_paths,
        p.is_open,
        CASE WHEN p.difference IS NULL AND x.host_number IS NOT NULL THEN 'each is nearer to another array' ELSE p.difference END AS difference
    FROM pair AS p
    LEFT JOIN crossed AS x USING (host_number, other_number, transport)
),
peer AS (
    SELECT
        m.endpoint_number,
        m.device_number,
        m.host_number,
        CASE
            WHEN count(*) FILTER (WHERE c.difference IS NULL AND NOT c.is_open) > 0
            THEN max(c.other_paths) FILTER (WHERE c.difference IS NULL AND NOT c.is_open)
            WHEN count(*) FILTER (WHERE c.difference IS NULL AND c.is_open) = 0 THEN any_value(m.active_paths)
        END AS most,
        any_value(
            CASE
                WHEN m.is_routed THEN m.transport || ' without binding'
                ELSE
                    m.transport
                    || ' by '
                    || m.ports
                    || CASE WHEN m.ports_at_most > m.ports THEN ' of ' || m.ports_at_most ELSE '' END
                    || CASE m.transport WHEN 'iscsi' THEN ' port' ELSE ' adapter' END
                    || CASE WHEN greatest(m.ports, m.ports_at_most) = 1 THEN '' ELSE 's' END
            END
        ) AS compared_by,
        few_distinct(c.difference) AS not_compared
    FROM member AS m
    LEFT JOIN compared AS c USING (endpoint_number, device_number, host_number)
    GROUP BY m.endpoint_number, m.device_number, m.host_number
)
SELECT
    c.host_number,
    c.device_number,
    c.inquiry_number,
    c.is_protocol_endpoint,
    c.is_shared,
    c.set_key,
    c.policy_key,
    c.paths_differ,
    c.policies_differ,
    CAST(s.fewest AS INTEGER) AS fewest_active_paths,
    CAST(CASE WHEN p.host_number IS NULL THEN s.most ELSE p.most END AS INTEGER) AS most_active_paths,
    p.compared_by,
    p.not_compared
FROM counted AS c
LEFT JOIN seen AS s USING (endpoint_number, device_number)
LEFT JOIN kind AS k ON s.fewest < s.most AND k.endpoint_number = s.endpoint_number AND k.hosts = s.hosts AND k.digest = s.digest
LEFT JOIN peer AS p ON p.endpoint_number = k.endpoint_number AND p.device_number = k.device_number AND p.host_number = c.host_number;
