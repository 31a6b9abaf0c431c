"""The commands of `accordion`, one module each."""
