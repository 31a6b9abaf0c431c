"""What can go wrong with the store."""


class StoreUnavailableError(Exception):
    """The store is unavailable, fails or refuses; nothing was applied in part.

    A write that fails this way was applied completely or not at all. The message says
    why, for the log, and holds no stored value.
    """


class EmbeddedStoreError(Exception):
    """The embedded store cannot run; the message is one sentence for the operator."""
