"""A simulated Dell Storage Center behind the REST interface of its Storage Manager."""
