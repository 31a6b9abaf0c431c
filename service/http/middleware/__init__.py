"""What surrounds every operation."""
