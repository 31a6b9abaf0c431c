"""Rows of Accordion that the solver searches for seconds without a verdict.

In each, one card is the only one of its suit, and one of only two of its rank.
"""

from typing import Final

_ROWS: Final = """
KD 9C 3D 3H 2H KS 4D 7H 7D 2C AD 8H 6H JC JH 6C
QH 7C 9H 3C 8C 5D TC TD 5C 4H 4C TH 9D 8D QC 6D

6H TD KH JD KD 5D 2D AC 7H QH JC 3H AD 6C 2C 6D
9D 9C QC 9H 4H 7C 8D KC QD 8H 5H 4C TS 3C 8C 3D

AC 7D 2C QH QC KC 6C 9C 5C 7S QD 4D 6D AD AH 9H TC 3D
3C 9D TD 4C 2H 8D TH 2D 5D KD KH 4H 5H JD 3H 8H JH 6H

9C AC QH 5C 3C TC KH 2H 3D 4D 8D 7C QD 5H 4C 4H QC 7D
2C TH 2D JC AH JH KD 9S JD 6H 7H TD 8C 8H 6C KC 5D 3H

6C 5D 7H 4D 8H KD 7C JH QH AH 5C JD AD 9H TD
2H 8D 2D 3C 8C AC 6S KC 2C 9C 3H 9D 7D TC KH

TC 7C QD 4C 8H 9D QH 8C 9H JD 7H 7D 3H 4D
5H AC QC 9C AH 8D 2H 3D TS 2D AD JH 6H 5D

2D KH 9H KD AD 4C 9D 8C KC 6D QC 9C 5H 7D
4D AC AH QD 3D 7H 4H 5D 7C 3H 2S JC 8H JD
"""
HARD_ROWS: Final = [row.split() for row in _ROWS.split("\n\n")]
