"""An ETERNUS answers in lines, not in fields; `auditor.recording.command_lines` says which of their columns a recording keeps."""

KEPT = ""
