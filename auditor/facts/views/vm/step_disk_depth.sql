-- materialize: view
-- One row per virtual disk: how many commands its guest's driver sends for it while the machine runs, at least and at most: as the guest itself
-- says, else by controller and guest. `depth_at_most` is NULL where no bound is known, `runs` where the power state was not read.
SELECT
    d.endpoint,
    d.vm_id,
    d.disk,
    d.datastore_id,
    g.runs,
    coalesce(told.at_least, own.at_least, any_guest.at_least, 1) AS depth_at_least,
    CASE WHEN told.vm_id IS NOT NULL THEN told.at_most WHEN own.controller IS NOT NULL THEN own.at_most ELSE any_guest.at_most END AS depth_at_most
FROM fact.vm_disk AS d
JOIN step_guest AS g USING (endpoint, vm_id)
LEFT JOIN step_told_depth AS told ON told.endpoint = d.endpoint AND told.vm_id = d.vm_id AND told.controller = d.controller
LEFT JOIN step_controller_depth AS own ON own.controller = d.controller AND own.guest = g.guest AND g.guest <> ''
LEFT JOIN step_controller_depth AS any_guest ON any_guest.controller = d.controller AND any_guest.guest = '';
