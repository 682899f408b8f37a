"""Sessions with endpoints: log in, ask, log out; no facts and no policy here."""
