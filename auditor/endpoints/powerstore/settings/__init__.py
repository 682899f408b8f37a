"""The settings of this kind that a fix can write: one module each, with read and write."""
