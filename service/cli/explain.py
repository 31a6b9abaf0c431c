"""What is wrong with an argument or an option, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.engine.errors import InputError
from service.http.errors.details import detail_of
from service.http.schemas.loading import detail_of_message
from service.texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from marshmallow import ValidationError


def explain(error: InputError | ValidationError, name: str) -> str:
    """Say what is wrong with the argument or the option of a name."""
    if isinstance(error, InputError):
        detail = detail_of(error)
    else:
        detail = detail_of_message(error.messages[0])
    return detail.text(DEFAULT_LANGUAGE, name)
