"""Sending to webhooks: attempts, their signatures, and when they are made again."""
