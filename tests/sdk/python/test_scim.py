"""scim2-tester as the judge of SCIM: it discovers what the server says it can, and checks that it does."""

import json
import os
from importlib.metadata import version

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

http = Client(base_url=os.environ["TRIVIUM_URL"], headers={"Authorization": f"Bearer {os.environ['TRIVIUM_API_KEY']}"})
scim = SyncSCIMClient(http)
scim.discover()
results = check_server(scim)

print(
    json.dumps(
        {
            "version": version("scim2-tester"),
            "results": [
                {"title": result.title, "status": result.status.name, "reason": result.reason or ""}
                for result in results
            ],
        }
    )
)
