"""Storing games: a Redis-compatible store behind one small protocol."""
