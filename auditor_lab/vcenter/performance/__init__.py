"""The performance counters: their list, their samples, and the load behind them."""
