"""Crash-safe record of every write: the intent is on disk before the write it announces, the receipt after it.

One file a run, `<run>.jsonl`, only ever appended to by the one process that made it. What a later run finds out about an
earlier one stands in the later one's file and names the intent by run and line.
"""

from auditor.journal.reading import Entry, History, Recorded, history, open_intents, read_journal
from auditor.journal.records import Intent
from auditor.journal.writing import Journal, open_journal

__all__ = ["Entry", "History", "Intent", "Journal", "Recorded", "history", "open_intents", "open_journal", "read_journal"]
