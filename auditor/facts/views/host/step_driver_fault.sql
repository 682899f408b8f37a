-- materialize: view
-- Drivers of storage adapters that a vendor's document names as faulty: from a version on, below another; an entry for one version alone has both alike
-- but for the last number. A document is about the drivers made for the releases that `made_for` names, as the driver's own version has them (550: ESXi 5.5):
-- what those of others do it does not say. A driver that is on no line is not known to be good: it is on no sheet.
-- Sources, read in the documents' own text:
--   lpfc before 10.2.455.0 on ESXi 5.5: Huawei support bulletin "Emulex LPe12002 HBA multipathing fails to be switched",
--     https://forum.huawei.com/enterprise/en/emulex-lpe12002-hba-multipathing-fails-to-be-switched/thread/711603-100439
--   lpfc 14.4.390.20 as ESXi 9.0.1 brings it (900.14.4.390.20-36vmw.901): Broadcom KB 426284,
--     https://knowledge.broadcom.com/external/article/426284/psod-on-an-esx-host-with-pf-exception-14.html
-- The prefix 900. of the drivers of ESXi 9 is left out of the comparison.
SELECT * FROM (VALUES
    ('lpfc', '55[0-9]', [10, 0], [10, 2, 455, 0], 'does not report a lost path, so that no other is taken, before 10.2.455.0 (Huawei, LPe12002)'),
    ('lpfc', '90[0-9]', [14, 4, 390, 20], [14, 4, 390, 21], 'stops the host while the array is serviced (Broadcom KB 426284)')
) AS t (module, made_for, first_version, fixed_version, fault);
