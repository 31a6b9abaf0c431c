"""The HTTP API: what is asked in JSON, what is answered, and how it is described."""
