"""Where the gateway under test is, and how a script tells what it saw."""

import json
import os
import sys

BASE_URL = os.environ["PLAUDIT_URL"]
KEY = os.environ["PLAUDIT_SESSION_KEY"]

ADD = {
    "name": "add",
    "description": "Adds.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
}


def report(**seen):
    """The test reads one JSON object from standard output."""
    json.dump(seen, sys.stdout)
