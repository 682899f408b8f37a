-- Inquiry vendor and model to array family. NULL when the inquiry was not read, 'other' when nobody here knows it.
-- Source: multipath-tools hwtable.c at c2fcdaf (vendor and product strings), in the order of facts.md section 11; FibreCAT SX from the
-- incident report S4 (its inquiry strings are unverified).
CREATE VIEW step_family AS
WITH inquiry AS (SELECT DISTINCT vendor, model FROM fact.device)
SELECT
    vendor,
    model,
    CASE
        WHEN vendor IS NULL OR model IS NULL THEN NULL
        WHEN vendor = 'SolidFir' AND starts_with(model, 'SSD SAN') THEN 'solidfire'
        WHEN vendor = 'PURE' AND starts_with(model, 'FlashArray') THEN 'flasharray'
        WHEN vendor = 'NETAPP' AND starts_with(model, 'LUN') THEN 'ontap'
        WHEN vendor = 'COMPELNT' AND starts_with(model, 'Compellent Vol') THEN 'dell-sc'
        WHEN vendor = 'FUJITSU' AND starts_with(model, 'ETERNUS_DX') THEN 'eternus-dx'
        WHEN vendor = 'FUJITSU' AND starts_with(model, 'ETERNUS_AHB') THEN 'eternus-ahb'
        WHEN model ILIKE 'FibreCAT%SX%' THEN 'fibrecat-sx'
        WHEN vendor = 'DELL' AND starts_with(model, 'MD3') THEN 'powervault-md3'
        WHEN vendor = 'EQLOGIC' AND starts_with(model, '100E-00') THEN 'equallogic'
        WHEN vendor = 'DellEMC' AND starts_with(model, 'PowerStore') THEN 'powerstore'
        WHEN vendor = 'DellEMC' AND starts_with(model, 'ME') THEN 'powervault-me'
        WHEN vendor = 'EMC' AND starts_with(model, 'SYMMETRIX') THEN 'symmetrix'
        WHEN vendor = 'DGC' THEN 'clariion'
        WHEN vendor = 'XtremIO' AND starts_with(model, 'XtremApp') THEN 'xtremio'
        WHEN vendor = '3PARdata' AND starts_with(model, 'VV') THEN '3par'
        WHEN vendor = 'Nimble' AND starts_with(model, 'Server') THEN 'nimble'
        WHEN vendor = 'IBM' AND starts_with(model, '2145') THEN 'svc'
        WHEN vendor = 'IBM' AND starts_with(model, '2810XIV') THEN 'xiv'
        WHEN vendor = 'HITACHI' AND starts_with(model, 'OPEN-') THEN 'hitachi'
        WHEN vendor = 'KMNRIO' AND starts_with(model, 'K2') THEN 'kaminario'
        WHEN vendor = 'NFINIDAT' AND starts_with(model, 'InfiniBox') THEN 'infinibox'
        ELSE 'other'
    END AS family
FROM inquiry;
