"""The searches, compiled by numba."""
