"""What every program here is given, and how it says what it found: a JSON line for each check."""

import json
import os
import traceback
import urllib.request

URL, OTHER_URL = os.environ["TRIVIUM_URLS"].split(",")
API_KEY = os.environ["TRIVIUM_API_KEY"]
WEBHOOK_SECRET = os.environ["TRIVIUM_WEBHOOK_SECRET"]
RECEIVER_URL = os.environ["TRIVIUM_RECEIVER_URL"]
SIMULATOR_URL = os.environ["TRIVIUM_SIMULATOR_URL"]
HOSTS = json.loads(os.environ["TRIVIUM_HOSTS"])


def fetched(url):
    with urllib.request.urlopen(url) as reply:
        return json.load(reply)


def sent():
    """What the host was sent last, by the first node."""
    return json.dumps(fetched(f"{SIMULATOR_URL}/_simulator/truth")[-1])


class Requests:
    """The bodies that a client sent, of which it is told by a hook; for who must not send again what it refers to."""

    def __init__(self):
        self.bodies = []

    def hook(self, request):
        self.bodies.append(request.content.decode())

    async def async_hook(self, request):
        self.hook(request)

    def only_refers(self, *known):
        """The last one says `previous_response_id`, and nothing of what that stands for."""
        last = self.bodies[-1]
        assert (json.loads(last).get("previous_response_id") or "").startswith("resp_"), last[:300]
        for text in known:
            assert text in "".join(self.bodies[:-1]), f"{text} was never sent"
            assert text not in last, f"{text} was sent again"


def check(name, run):
    try:
        run()
        problem = None
    except Exception as error:  # noqa: BLE001: whatever it is, it is the verdict
        line = traceback.extract_tb(error.__traceback__)[-1]
        problem = f"{type(error).__name__}: {error} ({line.name}, line {line.lineno})"[:800]
    print(json.dumps({"name": name, "problem": problem}), flush=True)


def for_each_host(client, checks):
    for dialect, model in HOSTS.items():
        for name, run in checks.items():
            check(f"{client}: {name} over {dialect}", lambda: run(model))
