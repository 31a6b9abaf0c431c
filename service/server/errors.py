"""What can go wrong before the service serves."""


class ServeError(Exception):
    """The service cannot start; the message is one sentence for the operator."""
