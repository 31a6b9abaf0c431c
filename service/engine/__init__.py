"""The rules of the family: cards, deals, variants, positions and play.

Pure and immutable: nothing here knows of HTTP, of a store, of a clock or of
randomness of its own.
"""
