"""Where games live: a Redis-compatible store behind one small protocol."""
