"""The use cases: starting, playing, storing and showing games."""
