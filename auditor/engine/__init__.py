"""Rule files, evaluation, planning, self-test: pure, no network, no clock."""
