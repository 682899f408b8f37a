"""What the folders of endpoint kinds share: TLS, HTTPS, host keys, secrets, sessions, records."""
