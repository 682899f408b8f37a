-- materialize: table
-- The parameters of an iSCSI adapter (target '') or of one of its targets, a column each; NULL where the host does not tell one.
SELECT
    endpoint,
    host_id,
    hba,
    target,
    max(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'LoginTimeout') AS login_timeout_seconds,
    max(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'NoopOutInterval') AS noop_out_interval_seconds,
    max(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'NoopOutTimeout') AS noop_out_timeout_seconds,
    max(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'RecoveryTimeout') AS recovery_timeout_seconds,
    bool_or(TRY_CAST(value AS BOOLEAN)) FILTER (WHERE key = 'DelayedAck') AS delayed_ack,
    bool_or(is_inherited) FILTER (WHERE key = 'LoginTimeout') AS login_timeout_inherited
FROM fact.iscsi_option
GROUP BY endpoint, host_id, hba, target;
