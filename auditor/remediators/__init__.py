"""Read and write one setting each; no policy here: applying.py decides about writing."""
