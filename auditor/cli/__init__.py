"""The command line: parse, call stages, print, exit code."""
