"""The HTTP API: requests and responses in JSON, and their description."""
