-- materialize: view
-- Outstanding commands one virtual disk may send by its controller; NULL where no source was found.
-- Source: VMware KB 2053145 (PVSCSI 64 a device by default), as copied by third parties; LSI 32 fixed, third-party table (docs/domain/facts.md#8-1). A
-- Linux guest's current pvscsi driver sends 254 (docs/domain/facts.md#8-2): vCenter cannot see that, so a rule takes the deepest disk as a parameter too.
SELECT * FROM (VALUES
    ('pvscsi', 64),
    ('lsilogic', 32),
    ('lsilogic-sas', 32)
) AS t (controller, depth);
