"""The store: its interface, and its implementation on servers that speak Redis."""
