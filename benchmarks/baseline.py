"""The baseline of the benchmark: a Flask route that does one GET with redis-py.

It is deliberately plain, as in a tutorial.
"""

import os

from flask import Flask
from redis import Redis

app = Flask(__name__)
redis = Redis.from_url(os.environ["BASELINE_REDIS_URL"], decode_responses=True)


@app.get("/values/<name>")
def get_value(name: str) -> dict[str, object]:
    """Return the value that the store has under a name."""
    return {"name": name, "value": redis.get(name)}
