"""Rows as texts: ``4S 7H QC``."""

from __future__ import annotations

from service.engine.cards import name_cards, parse_cards


def read_row(text: str) -> bytes:
    return parse_cards(text.split())


def show_row(row: bytes) -> str:
    return " ".join(name_cards(row))
