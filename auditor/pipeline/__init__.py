"""The stages of an audit and a fix, from request to report: collect, evaluate, plan, apply."""
