"""What the judges share: cases by name, each of which gives what the SDK saw, or the words it failed with."""

import json
import os
import traceback

URL = os.environ["TRIVIUM_URL"]
API_KEY = os.environ["TRIVIUM_API_KEY"]
MODELS = ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash"]
THINKERS = ["compatible/thinker", *MODELS[1:]]
TOOL_NAMES = ["weather", "clock", "news"]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def case_for(models):
    """One case for each model, named after both."""

    def add(function):
        for model in models:
            CASES[f"{function.__name__} {model}"] = lambda model=model: function(model)
        return function

    return add


def saying(instruction):
    return f"Where do three roads meet? @simulate {instruction}"


def run(function):
    try:
        return {"ok": function()}
    except Exception:  # noqa: BLE001 - every failure is the result
        return {"failed": traceback.format_exc(limit=6)}


def report(version):
    print(json.dumps({"version": version, "cases": {name: run(function) for name, function in CASES.items()}}))
