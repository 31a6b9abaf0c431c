"""The use cases: games as they are started, played, stored and shown."""
