"""Names of players: which texts are valid, and which names mean the same player.

The rules are based on the Unicode properties of characters. The PRECIS profiles
(RFC 8265, RFC 8266) are not used, because they refuse the joiners in emoji.
"""

from __future__ import annotations

import unicodedata
from hashlib import blake2b
from typing import Final

import regex

MAX_CHARACTERS: Final = 32
"""The maximum length of a name in grapheme clusters."""
_MAX_CODE_POINTS: Final = 512
_KEY_DIGEST_SIZE: Final = 16

_RESERVED: Final = frozenset({".", ".."})
_HIDDEN: Final = regex.compile(
    r"[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]"
    r"|[^\S \u3000]"
)
"""Control, format, unassigned and private-use characters, and blanks."""
_SPLITTING: Final = regex.compile(r"[/\\]")
_JOINING: Final = r"[\p{Arabic}\p{Syriac}\p{Nko}\p{Mongolian}]\p{M}*"
_PICTURE: Final = r"\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]*"
_SHOWN_BY_CONTEXT: Final = regex.compile(
    rf"(?<={_JOINING})[\u200c\u200d](?=[\p{{Arabic}}\p{{Syriac}}\p{{Nko}}\p{{Mongolian}}])"
    r"|(?<=\p{InSC=Virama})[\u200c\u200d](?=\p{L})"
    rf"|(?<={_PICTURE})\u200d(?=\p{{Extended_Pictographic}})"
    r"|(?<=[\p{Emoji}\p{Extended_Pictographic}])[\ufe0e\ufe0f]"
    r"|(?<=\p{Han})[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    r"|(?<=\U0001f3f4)[\U000e0020-\U000e007e]+\U000e007f"
)
"""Joiners, variation selectors and tags where they change what is shown."""
_STARTS_BARE: Final = regex.compile(r"[\p{M}]")


class PlayerNameError(Exception):
    """A text that is not a valid player name.

    Attributes:
        key: The key of the text that describes the error, in ``service.texts``.
        data: The values of that text's placeholders.
    """

    def __init__(self, key: str, **data: object) -> None:
        super().__init__(key)
        self.key = key
        self.data = data


def read_name(text: str) -> str:
    """Return a name as it is stored: in NFC, without white space at the ends.

    Raises:
        PlayerNameError: The text is not a valid name.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > _MAX_CODE_POINTS:
        raise PlayerNameError("text", least=1, most=MAX_CHARACTERS)
    if len(regex.findall(r"\X", name)) > MAX_CHARACTERS:
        raise PlayerNameError("text", least=1, most=MAX_CHARACTERS)
    shown = _SHOWN_BY_CONTEXT.sub("", name)
    if name in _RESERVED or _SPLITTING.search(name):
        raise PlayerNameError("player-name")
    if _HIDDEN.search(shown) or _STARTS_BARE.match(name):
        raise PlayerNameError("text", least=1, most=MAX_CHARACTERS)
    return name


def normalize_name(name: str) -> str:
    """Return the normalized form of a name, equal for all names of the same player."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded)


def digest_key(player_key: str) -> bytes:
    """Return the 16-byte digest of a player's key."""
    data = player_key.encode(errors="surrogatepass")
    return blake2b(data, digest_size=_KEY_DIGEST_SIZE, person=b"player").digest()
