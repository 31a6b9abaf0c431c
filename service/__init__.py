"""Accordion patience and its family, played over HTTP."""

__version__ = "0.1.0"
