"""The contents of requests and responses, one module for each chapter of the API.

Bodies and queries are marshmallow schemas (``input``, ``fields``). Each value of a
response is declared once, as a type (``response``): msgspec encodes it as JSON,
``json_schema`` makes its OpenAPI schema, and mypy checks it.
"""
