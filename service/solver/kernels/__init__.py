"""The compiled searches."""
