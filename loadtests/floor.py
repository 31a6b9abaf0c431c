"""The floor: a stock Flask route that does one redis-py GET.

What the benchmark divides by. It is left as any tutorial writes it.
"""

import os

from flask import Flask
from redis import Redis

app = Flask(__name__)
redis = Redis.from_url(os.environ["FLOOR_REDIS_URL"], decode_responses=True)


@app.get("/values/<name>")
def read_value(name: str) -> dict[str, object]:
    """Answer with the value that the store has under a name."""
    return {"name": name, "value": redis.get(name)}
