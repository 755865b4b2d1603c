"""What every framework is asked to do: one tool call, streamed, then an answer that is streamed, too."""

import json
import os

URL = os.environ["TRIVIUM_URL"]
API_KEY = os.environ["TRIVIUM_API_KEY"]
MODEL = os.environ["TRIVIUM_MODEL"]
QUESTION = "What is the weather in Rome? Use the tool. @simulate scenario=tool-single"
RESULT = "21 degrees"
called = []


def weather(city: str) -> str:
    """The weather in a city."""
    called.append(city)
    return RESULT


def report(checks):
    """`checks`: name to function that returns the pieces of the last answer. Prints one JSON line of what went wrong, by name."""
    problems = {}
    for name, check in checks.items():
        called.clear()
        try:
            pieces = check()
            text = "".join(pieces)
            if len(called) != 1 or not isinstance(called[0], str) or called[0] == "":
                problems[name] = f"the tool was called with {called}"
            elif text.strip() == "":
                problems[name] = "the answer is empty"
            elif len(pieces) < 2:
                problems[name] = "the answer came in one piece"
            else:
                problems[name] = None
        except Exception as error:  # noqa: BLE001: whatever it is, it is the verdict
            problems[name] = f"{type(error).__name__}: {error}"[:500]
    print(json.dumps(problems))
