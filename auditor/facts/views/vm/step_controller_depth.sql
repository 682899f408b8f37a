-- materialize: view
-- Commands that a guest's driver sends for one virtual disk unless somebody changed it in the guest, by controller and guest: at least, and at
-- most (NULL: no bound is known). A row of guest '' is for every guest that has no row of its own. vCenter reports what the guest is, not how
-- its driver is set. Source for each row: docs/domain/facts.md#8-4.
SELECT * FROM (VALUES
    ('pvscsi', 'windows', 64, 64),
    ('pvscsi', 'linux-254', 254, 254),
    ('pvscsi', '', 64, 254),
    ('lsilogic', '', 32, 32),
    ('lsilogic-sas', '', 32, 32),
    ('buslogic', '', 1, 64),
    ('sata', '', 1, 32),
    ('ide', '', 1, 1),
    ('nvme', '', 1, NULL)
) AS t (controller, guest, at_least, at_most);
