"""Who may send requests, and how many: API keys and rate limits."""
