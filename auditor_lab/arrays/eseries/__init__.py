"""A simulated SANtricity Web Services, with the storage systems behind it."""
