"""Object stores behind fsspec: S3 and what speaks its API, Google Cloud Storage, Azure."""
