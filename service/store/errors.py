"""What can go wrong with the store."""


class StoreUnavailableError(Exception):
    """The store is away, failing or refusing; nothing was half applied.

    A write that ends so was applied whole or not at all. The message says why, for
    the log, and holds no stored value.
    """


class EmbeddedStoreError(Exception):
    """The embedded store cannot run; the message is one sentence for the operator."""
