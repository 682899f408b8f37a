-- materialize: view
-- The newest change of each host after the baseline was taken that may have been one of a kind of setting, as far as vCenter's log tells.
-- No event tells of esxcli (DSNRO, queue depths), so of these only host profiles may be known. Source: collectors/vcenter_changes.py.
WITH own AS (
    SELECT * FROM (VALUES
        ('option', 'option.optionmanager.updatevalues'),
        ('parameter', 'host.kernelmodulesystem.updatemoduleoptionstring'),
        ('path_policy', 'host.storagesystem.setmultipathlunpolicy'),
        ('delayed_ack', 'host.storagesystem.updateinternetscsiadvancedoptions')
    ) AS t (kind, what)
),
anything AS (
    SELECT * FROM (VALUES
        ('profile.host.profilemanager.applyhostconfiguration'),
        ('profile.host.profilemanager.applyentitiesconfiguration'),
        ('hostprofileappliedevent'),
        ('hostconfigappliedevent')
    ) AS t (what)
),
kind AS (
    SELECT * FROM (VALUES ('option'), ('parameter'), ('path_policy'), ('delayed_ack'), ('dsnro'), ('queue_depth')) AS t (kind)
),
could AS (
    SELECT kind, what FROM own
    UNION ALL
    SELECT k.kind, a.what FROM kind AS k CROSS JOIN anything AS a
)
SELECT
    e.endpoint,
    e.entity_id AS host_id,
    c.kind,
    max(e.happened_at) AS changed_at,
    nullif(arg_max(coalesce(e.user_name, ''), (e.happened_at, coalesce(e.user_name, ''))), '') AS changed_by
FROM fact.change_event AS e
JOIN fact.baseline AS m ON m.kind = 'made'
JOIN could AS c ON c.what = lower(e.what)
WHERE e.entity_kind = 'host' AND e.happened_at > m.taken_at
GROUP BY e.endpoint, e.entity_id, c.kind;
