"""Accordion solitaire and its variants, played over HTTP."""

__version__ = "0.1.0"
