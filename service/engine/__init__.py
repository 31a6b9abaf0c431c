"""The rules of the family: cards, deals, variants, positions and play.

All functions are pure and all values immutable. Nothing here uses HTTP, a store, a
clock or randomness.
"""
