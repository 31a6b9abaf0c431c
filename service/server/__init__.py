"""Running the service: the embedded store, then worker processes over it."""


class ServeError(Exception):
    """The service cannot start; the message is one sentence for the operator."""
