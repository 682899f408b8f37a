-- materialize: view
-- One row per virtual disk: how many commands its guest's driver sends for it while the machine runs, at least and at most. `depth_at_most` is
-- NULL where no bound is known, `runs` where the power state was not read.
SELECT
    d.endpoint,
    d.vm_id,
    d.disk,
    d.datastore_id,
    g.runs,
    coalesce(own.at_least, any_guest.at_least, 1) AS depth_at_least,
    CASE WHEN own.controller IS NOT NULL THEN own.at_most ELSE any_guest.at_most END AS depth_at_most
FROM fact.vm_disk AS d
JOIN step_guest AS g USING (endpoint, vm_id)
LEFT JOIN step_controller_depth AS own ON own.controller = d.controller AND own.guest = g.guest AND g.guest <> ''
LEFT JOIN step_controller_depth AS any_guest ON any_guest.controller = d.controller AND any_guest.guest = '';
