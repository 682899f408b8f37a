"""Rules tried over grids of values: where a verdict turns, and which rules contradict each other."""
