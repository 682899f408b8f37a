-- materialize: view
-- The drivers that are known here: the parameter that sets the queue depth of a device, NULL where there is none, and its stock value, NULL where no
-- source gives one figure. A driver that is not listed is known to nobody, a vendor's own name of a listed one included.
-- Source: docs/domain/facts.md#2 (iscsi_vmk, qlnativefc, fnic, bfa: docs/domain/incidents.md#s2 and vendor material; nfnic: the module's own help text;
-- lpfc: 30 or 32 by driver version, so no figure; NVMe: no parameter per device).
SELECT * FROM (VALUES
    ('iscsi_vmk', 'iscsivmk_LunQDepth', 128),
    ('qlnativefc', 'ql2xmaxqdepth', 64),
    ('qla2xxx', 'ql2xmaxqdepth', 64),
    ('lpfc', 'lpfc_lun_queue_depth', NULL),
    ('lpfc820', 'lpfc_lun_queue_depth', NULL),
    ('nfnic', 'lun_queue_depth_per_path', 32),
    ('fnic', 'fnic_max_qdepth', 32),
    ('bfa', 'bfa_lun_queue_depth', 32),
    ('nvme_pcie', NULL, NULL),
    ('nvmetcp', NULL, NULL),
    ('nvmerdma', NULL, NULL)
) AS t (module, depth_parameter, stock_depth);
