"""The operations, one module for each chapter of the API."""
