"""What requests and responses hold, one module for each chapter of the API.

Bodies and queries are marshmallow schemas (``input``, ``fields``). Each value of a
response is declared once, as a type: it writes the JSON (msgspec), describes itself in
OpenAPI (``json_schema``) and is what mypy checks (``response``).
"""
