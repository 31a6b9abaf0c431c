"""Running the service: the embedded store, then worker processes over it."""
