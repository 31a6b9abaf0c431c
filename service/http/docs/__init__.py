"""The description of the API: OpenAPI and pages."""
