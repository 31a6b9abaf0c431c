"""Schemas of bodies and queries, and how they are loaded.

A schema makes the value that the use cases take, and refuses unknown members. One
instance of each schema is shared by all requests.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, TypeVar

from marshmallow import (
    RAISE,
    Schema,
    ValidationError,
    fields,
    post_load,
    pre_load,
    validates_schema,
)
from marshmallow.exceptions import SCHEMA

from service.engine.errors import InputError
from service.http.errors.details import detail_of
from service.http.errors.exceptions import InvalidInputError, Violation
from service.http.errors.json_pointer import point
from service.texts import DEFAULT_LANGUAGE, Detail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from service.http.schemas.fields import FieldType

T = TypeVar("T")

Members: TypeAlias = "dict[str, Any]"
"""Members of a body or a query, by name."""


class Form(NamedTuple):
    """One of the forms of a body, as OpenAPI describes it.

    Attributes:
        description: What it is, in Markdown.
        required: The members that it requires; other forms exclude them, unless they
            require them too.
        narrowed: The JSON Schemas of members that accept fewer values in this form.
    """

    description: str
    required: tuple[str, ...] = ()
    narrowed: Mapping[str, Mapping[str, Any]] = {}


class Value(fields.Field[T]):
    """A member of a body or a parameter of a query.

    Args:
        field_type: The type of its values.
        description: What it means, in Markdown.
        required: Whether it is required.
        name: Its name, if that differs from the name of the attribute.
    """

    def __init__(
        self,
        field_type: FieldType[T],
        description: str,
        *,
        required: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            required=required,
            allow_none=field_type.is_nullable,
            data_key=name,
            error_messages={"required": "required", "null": "null"},
        )
        self.field_type = field_type
        self.description = description
        self.absent = () if required else field_type.absent

    def _deserialize(self, value: Any, *_args: object, **_kwargs: object) -> T:  # noqa: ANN401 - whatever JSON can hold
        return self.field_type.read(value)


class Input(Schema):
    """The schema of a body or a query.

    Attributes:
        excludes: The members that a member excludes.
        requires: The member that a member requires.
        one_of: Members of which at least one is required.
        forms: Its forms, by the names of their JSON Schemas, if it has several.
    """

    excludes: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    requires: ClassVar[Mapping[str, str]] = {}
    one_of: ClassVar[tuple[str, ...]] = ()
    forms: ClassVar[Mapping[str, Form]] = {}

    _make: ClassVar[Callable[..., Any]] = dict
    """Makes the loaded value; its keyword arguments are the values of the members."""

    error_messages = {  # noqa: RUF012 - marshmallow's own, an instance variable there
        "unknown": "unknown",
        "type": "object",
    }

    class Meta:
        """The options of marshmallow: unknown members are refused."""

        unknown = RAISE

    @pre_load
    def leave_out_absent(self, original: object, **_kwargs: object) -> object:
        """Leave out the optional members whose value counts as absent, such as null."""
        return self._given(original) if isinstance(original, dict) else original

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_together(
        self, _members: Members, original: object, **_kwargs: object
    ) -> None:
        """Refuse members that cannot be combined."""
        if not isinstance(original, dict):
            return
        found = dict(self._conflicts(self._given(original)))
        if found:
            raise ValidationError({name: [detail] for name, detail in found.items()})

    @post_load
    def make(self, values: Members, **_kwargs: object) -> Any:  # noqa: ANN401
        """Make the loaded value."""
        return self._make(**values)

    @cached_property
    def members(self) -> Mapping[str, Value[Any]]:
        """The members by name."""
        return {
            field.data_key or name: field
            for name, field in self.fields.items()
            if isinstance(field, Value)
        }

    def _given(self, original: Members) -> Members:
        return {
            name: value
            for name, value in original.items()
            if name not in self.members
            or not any(value is absent for absent in self.members[name].absent)
        }

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Detail]]:
        """Yield the members that cannot be combined with others, and why."""
        for one, others in self.excludes.items():
            for other in others:
                if one in given and other in given:
                    yield other, Detail("conflict", {"other": one})
        for one, other in self.requires.items():
            if one in given and other not in given:
                yield one, Detail("needs", {"other": other})
        if self.one_of and not any(name in given for name in self.one_of):
            yield SCHEMA, Detail("one-of", {"choices": list(self.one_of)})


def load(schema: Schema, data: object) -> Any:  # noqa: ANN401 - what the schema makes
    """Load a body or a query.

    Raises:
        InvalidInputError: It does not fit the schema.
    """
    try:
        return schema.load(data)  # type: ignore[arg-type]  # it checks the type itself
    except ValidationError as error:
        values = sorted(_invalid_values(error.messages), key=lambda v: v.pointer)
        raise InvalidInputError(*values) from None


def load_value(name: str, read: Callable[[object], T], value: object) -> T:
    """Load a single value, such as a parameter of a path.

    Raises:
        InvalidInputError: It is not valid.
    """
    try:
        return read(value)
    except ValidationError as error:
        raise InvalidInputError(*_invalid_values(error.messages, (name,))) from None


def explain(error: InputError | ValidationError, name: str) -> str:
    """Return an English sentence about the error in the value with a name."""
    if isinstance(error, InputError):
        return detail_of(error).text(DEFAULT_LANGUAGE, name)
    value, *_ = _invalid_values(error.messages)
    return value.detail.text(DEFAULT_LANGUAGE, name)


def _invalid_values(
    messages: object, path: tuple[str | int, ...] = ()
) -> Iterator[Violation]:
    """Yield the violations in the nested messages of marshmallow."""
    match messages:
        case dict():
            for name, inner in messages.items():
                inside = path if name == SCHEMA else (*path, name)
                yield from _invalid_values(inner, inside)
        case list():
            for message in messages:
                # Messages of marshmallow itself are keys of texts.
                detail = message if isinstance(message, Detail) else Detail(message)
                yield Violation(point(*path), detail)
