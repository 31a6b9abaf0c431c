"""The searches, compiled by Numba."""
