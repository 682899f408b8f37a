-- materialize: table
-- What the claim rules of a host give to the kinds of devices that it has. Rules for a driver go first, then those for a vendor and model, then those for a
-- transport; in each, one that somebody added goes before the build's, and one that names the model before one for all of a vendor (the latter two are not
-- verified). `is_named` is NULL where a rule that may go first may not name the kind, or gives something else than another: a pattern that no document
-- describes, a driver's, two that differ, options that say two things. Where only the build's own rules leave it open it is false: they go by answers that are not read.
-- A rule for any vendor, model and driver that gives nothing itself is no rule here.
-- Source: vSphere storage guide, "Considerations for multipathing and claim rules" (drivers, vendors, transports); facts/macros.py of the texts.
WITH alike AS (
    -- A host's devices are of few kinds, and a rule goes by nothing else.
    SELECT DISTINCT d.host_number, s.satp, i.vendor, i.model, s.transport
    FROM step_device_path AS d
    JOIN step_path_set AS s USING (set_key)
    JOIN step_inquiry AS i USING (inquiry_number)
),
driver AS (
    SELECT endpoint, host_id, list(DISTINCT driver) AS drivers, count(*) > count(driver) AS any_nameless FROM fact.hba GROUP BY ALL
),
rule AS (
    SELECT
        r.endpoint,
        r.host_id,
        r.satp,
        r.vendor,
        r.model,
        r.driver,
        r.transport,
        r.rule_group,
        r.default_psp,
        r.psp_options,
        CASE WHEN r.driver = '' AND coalesce(r.claim_options, '') IN ('', 'tpgs_on', 'tpgs_off') AND r.vendor || r.model || r.transport <> '' THEN true END
            AS is_clear,
        CASE WHEN r.driver <> '' THEN 0 WHEN r.vendor || r.model <> '' THEN 4 ELSE 8 END
            + CASE WHEN r.rule_group = 'user' THEN 0 ELSE 2 END + CASE WHEN r.model <> '' THEN 0 ELSE 1 END AS place
    FROM fact.satp_rule AS r
    LEFT JOIN driver AS b USING (endpoint, host_id)
    WHERE r.device = ''
        AND (r.driver = '' OR list_contains(b.drivers, r.driver) OR coalesce(b.any_nameless, true))
        AND (r.driver || r.vendor || r.model <> '' OR r.default_psp || r.psp_options <> '')
),
matched AS (
    SELECT
        n.endpoint,
        n.host_id,
        a.satp,
        a.vendor,
        a.model,
        a.transport,
        r.rule_group,
        r.default_psp,
        r.psp_options,
        r.place,
        claims_exactly(r.vendor, a.vendor) AND claims_model(r.model, a.model) AND (r.transport = '' OR r.transport = a.transport) AND r.is_clear AS names_it
    FROM alike AS a
    JOIN step_host_number AS n USING (host_number)
    JOIN rule AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id AND r.satp = a.satp
),
first AS (
    SELECT endpoint, host_id, satp, vendor, model, transport, min(place) FILTER (WHERE names_it) AS place
    FROM matched
    GROUP BY ALL
),
given AS (
    SELECT
        m.endpoint,
        m.host_id,
        m.satp,
        m.vendor,
        m.model,
        m.transport,
        bool_or(coalesce(m.names_it, false)) AND count(DISTINCT m.default_psp) = 1 AND count(DISTINCT m.psp_options) = 1
            AND bool_and(clear_round_robin(m.psp_options) IS NOT NULL) AS is_clear,
        bool_or(m.rule_group = 'user') AS any_added,
        min(m.rule_group) FILTER (WHERE m.names_it) AS rule_group,  -- one: a place has one group
        min(m.default_psp) AS default_psp,  -- one, as is_clear says, and so the options
        min(m.psp_options) AS psp_options
    FROM matched AS m
    JOIN first AS f
        ON f.endpoint = m.endpoint AND f.host_id = m.host_id AND f.satp = m.satp AND f.vendor IS NOT DISTINCT FROM m.vendor
        AND f.model IS NOT DISTINCT FROM m.model AND f.transport IS NOT DISTINCT FROM m.transport
    WHERE m.place = f.place AND m.names_it OR m.names_it IS NULL AND (f.place IS NULL OR m.place <= f.place)
    GROUP BY m.endpoint, m.host_id, m.satp, m.vendor, m.model, m.transport
)
SELECT
    endpoint,
    host_id,
    satp,
    vendor,
    model,
    transport,
    CASE WHEN is_clear THEN true WHEN NOT any_added THEN false END AS is_named,
    CASE WHEN is_clear THEN rule_group END AS rule_group,
    CASE WHEN is_clear THEN default_psp END AS default_psp,
    CASE WHEN is_clear THEN psp_options END AS psp_options
FROM given;
