-- materialize: table
-- One row per host, iSCSI adapter and static target.
-- The target's name identifies the family. Source: Element and Pure IQN prefixes as in recorded answers and vendor examples (docs/domain/arrays.md#device-names);
-- EqualLogic's from vendor examples. 'other' when the name says nothing.
SELECT
    t.endpoint,
    t.host_id || '/' || t.hba || '/' || t.address || ':' || t.port || '/' || t.iqn AS resource_id,
    t.iqn AS resource_name,
    h.cluster,
    h.name AS host,
    t.host_id,
    h.version,
    t.hba,
    t.kind,
    t.address,
    CAST(t.port AS VARCHAR) AS port,
    t.iqn,
    CASE
        WHEN t.iqn IS NULL THEN NULL
        WHEN starts_with(t.iqn, 'iqn.2010-01.com.solidfire:') THEN 'solidfire'
        WHEN starts_with(t.iqn, 'iqn.2010-06.com.purestorage:') THEN 'flasharray'
        WHEN starts_with(t.iqn, 'iqn.2001-05.com.equallogic:') THEN 'equallogic'
        ELSE 'other'
    END AS family,
    t.delayed_ack,
    t.delayed_ack_inherited
FROM fact.iscsi_target AS t
JOIN fact.host AS h USING (endpoint, host_id)
WHERE t.kind = 'static';
