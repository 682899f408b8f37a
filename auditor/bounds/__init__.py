"""Limits on what is read and run: sizes of files, lengths of answers, processes that are watched."""
