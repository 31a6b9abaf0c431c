"""Sends deliveries to webhooks: attempts, signatures and retries."""
