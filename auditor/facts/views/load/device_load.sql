-- materialize: view
-- One row per host and block device or protocol endpoint, with how its queue did over the last five minutes; see table device_load.
-- Without samples of it every figure is NULL. An idle device waits for nothing: its latencies are 0, and `commands_per_second` says why.
SELECT * EXCLUDE (class_number, load_key) FROM step_load_of_class;
