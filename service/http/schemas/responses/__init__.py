"""What responses hold: each value is declared once, as a type.

The type writes the JSON (msgspec), describes itself in OpenAPI (``json_schema``) and
is what mypy checks.
"""
